"""Files as people have them: read as they are, or refused with what to do."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

from stages.contract.bad_input import BadInput
from stages.datasets import outcomes
from stages.datasets.predictions_file import read_columns
from stages.datasets.reference_groups import attribute, plain_names

ROWS = [("1", "0.5", "é"), ("", "0.25", 'a "quoted", one')]


def write(path, delimiter=",", encoding="utf-8", header="y{0}p{0}who"):
    quoted = [[f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row] for row in ROWS]
    text = "\n".join([header.format(delimiter), *(delimiter.join(row) for row in quoted)]) + "\n"
    content = text.encode(encoding)
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.mark.parametrize(
    ("name", "delimiter", "encoding", "said"),
    [
        ("a.csv", ",", "utf-8", "read as UTF-8, delimiter comma"),
        ("a.csv", ";", "utf-8-sig", "read as UTF-8, delimiter semicolon"),
        ("a.tsv", "\t", "utf-8", "read as UTF-8, delimiter tab"),
        ("a.csv.gz", "|", "utf-8", "read as UTF-8, delimiter |"),
        ("a.csv", ";", "latin-1", "read as latin-1, delimiter semicolon"),
        ("a.txt", "\t", "utf-16", "read as utf-16, delimiter tab"),
    ],
)
def test_delimited_text_of_any_program(tmp_path, name, delimiter, encoding, said):
    file = write(tmp_path / name, delimiter, encoding)
    given = "utf-8" if encoding.startswith("utf-8") else encoding
    frame, how = read_columns(file, ["who", "y", "p"], encoding=given)
    assert how == said
    assert list(frame[["y", "p", "who"]].itertuples(index=False, name=None)) == ROWS


def test_typed_files_give_the_same_strings(tmp_path):
    typed = pd.DataFrame({"y": [1.0, None], "p": [0.5, 0.25], "who": [True, None]})
    typed.to_parquet(tmp_path / "a.parquet")
    lines = [{"y": 1, "p": 0.5, "who": True}, {"y": None, "p": 0.25}]
    (tmp_path / "a.jsonl").write_text("\n\n".join(map(json.dumps, lines)))
    for name in ("a.parquet", "a.jsonl"):
        frame, _ = read_columns(tmp_path / name, ["y", "p", "who"])
        assert frame["y"].tolist() == ["1", ""]
        assert frame["p"].tolist() == ["0.5", "0.25"]
        assert frame["who"].str.casefold().tolist() == ["true", ""]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b"y,p,who\n", "no rows"),
        ("a.csv", b"y,p\n1,2\n", "column 'who' is missing; its columns when split by comma are y, p"),
        ("a.csv", b"y,p,y,who\n1,2,3,4\n", "2 columns are called 'y'"),
        ("a.csv", b"y,p,who\n1,2,3\n1,2,3,4\n", "cannot be split into columns by ','"),
        ("a.csv", b"y,p,who\n1,2,3\n1,2\n", "cannot be split into columns by ','"),
        ("a.csv", b"y,p,who\n1,2,\xe9\n", "is not utf-8: convert it to UTF-8, or say its encoding (e.g. --encoding latin-1)"),
        ("a.csv", "y,p,who\n1,2,3\n".encode("utf-16"), "--encoding utf-16"),
        ("a.csv.gz", b"y,p,who\n1,2,3\n", "a.csv.gz"),
        ("a.xlsx", b"PK", "save it as .csv"),
        ("a.parquet", b"PAR1", "cannot be read as Parquet"),
        ("a.jsonl", b"", "is empty"),
        ("a.jsonl", b'{"y": 1}\n{"y": \n', "line 2 is not JSON"),
        ("a.jsonl", b"[1, 2]\n", "line 1 is no JSON object"),
        ("a.jsonl", b'{"y": 1, "p": 2}\n', "column 'who' is missing"),
    ],
)
def test_what_cannot_be_read_says_why(tmp_path, name, content, sentence):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInput) as refusal:
        read_columns(tmp_path / name, ["y", "p", "who"])
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_missing_file_and_an_unknown_encoding(tmp_path):
    with pytest.raises(BadInput, match="is missing"):
        read_columns(tmp_path / "none.csv", ["y"])
    with pytest.raises(BadInput, match="no such encoding"):
        read_columns(write(tmp_path / "a.csv"), ["y"], encoding="utf8000")


def known(*cells, unknown=("", "n/a")):
    return outcomes.known(pd.Series(cells, name="x"), unknown)


def test_blanks_and_codes_of_unknown():
    assert known(" a  b ", "", "N/A", "n/a ", "NA").tolist() == ["a b", None, None, None, "NA"]


def test_one_zero_true_false_need_no_question():
    found = outcomes.two_valued(known("1", "0", "True", "FALSE", "1.0", ""))
    np.testing.assert_array_equal(found, [1, 0, 1, 0, 1, np.nan])


@pytest.mark.parametrize("cells", [("yes", "no"), ("1", "2"), ("1", "-1"), ("yes", "1"), ("a", "b", "c")])
def test_any_other_pair_is_asked_for(cells):
    """T12: {1, 2} has no plain favourable value, nor has yes / no."""
    with pytest.raises(BadInput, match=r"which is favourable\? Say for instance --favourable"):
        outcomes.two_valued(known(*cells))


def test_the_favourable_value_once_said():
    np.testing.assert_array_equal(outcomes.two_valued(known("Yes", "no", "", "YES"), ["yes"]), [1, 0, np.nan, 1])
    np.testing.assert_array_equal(outcomes.two_valued(known("2.0", "1"), ["2"]), [1, 0])
    np.testing.assert_array_equal(outcomes.two_valued(known("no", "no"), ["yes"], others=["yes", "no"]), [0, 0])
    with pytest.raises(BadInput, match="and not yes; list all that is favourable"):
        outcomes.two_valued(known("0", "1"), ["yes"], others=["yes", "no"])


@pytest.mark.parametrize("cell", ["0,73", "high", "inf", "nan"])
def test_scores_that_are_no_finite_numbers(cell):
    with pytest.raises(BadInput, match="is not a number in 1 of 2 rows"):
        outcomes.scores(known("0.5", cell))


def test_spellings_are_merged_and_the_largest_category_is_the_reference():
    found = attribute(known("Female", "female", "female ", "male", "", "FEMALE"))
    assert found.values.fillna("unknown").tolist() == ["female", "female", "female", "male", "unknown", "female"]
    assert found.rule == {"privileged": ("female",)}
    assert "x: 'female', 'FEMALE', 'Female' are read as one category, 'female'." in found.notes
    assert "x: reference group: female (4 of 5 known), as the largest category; name another with --privileged." in found.notes


@pytest.mark.parametrize(
    ("reference", "rule"),
    [
        ("..55", {"privileged_at_most": 55.0}),
        ("40..", {"privileged_at_least": 40.0}),
        ("30,40", {"privileged": ("30", "40")}),
        ("", {"privileged": ("40",)}),
    ],
)
def test_numbers_by_bound_or_as_categories(reference, rule):
    assert attribute(known("30", "40", "40.0", "60"), [reference] if reference else []).rule == rule


def test_a_category_may_hold_commas():
    incomes = known("less than 2,580,000", "2,580,000 or more", "4,000,000 or more")
    assert attribute(incomes, ["Less than 2,580,000"]).rule == {"privileged": ("less than 2,580,000",)}
    both = ["2,580,000 or more", "4,000,000 or more"]
    assert attribute(incomes, both).rule == {"privileged": tuple(both)}


def test_many_numbers_are_halved_at_the_median_and_never_all_on_one_side():
    found = attribute(known(*map(str, range(101))))
    assert found.rule == {"privileged_at_most": 50.0}
    assert "up to the median, 50 (51 of 101 known)" in found.notes[0]
    skewed = attribute(known(*map(str, range(12)), *["99"] * 50))
    assert skewed.rule == {"privileged_at_most": 11.0}


@pytest.mark.parametrize(
    ("reference", "cells", "sentence"),
    [
        ("man", ["male", "female"], "no row has the category 'man'; there are male, female"),
        ("male,mail", ["male", "female"], "no row has the category 'mail'"),
        ("18..55", ["20", "60"], "give one bound"),
        ("..", ["20", "60"], "give one bound"),
        ("..55", ["20", "old"], "is not a number in 1 of 2 rows, first 'old'"),
        ("3", list(map(str, range(60))), "60 different numbers, too many for categories; give a bound"),
        ("x", ["", "n/a"], "is unknown in all 2 rows"),
    ],
)
def test_references_that_cannot_be_meant(reference, cells, sentence):
    with pytest.raises(BadInput) as refusal:
        attribute(known(*cells), [reference])
    assert sentence in str(refusal.value)


def test_thousands_of_categories_are_left_out_unless_the_reference_is_named():
    towns = [f"town {number}" for number in range(3_000)]
    found = attribute(known(*towns))
    assert isinstance(found, str)
    assert found.startswith("x: left out, as its 3,000 categories are too fine for groups")
    assert attribute(known(*towns), ["town 7"]).rule == {"privileged": ("town 7",)}
    ages = attribute(known(*map(str, range(60)), "60 or so"))
    assert isinstance(ages, str)
    assert "1 cells are no numbers, first '60 or so'" in ages


def test_names_of_attributes():
    reserved = {"text", "label"}
    assert plain_names(["Age group", "text", "1st", "género", "性别", "a_value"], reserved) == {
        "Age group": "age_group", "text": "text_", "1st": "a_1st", "género": "genero", "性别": "attribute_5", "a_value": "a_value_",
    }  # fmt: skip
    for twice in (["Age", "age"], ["age", "age"]):
        with pytest.raises(BadInput, match="would both be called 'age'"):
            plain_names(twice, reserved)
