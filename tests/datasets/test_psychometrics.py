"""The psychometric survey in rows of our own: scores from their items, decoded demographics, and the paper's own coding to the letter."""

import pandas as pd
import pytest

from stages.contract.bad_input import BadInput
from stages.datasets import health_survey, psychometrics
from tests.datasets.stand_ins import survey

Params = psychometrics.Params


def write(folder, frame, encoding="iso-8859-1"):
    frame.to_csv(folder / psychometrics.FILE, sep="\t", index=False, encoding=encoding)
    return folder


@pytest.fixture
def source(tmp_path):
    return write(tmp_path, survey())


def refusal(source, label="trust", **params):
    with pytest.raises(BadInput) as refused:
        psychometrics.load(source, label, Params(**params))
    return str(refused.value)


def test_demographics_are_decoded_and_silence_is_unknown(tmp_path):
    frame = survey(4)
    frame[["D1", "D2", "D3", "D4", "D5"]] = [
        list("11111"),
        ["82", "2", "2", "5", "6"],
        ["39", "2", "8", "8", "8"],
        ["", "1.0", "7", "", "7"],
    ]
    documents = psychometrics.load(write(tmp_path, frame), "trust", Params())
    assert documents["age"].tolist()[:3] == [18, 99, 56]
    assert documents["gender"].tolist() == ["man", "woman", "woman", "man"]
    assert documents["race"].fillna("").tolist() == ["White", "Black", "", "another race"]
    assert documents["education"].fillna("").tolist() == ["8th grade or less", "college graduate", "", ""]
    assert documents["income_band"].fillna("").tolist() == ["under $20,000", "$90,000 or more", "", ""]
    assert documents["text"].iloc[0] == "TrustPhys of respondent 1, naïve"
    assert documents["doc_id"].iloc[0] == f"f{frame['File'].iloc[0]}_r1"
    assert documents["fold"].tolist() == frame["File"].astype(str).tolist()


def test_the_papers_coding_gives_the_papers_groups(source, binary):
    """D1 <= 38, D2 == 1, D3 == 1, D4 >= 5, D5 >= 4 of the rows without an empty cell: "no answer" is privileged by education and income."""
    documents = psychometrics.load(source, "trust", Params(coding="naacl2022"))
    codes = survey()[["D1", "D2", "D3", "D4", "D5"]].apply(pd.to_numeric).dropna().reset_index(drop=True)
    published = pd.DataFrame(
        {
            "gender": codes["D2"] == 1,
            "race": codes["D3"] == 1,
            "age": codes["D1"] <= 38,
            "education": codes["D4"] >= 5,
            "income_band": codes["D5"] >= 4,
        }
    )
    assert len(documents) == len(codes)
    assert (binary(documents) == published).all(axis=None)


def test_our_coding_differs_only_in_who_is_silent(source, binary):
    ours = binary(psychometrics.load(source, "trust", Params()))
    codes = survey()[["D3", "D4", "D5"]].replace("", "0").astype(int)
    assert len(ours) == 400
    assert (ours["race"].isna() == codes["D3"].isin([0, 8])).all()
    assert (ours["income_band"].isna() == codes["D5"].isin([0, 7, 8])).all()
    known = ours["education"].notna()
    assert (known == ~codes["D4"].isin([0, 8])).all()
    assert (ours["education"][known] == (codes["D4"][known] >= 5)).all()


@pytest.mark.parametrize("label", ["anxiety", "literacy", "trust"])
def test_scores_are_those_of_the_items_in_full_precision(source, label):
    """Anxiety was published to four digits: .5238 would fall below a median of 22/42 that it equals."""
    documents = psychometrics.load(source, label, Params())
    published = survey()[f"Label_{health_survey.TASKS[label]}"]
    assert documents["label"].to_numpy() == pytest.approx(published.to_numpy(), abs=6e-5)
    assert psychometrics.load(source, label, Params(labels="items"))["label"].equals(documents["label"])
    if label == "anxiety":
        assert (documents["label"] * 42).round(9).isin(range(6, 43)).all()
        assert not psychometrics.load(source, label, Params(labels="published"))["label"].equals(documents["label"])


