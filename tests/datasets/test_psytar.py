"""The PsyTAR reviews as published (where they are at hand), and the same format in a workbook of our own."""

import pandas as pd
import pytest

from stages.contract.bad_input import BadInput
from stages.datasets import psytar

Params = psytar.Params


def rows() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "drug_id": ["zoloft.1", "zoloft.2", "lexapro.1"],
            "rating": [1, 5, 4],
            "side-effect": ["Nausea", None, None],
            "comment": ["It helped.", "NA", None],
            "gender": ["F", "M", None],
            "age": [39, None, 61],
        }
    )


def write(folder, frame, sheet=psytar.SHEET):
    frame.to_excel(folder / psytar.FILE, sheet_name=sheet, index=False)
    return folder


def test_reviews_are_read_with_their_patients(tmp_path, capsys):
    documents = psytar.load(write(tmp_path, rows()), "rating", Params())
    assert documents["text"].tolist() == ["Nausea\n\nIt helped.", "NA"]
    assert "1 of 3 rows hold no text and are left out" in capsys.readouterr().out
    assert documents["label"].tolist() == [1, 5]
    assert documents["gender"].tolist() == ["woman", "man"]
    assert documents["age"].isna().tolist() == [False, True]
    assert psytar.load(tmp_path, "rating", Params(text="side_effects"))["text"].tolist() == ["Nausea"]


@pytest.mark.parametrize(
    ("damaged", "sheet", "label", "sentence"),
    [
        (rows().replace("F", "X"), psytar.SHEET, "rating", "column 'gender' holds codes that are not known in 1 of 3 rows (first: 'X')"),
        (rows().drop(columns="age"), psytar.SHEET, "rating", "column 'age' is missing"),
        (rows(), "Samples", "rating", "has no sheet 'Sample'"),
        (rows(), psytar.SHEET, "drug", "label 'drug' is not one of PsyTAR's"),
    ],
)
def test_bad_workbooks_are_named(tmp_path, damaged, sheet, label, sentence):
    with pytest.raises(BadInput) as refusal:
        psytar.load(write(tmp_path, damaged, sheet), label, Params())
    assert sentence in str(refusal.value)


def test_what_is_no_workbook(tmp_path):
    with pytest.raises(BadInput, match="is missing; put the workbook there"):
        psytar.load(tmp_path, "rating", Params())
    (tmp_path / psytar.FILE).write_text("drug_id,rating\n")
    with pytest.raises(BadInput, match="is no Excel workbook"):
        psytar.load(tmp_path, "rating", Params())


def test_the_published_workbook(shared):
    """891 posts (SOURCES.md), five without any text."""
    documents = psytar.load(shared / "data" / "psytar", "rating", Params())
    assert len(documents) == documents["doc_id"].nunique() == 886
    assert documents["gender"].fillna("unknown").value_counts().to_dict() == {"woman": 668, "man": 209, "unknown": 9}
    assert documents["age"].agg(["min", "median", "max"]).tolist() == [14, 35, 83]
    assert documents["label"].value_counts().sort_index().index.tolist() == [1, 2, 3, 4, 5]
    assert len(psytar.load(shared / "data" / "psytar", "rating", Params(text="comment"))) == 891 - 123
