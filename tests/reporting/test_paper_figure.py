"""The paper's figure: a mark a line, hollow without an interval, bars for range, interval and chance, names escaped, one axis."""

from xml.etree import ElementTree

from stages.reporting import paper_figure
from stages.reporting.by_order import Arm, Line


def line(task="t", model="a", order=1, mean=0.9, ends=(0.7, 1.1), span=(0.6, 1.2), null=(0.8, 1.2)):
    names = dict.fromkeys(Line._fields)
    names |= {"task": task, "model": model, "demographics": order, "mean": mean, "mean_low": ends[0], "mean_high": ends[1]}
    return Line(**names | {"lowest": span[0], "highest": span[1], "null_low": null[0], "null_high": null[1]})


LINES = [line(task, model, order) for task in ("t", "u") for model in "ab" for order in (1, 2)]
MARKS = {"a": "none", "b": "leace"}


def drawn(lines=LINES, marks=MARKS, tasks=("t", "u")):
    return paper_figure.draw(lines, marks, list(tasks), paper_figure.axis(lines))


def paths(svg, kind):
    root = ElementTree.fromstring(svg)  # noqa: S314 - our own
    return [path for group in root.iter() if f"mark-{kind} role-mark" in group.get("class", "") for path in group]


def test_every_line_has_a_mark_a_range_an_interval_and_what_chance_shows():
    svg = drawn()
    assert len(paths(svg, "symbol")) == 8
    # Three bars a line, and in each of two panels the line at parity and the paper's two.
    assert len(paths(svg, "rule")) == 3 * 8 + 2 * 3
    assert svg == drawn()
    assert svg.count("http") == svg.count('xmlns="http://www.w3.org/2000/svg"') == 1


def test_a_mean_without_interval_is_hollow_and_what_is_undefined_is_not_drawn():
    svg = drawn([line(ends=(None, None)), line(order=2, mean=None)], tasks=["t"])
    (symbol,) = paths(svg, "symbol")
    assert symbol.get("fill") in (None, "none", "transparent")
    assert "NaN" not in svg
    assert "Infinity" not in svg


def test_the_axis_holds_everything_up_to_a_tenth_and_ten():
    assert paper_figure.axis([line(span=(0.001, 40.0))]) == (0.1, 10.0)
    low, high = paper_figure.axis([line(span=(0.3, 3.0))])
    assert low < 0.3
    assert high > 3


def test_colours_are_treatments_and_names_where_treatments_are_alike():
    arms = [Arm("a", "a", "none", "none"), Arm("b", "a", "leace", "none"), Arm("c", "a", "leace", "none"), Arm("d", "d", "leace", "none")]
    assert paper_figure.treatments(arms) == {"a": "none", "b": "b", "c": "c", "d": "leace"}


def test_names_are_escaped():
    hostile = "<script>alert('x')</script>"
    svg = drawn([line(task=hostile)], {"a": hostile}, [hostile])
    assert "<script" not in svg
    assert "&lt;script&gt;" in svg