def test_numeracy_is_a_count_of_fourteen(source, tmp_path):
    documents = psychometrics.load(source, "numeracy", Params())
    assert (documents["label"] * 14).round(9).isin(range(15)).all()
    assert "no key of right answers" in refusal(source, "numeracy", labels="items")
    frame = survey()
    frame.loc[3, "Label_Numeracy"] = 0.55
    assert "is not a share of 14 questions in 1 of 400 rows (first: 0.5500 and not 0.5714)" in refusal(write(tmp_path, frame), "numeracy")


def test_a_stretched_scale_is_recognised_and_wrong_rows_are_refused(tmp_path, capsys):
    frame = survey()
    frame["Label_SubjectiveLit"] = 2 * frame["Label_SubjectiveLit"] - 0.5
    documents = psychometrics.load(write(tmp_path, frame), "literacy", Params())
    assert documents["label"].to_numpy() == pytest.approx(frame["Label_SubjectiveLit"].to_numpy())
    assert "Label_SubjectiveLit is -0.5000 + 2.0000 x the score" in capsys.readouterr().out
    frame.loc[[5, 9], "Label_SubjectiveLit"] += 0.1
    assert "is not what its items give in 2 of 400 rows" in refusal(write(tmp_path, frame), "literacy")
    taken = psychometrics.load(tmp_path, "literacy", Params(labels="published"))["label"]
    assert taken.to_numpy() == pytest.approx(frame["Label_SubjectiveLit"].to_numpy())


def test_without_a_score_or_without_items_the_other_is_taken(tmp_path, capsys):
    frame = survey()
    documents = psychometrics.load(write(tmp_path, frame.drop(columns="Label_TrustPhys")), "trust", Params())
    assert documents["label"].to_numpy() == pytest.approx(frame["Label_TrustPhys"].to_numpy())
    documents = psychometrics.load(write(tmp_path, frame.drop(columns="BMC1_3")), "trust", Params())
    assert documents["label"].to_numpy() == pytest.approx(frame["Label_TrustPhys"].to_numpy())
    assert "the items of trust are not in the file" in capsys.readouterr().out


def test_personality_traits_read_the_answer_that_is_asked_for(source):
    documents = psychometrics.load(source, "stable", Params())
    assert (documents["label"] == survey()["FIPI_4"]).all()
    assert documents["text"].str.startswith("SubjectiveLit").all()
    assert psychometrics.load(source, "open", Params(text="anxiety"))["text"].str.startswith("Anxiety").all()


def test_unanswered_questions_are_left_out_with_a_count(tmp_path, capsys):
    frame = survey()
    frame.loc[[0, 1], "Text_TrustPhys"] = ["", "NA"]
    assert len(psychometrics.load(write(tmp_path, frame), "trust", Params(folds="drawn"))) == 398
    assert "2 of 400 rows hold no text" in capsys.readouterr().out


def changed(column, value):
    return lambda frame: frame.assign(**{column: [value, *frame[column].iloc[1:]]})


@pytest.mark.parametrize(
    ("damage", "label", "sentence"),
    [
        (changed("D3", "9"), "trust", "column 'D3' holds codes that are not known in 1 of 400 rows (first: '9')"),
        (changed("D1", "99"), "trust", "column 'D1' holds 99; ages 18 to 99 are coded 1 to 82"),
        (changed("D1", "young"), "trust", "column 'D1' is not a number in 1 of 400 rows (first: 'young')"),
        (changed("File", "6"), "trust", "column 'File' names no fold of 1 to 5 in 1 of 400 rows (first: '6')"),
        (changed("FIPI_4", "8"), "stable", "column 'FIPI_4' holds 8; a trait is answered from 1 to 7"),
        (lambda frame: frame.drop(columns="D4"), "trust", "column 'D4' is missing"),
        (lambda frame: frame.drop(columns="FIPI_1"), "extraverted", "column 'FIPI_1' is missing"),
        (lambda frame: frame, "sadness", "label 'sadness' is not one of the psychometric survey's"),
    ],
)
def test_bad_files_are_named(tmp_path, damage, label, sentence):
    assert sentence in refusal(write(tmp_path, damage(survey().astype(str))), label)


def test_a_converted_file_is_not_read_as_what_it_was(tmp_path):
    write(tmp_path, survey(), "utf-8")
    assert "is utf-8 and not iso-8859-1 as published" in refusal(tmp_path)
    assert psychometrics.load(tmp_path, "trust", Params(encoding="utf-8"))["text"].iloc[0].endswith("naïve")
    assert "is missing; put the file there" in refusal(tmp_path / "elsewhere")
