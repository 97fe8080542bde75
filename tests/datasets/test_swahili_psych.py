"""The Swahili survey as published (where it is at hand), and the same format in rows of our own."""

import pandas as pd
import pytest

from stages.contract.bad_input import BadInput
from stages.datasets import health_survey, swahili_psych

Params = swahili_psych.Params


def rows() -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "D1-Age": ["31", "26", "44"],
            "D2-Gender": ["Male", "Female", "I choose not to answer"],
            "D3-Tribe": ["Kikuyu", "embu", "Ndio"],
            "D4-Race": ["Black", "Multiracial or biracial", "I choose not to answer"],
            "D5-Education": ["Some graduate school", "8th grade or less", "I choose not to answer"],
            "D6-Income": ["Less than 2,580,000 KES", "11,610,000 KES or more", "Do not know/not sure"],
            "EFL": ["No", "Yes", "I choose not to answer"],
            "Text_TrustPhys": ["Namwamini.", "Simwamini.", "Labda."],
            "Text_SubjectiveLit": ["Ndiyo.", "Hapana.", "Sijui."],
            "FIPI_4": ["1", "7", "4"],
        }
    )
    for number in range(1, 6):
        frame[f"BMC1_{number}"] = ["1", "3", "5"]
    return frame.assign(Label_TrustPhys=[(6 - score + 4 * score) / 25 for score in (1, 3, 5)])


def write(folder, frame):
    frame.to_csv(folder / swahili_psych.FILE, index=False)
    return folder


def test_codes_are_decoded_and_silence_is_unknown(tmp_path):
    documents = swahili_psych.load(write(tmp_path, rows()), "trust", Params())
    assert documents["gender"].fillna("").tolist() == ["man", "woman", ""]
    assert documents["tribe"].fillna("").tolist() == ["Kikuyu", "Embu", ""]
    assert documents["income_band"].fillna("").tolist() == ["under 2,580,000 KES", "11,610,000 KES or more", ""]
    assert documents["first_language"].fillna("").tolist() == ["another language first", "English first", ""]
    assert documents[["race_kenya", "education"]].isna().sum().tolist() == [1, 1]
    assert documents["text"].tolist() == ["Namwamini.", "Simwamini.", "Labda."]
    assert swahili_psych.load(tmp_path, "stable", Params())["text"].tolist() == ["Ndiyo.", "Hapana.", "Sijui."]


@pytest.mark.parametrize(
    ("damaged", "label", "sentence"),
    [
        (rows().replace("Female", "Kike"), "trust", "column 'D2-Gender' holds codes that are not known in 1 of 3 rows (first: 'Kike')"),
        (rows().drop(columns="EFL"), "trust", "column 'EFL' is missing"),
        (rows().replace("26", "vijana"), "trust", "column 'D1-Age' is not a number"),
        (
            rows().assign(Label_TrustPhys=[0.9, 0.6, 0.84]),
            "trust",
            "is not what its items give in 1 of 3 rows (first: 0.9000 and not 0.3600)",
        ),
        (rows(), "empathy", "label 'empathy' is not one of the Swahili survey's"),
    ],
)
def test_bad_files_are_named(tmp_path, damaged, label, sentence):
    with pytest.raises(BadInput) as refusal:
        swahili_psych.load(write(tmp_path, damaged), label, Params())
    assert sentence in str(refusal.value)


def test_the_published_file(shared, capsys):
    """Counts as SOURCES.md and spec/benchmark.md section 4 give them (but for the median age, 29); literacy on a stretched scale."""
    loaded = {label: swahili_psych.load(shared / "data" / "swahili_psych", label, Params()) for label in health_survey.LABELS}
    documents = loaded["anxiety"]
    assert len(documents) == 2170
    assert documents["gender"].value_counts().to_dict() == {"man": 1144, "woman": 1017, "another gender": 3}
    assert documents["age"].median() == 29
    assert documents["tribe"].nunique() == 30
    assert documents["income_band"].value_counts().iloc[0] == 1648
    assert documents[["race_kenya", "tribe", "education", "income_band", "first_language"]].isna().sum().tolist() == [24, 32, 5, 138, 8]
    assert "-0.6270 + 1.4286 x the score" in capsys.readouterr().out
    assert documents["label"].median() == pytest.approx(22 / 42)
    assert (loaded["numeracy"]["label"] * 11).round(6).isin(range(12)).all()
    assert loaded["stable"]["label"].isin(range(1, 8)).all()
