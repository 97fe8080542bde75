"""Published DI of the paper's runs as a figure: every number in its place by size, its interval, and what chance would show."""

import io
from typing import Any, NamedTuple

from stages.contract.vocabulary import COLLAPSED
from stages.reporting.figures import FOUR_FIFTHS, STYLE, tidy

AXIS = (0.1, 10.0)
WIDTH = 1030
GAP = 18  # in numbers, between orders
STYLES = {
    "empty group": ("#D55E00", "triangle-up"),
    COLLAPSED: ("#000000", "cross"),
    "smoothing": ("#AA4499", "square"),
    "disparity": ("#0072B2", "circle"),
    "no evidence of disparity": ("#8a8a8a", "circle"),
    "cannot tell": ("#806000", "diamond"),
}


class Number(NamedTuple):
    """A published DI with what it is worth in words; its interval and the range that chance makes likely may be absent."""

    order: int
    finding: str
    published: float
    low: float | None
    high: float | None
    null_low: float | None
    null_high: float | None


def draw(numbers: list[Number]) -> str:
    """``numbers`` as SVG, for each number of demographics from the smallest to the largest; beyond the axis at its edge."""
    import altair as alt

    rows, heads, width = _places(numbers)
    found = [finding for finding in STYLES if any(row["finding"] == finding for row in rows)]
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, width], nice=False))
    scale = alt.Scale(type="log", domain=list(AXIS), nice=False)
    axis = alt.Axis(format="~g", values=[0.1, 0.2, 0.3, 0.5, 0.8, 1, 1.25, 2, 3, 5, 10])
    y = alt.Y("y:Q", title="published DI (log scale)", scale=scale, axis=axis)
    layers = [*_backdrop(x, y, heads, width), *_marks(x, y, rows, found)]
    chart = alt.layer(*layers).properties(width=WIDTH, height=340).configure(**STYLE).configure_view(stroke=None)
    chart = chart.configure_axis(labelFontSize=12, titleFontSize=12, gridColor="#ececec", labelColor="#333", titleColor="#333")
    drawing = io.StringIO()
    chart.save(drawing, format="svg")
    return tidy(drawing.getvalue())


def _places(numbers: list[Number]) -> tuple[list[dict[str, Any]], list[dict[str, Any]], int]:
    """A row a number with its place from the left, a heading an order, and the width."""
    rows: list[dict[str, Any]] = []
    heads: list[dict[str, Any]] = []
    place = GAP // 2
    for order in sorted({number.order for number in numbers}):
        own = sorted((number for number in numbers if number.order == order), key=lambda number: number.published)
        heads.append({"x": place + len(own) / 2, "text": str(order), "edge": place + len(own) + GAP / 2})
        for number in own:
            ends = {name: getattr(number, name) for name in ("low", "high", "null_low", "null_high")}
            row = {"x": place, "finding": number.finding, "y": _inside(number.published)}
            rows.append(row | {name: _inside(end) for name, end in ends.items() if end is not None})
            place += 1
        place += GAP
    return rows, heads, place - GAP // 2


def _inside(value: float) -> float:
    return round(min(max(value, AXIS[0]), AXIS[1]), 4)


def _marks(x: Any, y: Any, rows: list[dict[str, Any]], found: list[str]) -> list[Any]:
    import altair as alt

    legend = alt.Legend(title=None, orient="top", offset=26, columns=3, columnPadding=28, labelFontSize=13, symbolSize=80, labelLimit=250)
    colour = alt.Color("finding:N", scale=alt.Scale(domain=found, range=[STYLES[name][0] for name in found]), legend=legend)
    shape = alt.Shape("finding:N", scale=alt.Scale(domain=found, range=[STYLES[name][1] for name in found]), legend=legend)
    chance = alt.Chart(alt.Data(values=[row for row in rows if "null_low" in row]))
    known = alt.Chart(alt.Data(values=[row for row in rows if "low" in row]))
    low, null_low = y.copy(), y.copy()
    low.shorthand, null_low.shorthand = "low:Q", "null_low:Q"
    return [
        chance.mark_rule(strokeWidth=1.6, color="#c9c9c9", opacity=0.8).encode(x, null_low, alt.Y2("null_high:Q")),
        known.mark_rule(strokeWidth=0.7, opacity=0.7).encode(x, low, alt.Y2("high:Q"), colour),
        alt.Chart(alt.Data(values=rows)).mark_point(filled=True, opacity=1).encode(x, y, colour, shape, size=alt.value(14)),
    ]


def _backdrop(x: Any, y: Any, heads: list[dict[str, Any]], width: int) -> list[Any]:
    import altair as alt

    def chart(rows: list[dict[str, Any]]) -> Any:
        return alt.Chart(alt.Data(values=rows))

    band = chart([{"x": 0, "x2": width, "y": FOUR_FIFTHS[0], "y2": FOUR_FIFTHS[1]}])
    words = [head | {"text": f"{head['text']} demographic{'s' if head['text'] != '1' else ''}"} for head in heads]
    return [
        band.mark_rect(color="#f1ead6", opacity=0.8).encode(x, y, alt.X2("x2:Q"), alt.Y2("y2:Q")),
        chart([{"x": 0, "x2": width, "y": 1.0}]).mark_rule(color="#333", strokeWidth=1).encode(x, y, alt.X2("x2:Q")),
        chart([{"x": head["edge"]} for head in heads[:-1]]).mark_rule(color="#bbb", strokeDash=[3, 3]).encode(x),
        chart(words).mark_text(color="#333", fontSize=12, fontWeight="bold", baseline="bottom").encode(x, y=alt.value(-6), text="text:N"),
    ]
