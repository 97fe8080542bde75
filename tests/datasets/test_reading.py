"""Every way a delimited file can be wrong has its sentence."""

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stages.contract.bad_input import BadInput
from stages.datasets import delimited, reading
from stages.datasets.reading import decode, numbers, read_delimited, read_lots

GOOD = 'id,text,author,score,gender\n1,"One, two",ann,0.5,woman\n2,NA,ben,1,\n'
PARAMS = delimited.Params(identifier="id", author="author", attributes={"gender": "category"})


def written(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "survey.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_cells_are_read_as_they_stand(tmp_path):
    """Neither "NA" nor "null" nor a comma in quotes is lost; a byte order mark is no part of a name."""
    documents, texts = delimited.load_apart(written(tmp_path, "\ufeff" + GOOD), "score", PARAMS)
    assert [text for lot in texts.lots() for text in lot] == ["One, two", "NA"]
    assert (documents["text"].tolist(), texts.blank.tolist()) == ([0, 1], [False, False])
    assert documents["gender"].isna().tolist() == [False, True]
    assert documents["label"].tolist() == [0.5, 1.0]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (GOOD.replace(",", ";").replace('"', ""), "has one column when split by ','"),
        (GOOD.replace("score", "skore"), "column 'score' is missing; it has id, text, author, skore, gender."),
        (GOOD.replace("two", "zwölf").encode("latin-1"), "is not utf-8"),
        (GOOD.replace("0.5", "half"), "column 'score' is not a number in 1 of 2 rows (first: 'half')"),
        (GOOD.replace(",gender", ""), "its rows have more cells than its header has names"),
        (GOOD + "3,too,many,1,cells,here\n", "cannot be split into columns by ','"),
        ("", "is empty"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, content, sentence):
    with pytest.raises(BadInput) as refusal:
        delimited.load_apart(written(tmp_path, content), "score", PARAMS)
    assert sentence in str(refusal.value)
    assert "survey.csv" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def outcome(read):
    """A frame, or the sentence that refuses it."""
    try:
        return read()
    except BadInput as refusal:
        return str(refusal)


CELL = st.text('a,"\n\r é', max_size=4)
ROWS = st.lists(st.lists(CELL, min_size=1, max_size=4).map(",".join) | st.just("a,b"), max_size=14)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(header=st.sampled_from(["x,y", "x,y,z", "x,x", "x", ""]), rows=ROWS, end=st.sampled_from(["\n", "\r\n"]), broken=st.booleans())
def test_a_file_read_in_lots_is_the_file_read_whole(header, rows, end, broken, tmp_path, monkeypatch):
    """Quotes, line ends in cells, ragged rows, blank lines, cells without a name, a byte that is not UTF-8: all as one reading has it."""
    monkeypatch.setattr(reading, "LOT", 3)
    path = written(tmp_path, end.join([header, *rows]).encode() + (b"\xff" if broken else b""))
    whole = outcome(lambda: read_delimited(path))
    in_lots = outcome(lambda: pd.concat(read_lots(path, ",", "utf-8")))
    if isinstance(whole, str):
        assert in_lots == whole
    else:
        pd.testing.assert_frame_equal(in_lots, whole)


def test_an_attribute_does_not_take_the_place_of_the_texts(tmp_path):
    params = delimited.Params(text="author", attributes={"text": "category"})
    with pytest.raises(BadInput, match=r"survey.csv: an attribute called 'text' would take the place of the texts; rename that column\."):
        delimited.load_apart(written(tmp_path, GOOD), "score", params)


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
