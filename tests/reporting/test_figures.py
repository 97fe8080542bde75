"""Figures: well-formed, the same every time, every mark drawn, names escaped, readable without colour."""

from itertools import combinations
from xml.etree import ElementTree

import pytest

from stages.reporting import figures
from stages.reporting.figures import Point

SETS = {"gender": 1, "race": 1, "gender+race": 2}


def points(models=("a", "b")):
    return [Point(name, order, model, 0.8, 0.5, 1.3) for model in models for name, order in SETS.items()]


def drawn(metric="adi", shown=None, models=("a", "b"), sets=None):
    shown = points(models) if shown is None else shown
    return figures.gaps(metric, shown, sets or SETS, list(models), figures.axis_of(metric, shown))


def marks(svg, kind):
    return [group for group in ElementTree.fromstring(svg).iter() if f"mark-{kind} role-mark" in group.get("class", "")]  # noqa: S314 - our own


@pytest.mark.parametrize("metric", ["adi", "fv"])
def test_every_point_and_interval_is_drawn(metric):
    svg = drawn(metric)
    assert sum(len(group) for group in marks(svg, "symbol")) == 6
    assert max(len(group) for group in marks(svg, "rule")) == 6


def test_the_same_points_give_the_same_bytes():
    assert drawn() == drawn()


def test_a_zero_and_a_point_without_interval_are_drawn_at_the_edge_and_hollow():
    svg = drawn(shown=[Point("gender", 1, "a", 0.0, 0.0, 0.4), Point("race", 1, "b", 40.0, None, None)])
    symbols = [path for group in marks(svg, "symbol") for path in group]
    assert len(symbols) == 2
    assert sum(path.get("fill") in (None, "none", "transparent") for path in symbols) == 1
    assert "NaN" not in svg
    assert "Infinity" not in svg


def test_names_are_escaped():
    hostile = "<script>alert('x')</script>\"&"
    svg = drawn(models=(hostile, "b"), sets={f"{hostile}+race": 2}, shown=[Point(f"{hostile}+race", 2, hostile, 0.8, 0.5, 1.3)])
    assert "<script" not in svg
    assert "&lt;script&gt;" in svg
    ElementTree.fromstring(svg)  # noqa: S314 - our own


def test_nothing_is_fetched():
    assert drawn().count("http") == drawn().count('xmlns="http://www.w3.org/2000/svg"') == 1


def test_the_axis_holds_every_interval_up_to_a_tenth_and_ten():
    wide = [Point("gender", 1, "a", 1.0, 0.001, 400.0)]
    assert figures.axis_of("adi", wide) == (0.1, 10.0)
    low, high = figures.axis_of("adi", points())
    assert low < 0.5
    assert high > 2
    assert figures.axis_of("fv", []) == (0.0, 0.2)


def test_fifty_models_have_marks_of_their_own():
    models = [str(number) for number in range(50)]
    assert len(set(zip(figures._cycle(figures.COLOURS, models), figures._cycle(figures.SHAPES, models), strict=True))) == 50


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_marks_stand_out_from_white_and_neighbours_of_one_shape_differ_in_grey():
    assert min(1.05 / (luminance(colour) + 0.05) for colour in figures.COLOURS) >= 3
    for (colour, shape), (other, same) in combinations(zip(figures.COLOURS, figures.SHAPES, strict=False), 2):
        assert shape != same or abs(luminance(colour) - luminance(other)) > 0.1
