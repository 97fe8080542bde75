"""The figure of groups: every group, its interval and pooled estimate drawn, names whole or cut but never over one another."""

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from stages.reporting import forest
from stages.reporting.groups import Group, Measured
from stages.reporting.results import Score

EVERYONE = {"selection_rate": 0.75, "tpr": 0.8}


def score(value, low=None, high=None, verdict=None):
    return Score(value, low, high, 40, None, None, None, None if value is not None else "nobody to count", verdict=verdict)


def drawn(of_groups, everyone=None):
    svg = forest.draw(of_groups["t", "a"], everyone or EVERYONE)
    return svg, ElementTree.fromstring(svg)  # noqa: S314 - our own


def marks(tree, kind):
    return [mark for group in tree.iter() if f"mark-{kind} role-mark" in group.get("class", "") for mark in group]


def texts(tree):
    """What is written, with where it is on the page."""
    found = {}
    for group in (group for group in tree.iter() if "mark-text role-mark" in group.get("class", "")):
        for text in group:
            x, y = (float(part) for part in text.get("transform").removeprefix("translate(").split(")")[0].split(","))
            found["".join(text.itertext())] = (x, y)
    return found


def test_every_rate_and_its_pooled_estimate_are_drawn_with_their_intervals(of_groups):
    _, tree = drawn(of_groups)
    assert len(marks(tree, "symbol")) == 7 * 2 * 2
    colours = [mark.get("fill") for mark in marks(tree, "symbol")]
    assert colours.count(forest.STYLES[forest.STANDS_OUT][0].lower()) + colours.count(forest.STYLES[forest.STANDS_OUT][0]) == 2


def test_the_same_groups_give_the_same_bytes_and_fetch_nothing(of_groups):
    svg, _ = drawn(of_groups)
    assert svg == drawn(of_groups)[0]
    assert svg.count("http") == svg.count('xmlns="http://www.w3.org/2000/svg"') == 1
    assert "NaN" not in svg


def test_a_rate_that_is_not_there_is_called_undefined(of_groups):
    shown = of_groups["t", "a"].shown
    shown[Group("gender", "man")]["tpr"] = Measured(score(None), 0, None, None)
    _, tree = drawn(of_groups)
    assert "undefined" in texts(tree)
    assert len(marks(tree, "symbol")) == 7 * 2 * 2 - 2


def test_the_largest_are_drawn_in_the_tables_order(of_groups, monkeypatch):
    monkeypatch.setattr(forest, "MOST", 2)
    shown = of_groups["t", "a"].shown
    for name, number in ((Group("race", "white"), 90), (Group("gender", "woman"), 80)):
        base = shown[name]["base_rate"]
        shown[name]["base_rate"] = base._replace(own=base.own._replace(n=number))
    assert [group.name for group in forest.largest(of_groups["t", "a"])] == ["woman", "white"]


NAMES = ["a" * 400, "Native Hawaiian or other Pacific Islander, " * 6, "大" * 120, "<script>alert('x')</script>\"&"]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_any_length_stay_in_their_row_and_column_and_are_escaped(of_groups, name):
    shown = of_groups["t", "a"].shown
    renamed = {Group(group.attributes, name if group.name == "man" else group.name): measured for group, measured in shown.items()}
    shown.clear()
    shown.update(renamed)
    svg, tree = drawn(of_groups)
    assert "<script" not in svg
    heights = sorted(y for text, (x, y) in texts(tree).items() if x <= forest.SIZES and "(20)" not in text)
    assert min(b - a for a, b in pairwise(heights)) >= forest.LINE - 1
    for lines in (text for group in tree.iter() if "mark-text" in group.get("class", "") for text in group):
        assert all(len(part) <= forest.CHARACTERS for part in lines.itertext())


def test_an_axis_holds_everything_in_tenths():
    mark = forest.Mark("tpr", forest.MEASURED, 0, 0.55, 0.42, 0.61)
    assert forest._axis([mark], 0.5) == (0.4, 0.7)
    assert forest._axis([mark], 0.93) == (0.4, 1.0)
    assert forest._axis([mark._replace(value=1.0, low=None, high=None)], 1.0) == (0.9, 1.0)
    assert forest._axis([mark._replace(value=0.0, low=None, high=None)], None) == (0.0, 0.1)
