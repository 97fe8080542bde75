"""Selection rate and TPR of the largest groups as a figure: measured, pooled, and everyone's -> SVG that needs no script or font."""

import math
import textwrap
from typing import Any, NamedTuple

from stages.reporting.assessment_text import visible
from stages.reporting.figures import STYLE, tidy
from stages.reporting.groups import DISPARITY, DRAWN, AsTheyAre, Group, Measured

MOST = 40
WIDTH, NAMES, SIZES = 1060, 270, 405  # pixels: all, where names end, where sizes end
PANELS = {DRAWN[0]: (420, 720), DRAWN[1]: (760, 1060)}
TITLES = {DRAWN[0]: "Selection rate", DRAWN[1]: "TPR"}
HEAD, LINE, AIR = 44, 13, 9  # pixels: above the first row, of a line of a name, between rows
CHARACTERS, SHORT = 47, 24  # of a line of a name, which is cut where it is too wide for its column; to measure short ones takes time
MEASURED, STANDS_OUT, POOLED = "measured", "measured, stands out", "pooled estimate"
STYLES = {MEASURED: ("#333333", "circle"), STANDS_OUT: ("#D55E00", "square"), POOLED: ("#6699CC", "diamond")}


class Mark(NamedTuple):
    """A rate and its interval, if any, at a height in pixels."""

    metric: str
    kind: str
    height: float
    value: float
    low: float | None
    high: float | None


def largest(groups: AsTheyAre) -> list[Group]:
    """The largest groups of single attributes and pairs, in the table's order."""
    chosen = set(sorted(groups.shown, key=lambda group: -groups.size(group).texts)[:MOST])
    return [group for group in groups.shown if group in chosen]


def draw(groups: AsTheyAre, everyone: dict[str, float | None]) -> str:
    """The ``largest`` groups as SVG, sets one below the other; ``everyone`` has the two rates of all texts."""
    import altair as alt
    import vl_convert

    rows = largest(groups)
    texts, marks, height = _places(groups, rows)
    axes = {metric: _axis([mark for mark in marks if mark.metric == metric], everyone.get(metric)) for metric in PANELS}
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, WIDTH], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[height, 0], nice=False))
    layers = [*_backdrop(x, y, axes, everyone, height), *_marks(x, y, marks, axes), *_words(x, y, texts)]
    chart = alt.layer(*layers).properties(width=WIDTH, height=height).configure(**STYLE).configure_view(stroke=None)
    # Not by way of save, whose check against the schema takes as long as the drawing.
    return tidy(vl_convert.vegalite_to_svg(chart.to_dict(validate=False)))


def _places(groups: AsTheyAre, rows: list[Group]) -> tuple[list[dict[str, Any]], list[Mark], int]:
    """What is written where, the marks, and the height of it all: a heading a set, then its groups."""
    texts: list[dict[str, Any]] = []
    marks: list[Mark] = []
    top = HEAD
    for index, group in enumerate(rows):
        if index == 0 or rows[index - 1].attributes != group.attributes:
            texts.append({"kind": "heading", "x": 0, "y": top + LINE, "text": group.attributes.replace("+", " + ")})
            top += LINE + AIR
        lines = textwrap.wrap(visible(group.name), CHARACTERS, max_lines=2, placeholder=" …") or [group.name]
        tall = LINE * max(len(lines), 1) + AIR
        size = groups.size(group)
        kind = "name" if max(map(len, lines)) <= SHORT else "long name"
        texts.append({"kind": kind, "x": NAMES, "y": top + tall / 2 - LINE * (len(lines) - 1) / 2, "text": "\n".join(lines)})
        texts.append({"kind": "size", "x": SIZES, "y": top + tall / 2, "text": f"{size.texts:,} ({size.people:,})"})
        for metric in PANELS:
            found = _marks_of(metric, groups.shown[group][metric], top + tall / 2)
            marks += found
            if not found:
                texts.append({"kind": "undefined", "x": PANELS[metric][0] + 6, "y": top + tall / 2, "text": "undefined"})
        top += tall
    return texts, marks, top + AIR


def _marks_of(metric: str, measured: Measured, height: float) -> list[Mark]:
    own, pooled = measured.own, measured.pooled
    found = []
    if pooled is not None and pooled.value is not None:
        found.append(Mark(metric, POOLED, height + 5, pooled.value, pooled.ci_low, pooled.ci_high))
    if own.value is not None:
        kind = STANDS_OUT if own.verdict == DISPARITY else MEASURED
        found.append(Mark(metric, kind, height - 3, own.value, own.ci_low, own.ci_high))
    return found


