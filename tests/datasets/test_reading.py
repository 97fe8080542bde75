"""Every way a delimited file can be wrong has its sentence."""

from pathlib import Path

import pandas as pd
import pytest

from stages.contract.bad_input import BadInput
from stages.datasets import delimited
from stages.datasets.reading import decode, numbers, read_delimited

GOOD = 'id,text,author,score,gender\n1,"One, two",ann,0.5,woman\n2,NA,ben,1,\n'
PARAMS = delimited.Params(identifier="id", author="author", attributes={"gender": "category"})


def written(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "survey.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_cells_are_read_as_they_stand(tmp_path):
    """Neither "NA" nor "null" nor a comma in quotes is lost; a byte order mark is no part of a name."""
    documents = delimited.load(written(tmp_path, "\ufeff" + GOOD), "score", PARAMS)
    assert documents["text"].tolist() == ["One, two", "NA"]
    assert documents["gender"].isna().tolist() == [False, True]
    assert documents["label"].tolist() == [0.5, 1.0]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (GOOD.replace(",", ";").replace('"', ""), "has one column when split by ','"),
        (GOOD.replace("score", "skore"), "column 'score' is missing; it has id, text, author, skore, gender."),
        (GOOD.replace("two", "zwölf").encode("latin-1"), "is not utf-8"),
        (GOOD.replace("0.5", "half"), "column 'score' is not a number in 1 of 2 rows (first: 'half')"),
        (GOOD + "3,too,many,1,cells,here\n", "cannot be split into columns by ','"),
        ("", "is empty"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, content, sentence):
    with pytest.raises(BadInput) as refusal:
        delimited.load(written(tmp_path, content), "score", PARAMS)
    assert sentence in str(refusal.value)
    assert "survey.csv" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_missing_file_says_where_to_put_it(tmp_path):
    with pytest.raises(BadInput, match="is missing; put the file there"):
        read_delimited(tmp_path / "none.csv")


def test_latin_1_on_request(tmp_path):
    path = written(tmp_path, GOOD.replace("two", "zwölf").encode("latin-1"))
    assert read_delimited(path, encoding="latin-1")["text"].iloc[0] == "One, zwölf"


def test_unknown_codes_are_null_and_unforeseen_codes_refused():
    column = pd.Series(["1", "2", "9", "7"], name="sex")
    path = Path("survey.csv")
    assert decode(column[:3], {"1": "man", "2": "woman"}, path, unknown=("9",)).isna().tolist() == [False, False, True]
    with pytest.raises(BadInput, match=r"holds codes that are not known in 1 of 4 rows \(first: '7'\)"):
        decode(column, {"1": "man", "2": "woman"}, path, unknown=("9",))
    assert numbers(pd.Series(["3", " x "], name="age"), path, unknown=("x",)).isna().tolist() == [False, True]
