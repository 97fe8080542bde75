"""The ELLIPSE essays as published (where they are at hand), and the same format in rows of our own."""

import pandas as pd
import pytest

from stages.contract.bad_input import BadInput
from stages.datasets import ellipse

Params = ellipse.Params


def rows() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "text_id_kaggle": ["a1", "a2"],
            "full_text": ['An essay, "quoted"\nand broken.', "Another."],
            "gender": ["Female", "Male"],
            "grade": ["8", "12"],
            "race_ethnicity": ["Hispanic/Latino", "White"],
            "SES": ["Economically disadvantaged", ""],
            "Overall": ["2.5", "4"],
            "Grammar": ["3", "5"],
        }
    )


def write(folder, frame):
    frame.to_csv(folder / ellipse.FILE, index=False)
    return folder


def test_codes_are_decoded_and_unknown_stays_unknown(tmp_path):
    documents = ellipse.load(write(tmp_path, rows()), "grammar", Params())
    assert documents["text"].iloc[0] == 'An essay, "quoted"\nand broken.'
    assert documents["label"].tolist() == [3, 5]
    assert documents["gender"].tolist() == ["female", "male"]
    assert documents["race"].tolist() == ["Hispanic", "White"]
    assert documents["economic_status"].fillna("").tolist() == ["economically disadvantaged", ""]
    assert documents["grade"].tolist() == [8, 12]


@pytest.mark.parametrize(
    ("damaged", "label", "sentence"),
    [
        (rows().replace("White", "Martian"), "overall", "column 'race_ethnicity' holds codes that are not known in 1 of 2 rows"),
        (rows().drop(columns="Overall"), "overall", "column 'Overall' is missing"),
        (rows().replace("2.5", "good"), "overall", "column 'Overall' is not a number in 1 of 2 rows (first: 'good')"),
        (rows(), "style", "label 'style' is not one of ELLIPSE's"),
    ],
)
def test_bad_files_are_named(tmp_path, damaged, label, sentence):
    with pytest.raises(BadInput) as refusal:
        ellipse.load(write(tmp_path, damaged), label, Params())
    assert sentence in str(refusal.value)


def test_the_published_file(shared):
    documents = ellipse.load(shared / "data" / "ellipse", "overall", Params())
    assert len(documents) == documents["doc_id"].nunique() == 2571
    assert documents["gender"].value_counts().to_dict() == {"male": 1446, "female": 1125}
    assert documents["race"].value_counts().iloc[:4].to_dict() == {
        "Hispanic": 1868,
        "Asian or Pacific Islander": 310,
        "Black": 194,
        "White": 185,
    }
    assert documents["economic_status"].value_counts().tolist() == [1798, 772]
    for label in ellipse.LABELS:
        scores = ellipse.load(shared / "data" / "ellipse", label, Params())["label"]
        assert (scores * 2).isin(range(2, 11)).all()