def _axis(marks: list[Mark], everyone: float | None) -> tuple[float, float]:
    """From and to, in tenths, so that everything is inside."""
    ends = [end for mark in marks for end in (mark.value, mark.low, mark.high) if end is not None]
    ends += [everyone] if everyone is not None else []
    low, high = math.floor(10 * min(ends, default=0.0)) / 10, math.ceil(10 * max(ends, default=1.0)) / 10
    return (low, high) if high > low else (max(low - 0.1, 0.0), min(low + 0.1, 1.0))


def _pixel(metric: str, axes: dict[str, tuple[float, float]], value: float) -> float:
    (left, right), (low, high) = PANELS[metric], axes[metric]
    return round(left + (right - left) * (value - low) / (high - low), 2)


def _backdrop(x: Any, y: Any, axes: dict[str, tuple[float, float]], everyone: dict[str, float | None], height: int) -> list[Any]:
    """Each panel's title, grid and everyone's rate."""
    grid, ticks, lines = [], [], []
    heads = [{"kind": "size", "x": SIZES, "y": 34, "text": "texts (people)"}]
    for metric, (low, high) in axes.items():
        step = 1 if high - low <= 0.5 else 2
        for tenth in range(-(-round(low * 10) // step) * step, round(high * 10) + 1, step):
            grid.append({"x": _pixel(metric, axes, tenth / 10), "y": HEAD, "y2": height})
            ticks.append({"kind": "tick", "x": grid[-1]["x"], "y": 34, "text": f"{tenth / 10:g}"})
        rate = everyone.get(metric)
        if rate is not None:
            lines.append({"x": _pixel(metric, axes, rate), "y": HEAD, "y2": height})
        known = "" if rate is None else f" (line: everyone, {rate:.2f})"
        heads.append({"kind": "heading", "x": PANELS[metric][0], "y": 12, "text": TITLES[metric] + known})
    return [
        *(_rules(x, y, rows, color=colour, width=width) for rows, colour, width in ((grid, "#ececec", 1), (lines, "#333333", 1.2))),
        *_words(x, y, heads + ticks),
    ]


def _rules(x: Any, y: Any, rows: list[dict[str, Any]], color: str, width: float) -> Any:
    import altair as alt

    return alt.Chart(alt.Data(values=rows)).mark_rule(color=color, strokeWidth=width).encode(x, y, y2=alt.Y2("y2:Q"))


def _marks(x: Any, y: Any, marks: list[Mark], axes: dict[str, tuple[float, float]]) -> list[Any]:
    import altair as alt

    rows = []
    for mark in marks:
        row = {"x": _pixel(mark.metric, axes, mark.value), "y": mark.height, "kind": mark.kind}
        if mark.low is not None and mark.high is not None:
            row |= {"low": _pixel(mark.metric, axes, mark.low), "high": _pixel(mark.metric, axes, mark.high)}
        rows.append(row)
    found = [kind for kind in STYLES if any(row["kind"] == kind for row in rows)]
    legend = alt.Legend(title=None, orient="top", columns=3, columnPadding=28, labelFontSize=13, symbolSize=80, labelLimit=300)
    colour = alt.Color("kind:N", scale=alt.Scale(domain=found, range=[STYLES[kind][0] for kind in found]), legend=legend)
    shape = alt.Shape("kind:N", scale=alt.Scale(domain=found, range=[STYLES[kind][1] for kind in found]), legend=legend)
    low = x.copy()
    low.shorthand = "low:Q"
    known = alt.Chart(alt.Data(values=[row for row in rows if "low" in row]))
    return [
        known.mark_rule(strokeWidth=1.4).encode(low, y, colour, x2=alt.X2("high:Q")),
        alt.Chart(alt.Data(values=rows)).mark_point(filled=True, opacity=1).encode(x, y, colour, shape, size=alt.value(34)),
    ]


def _words(x: Any, y: Any, texts: list[dict[str, Any]]) -> list[Any]:
    """No text runs into another: what may be too long is cut where its column ends."""
    import altair as alt

    looks: dict[str, dict[str, Any]] = {
        "heading": {"align": "left", "fontWeight": "bold", "fontSize": 12, "limit": 300, "baseline": "bottom"},
        "name": {"align": "right", "fontSize": 11},
        "long name": {"align": "right", "fontSize": 11, "limit": NAMES, "lineBreak": "\n", "lineHeight": LINE},
        "size": {"align": "right", "fontSize": 11},
        "tick": {"align": "center", "fontSize": 11},
        "undefined": {"align": "left", "fontSize": 11, "fontStyle": "italic"},
    }
    layers = []
    for kind, look in looks.items():
        rows = [text for text in texts if text["kind"] == kind]
        if rows:
            style = {"baseline": "middle", "color": "#333"} | look
            layers.append(alt.Chart(alt.Data(values=rows)).mark_text(**style).encode(x, y, text="text:N"))
    return layers
