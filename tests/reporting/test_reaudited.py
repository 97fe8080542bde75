"""The section on the paper: every number told once, counts beside every claim, sentences that follow the data, text escaped."""

import re
from xml.etree import ElementTree

import jinja2
import pytest

from stages import reaudit
from stages.contract import tables
from stages.contract.findings import Findings, KnownProblems
from stages.reporting import caterpillar, reaudited
from stages.reporting.caterpillar import Number
from tests.conftest import ROOT

PARAMS = reaudit.Params(counts=str(ROOT / "data" / "raw" / "naacl2022"), draws=200)


@pytest.fixture(scope="module")
def results() -> list:
    return [tables.check(t, hint.__metadata__[0], "x") for t, hint in zip(reaudit.run(PARAMS), (Findings, KnownProblems), strict=True)]


@pytest.fixture(scope="module")
def parts(results) -> dict:
    return reaudited.parts(*results, PARAMS)


def test_without_findings_there_is_no_section():
    assert reaudited.parts(*reaudit.run(reaudit.Params(included=False)), PARAMS) is None


def test_every_published_number_is_in_one_table_with_its_counts(results, parts):
    rows = [row for table in parts["claims"] for row in table.rows]
    assert len(rows) == len({(row[0], row[1]) for row in rows}) == results[0].num_rows
    assert all(len(row) == len(table.columns) for table in parts["claims"] for row in table.rows)
    numeracy = next(row for row in rows if row[:2] == ["Numeracy, BERT", "gender + race + age + education + income"])
    assert numeracy[2:7] == ["28 of 129", "363 of 510", "0.31", "3.23", "0.300"]
    assert numeracy[-1] == "repeated respondents, DI and ADI opposed"
    empty = next(table for table in parts["claims"] if table.caption.startswith("empty group: 16 published numbers"))
    assert {row[2] for row in empty.rows} == {"0 of 0"}
    assert {row[7] for row in empty.rows} == {"undefined: no text in the protected group"}


def test_the_summary_adds_up(results, parts):
    rows = [[int(cell.replace(",", "")) for cell in row[2:]] for row in parts["summary"].rows]
    *findings, total = rows
    assert [sum(column) for column in zip(*findings, strict=True)] == total
    assert total[-2] + total[-1] == results[0].num_rows
    assert all(sum(row[:-2]) == row[-2] for row in rows)


def test_the_table_by_order_widens_from_left_to_right(parts):
    rows = parts["orders"].rows
    assert [row[0] for row in rows] == ["1", "2", "3", "4", "5"]
    people, widths, beyond = ([float(row[at].replace(",", "").removesuffix(" %")) for row in rows] for at in (2, 3, 4))
    assert people == sorted(people, reverse=True)
    assert widths == sorted(widths)
    assert beyond == sorted(beyond, reverse=True)


def test_the_sentences_count_what_the_tables_hold(results, parts):
    said, frame = parts["said"], results[0].to_pandas()
    assert (said["released"], said["counted"], said["printed"], said["runs"]) == ("1,228", "1,108", "764", "104")
    assert said["selection_gaps"] == "1,108"
    assert int(said["no_measurement"]) + int(said["far_disparity"]) + int(said["far_no_evidence"]) == int(said["far"])
    assert int(said["q_value"]) == (frame["finding"] == "disparity").sum()
    assert int(said["q_people"]) < int(said["q_value"])
    assert re.search(
        r"Numeracy, .*: \d+ of 129 of the protected and \d+ of 510 of the privileged people are selected, DI 0\.\d\d", said["example"]
    )


def section(parts: dict) -> str:
    """The included template within a page of nothing but its macros."""
    loader = jinja2.FileSystemLoader(ROOT / "stages" / "reporting")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, loader=loader)
    macros = environment.loader.get_source(environment, "page.html.jinja")[0].split("<!DOCTYPE")[0]
    return environment.from_string(macros + '{% include "reaudited.html.jinja" %}').render(reaudit=parts)


def test_the_section_is_well_formed_and_names_have_no_markup(results, parts):
    text = section(parts)
    assert text.count("<details>") == len(parts["claims"]) + 1
    assert text.count("<svg") == 1
    frame = results[0].to_pandas()
    frame["task"] = "<script>alert(1)</script>"
    hostile = section(reaudited.parts(tables.from_pandas(frame), results[1], PARAMS))
    assert "<script" not in hostile
    assert "&lt;script&gt;" in hostile


NUMBERS = [
    Number(1, "disparity", 0.6, 0.5, 0.7, 0.9, 1.1),
    Number(1, "empty group", 2.4, None, None, 0.5, 2.0),
    Number(2, "collapsed model", 40.0, None, None, 40.0, 40.0),
    Number(2, "no evidence of disparity", 0.01, 0.001, 1.2, 0.7, 1.4),
]


def test_every_number_is_drawn_even_beyond_the_axis_and_the_same_every_time():
    svg = caterpillar.draw(NUMBERS)
    marks = [group for group in ElementTree.fromstring(svg).iter() if "mark-symbol role-mark" in group.get("class", "")]  # noqa: S314 - our own
    assert sum(len(group) for group in marks) == len(NUMBERS)
    assert svg == caterpillar.draw(NUMBERS)
    assert svg.count("http") == svg.count('xmlns="http://www.w3.org/2000/svg"') == 1
    assert "NaN" not in svg


def test_findings_differ_in_colour_or_shape():
    assert set(caterpillar.STYLES) | {"counts not recovered"} == set(reaudited.MEANT)
    assert len(set(caterpillar.STYLES.values())) == len(caterpillar.STYLES)
