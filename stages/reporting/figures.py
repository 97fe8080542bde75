"""Gaps of every attribute set as one figure a task: numbers -> SVG that needs no script, font or network."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

# Legible on white, different in grey with the shapes; a ninth model takes the first colour with another shape.
COLOURS = ("#0072B2", "#D55E00", "#000000", "#00805E", "#AA4499", "#806000", "#5E5E5E", "#882255")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
FOUR_FIFTHS = (0.8, 1.25)
BETWEEN_ORDERS = 0.25  # in widths of a set
TICKS = (0.1, 0.2, 0.3, 0.5, 0.8, 1, 1.25, 1.6, 2, 3, 5, 10)
STYLE = {"aria": False, "font": "system-ui, sans-serif", "background": "white", "padding": {"left": 5, "right": 30, "top": 5, "bottom": 5}}


class Point(NamedTuple):
    """A gap of one set and model; its interval, and the range that chance alone makes likely, may be absent."""

    attributes: str
    order: int
    model: str
    value: float
    low: float | None
    high: float | None
    null_low: float | None = None
    null_high: float | None = None


def axis_of(metric: str, points: Iterable[Point]) -> tuple[float, float]:
    """The range that a figure shows: every interval, but for ADI at least 0.5 to 2 and at most 0.1 to 10."""
    ends = [end for point in points for end in (point.value, point.low, point.high) if end is not None]
    if metric == "fv":
        return 0.0, max([0.2, *ends])
    return max(0.1, min([0.5, *ends]) * 0.95), min(10.0, max([2.0, *ends]) * 1.05)


def gaps(metric: str, points: list[Point], sets: dict[str, int], models: list[str], axis: tuple[float, float]) -> str:
    """``points`` as SVG: sets from left to right by number of demographics, one mark a model, intervals as lines.

    What lies beyond ``axis`` is drawn at its edge. A hollow mark has no interval. A grey bar is what chance alone makes likely.
    """
    import altair as alt
    import vl_convert

    places = _places(sets)
    width = max(places.values()) + 1
    slot = min(170.0, max(50.0, 930 / width))
    kind, title, ticks = ("log", "ADI (log scale)", {"values": _ticks(axis)}) if metric == "adi" else ("linear", "FV", {"tickCount": 5})
    y = alt.Y("y:Q", title=title, scale=alt.Scale(type=kind, domain=list(axis), nice=False), axis=alt.Axis(format="~g", **ticks))
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, width], nice=False))
    layers = [*_backdrop(metric, x, y, places, sets, width), *_marks(x, y, _rows(points, places, models, axis), models)]
    chart = alt.layer(*layers).properties(width=round(width * slot), height=280 if metric == "adi" else 200)
    chart = chart.configure(**STYLE).configure_view(stroke=None)
    chart = chart.configure_axis(labelFontSize=12, titleFontSize=12, gridColor="#e6e6e6", labelColor="#333", titleColor="#333")
    # Not by way of save, whose check against the schema takes as long as the drawing.
    return tidy(vl_convert.vegalite_to_svg(chart.to_dict(validate=False)))


def tidy(svg: str) -> str:
    """Coordinates to a hundredth of a pixel, in tags alone, no namespace that is not used, and no roles: the figure has one description."""
    svg = re.sub(r' (?:role|aria-roledescription)="[^"]*"(?=[^<]*>)', "", svg)
    rounded = re.sub(r"<[^>]*>", lambda tag: re.sub(r"\d+\.\d{3,}", lambda digits: f"{float(digits[0]):.2f}", tag[0]), svg)
    return rounded.replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "")


def _places(sets: dict[str, int]) -> dict[str, float]:
    """The left edge of each set, in widths of a set, with a little air between orders."""
    orders = sorted(set(sets.values()))
    return {name: place + BETWEEN_ORDERS * orders.index(sets[name]) for place, name in enumerate(sets)}


def _rows(points: list[Point], places: dict[str, float], models: list[str], axis: tuple[float, float]) -> list[dict[str, Any]]:
    def inside(value: float) -> float:
        return round(min(max(value, axis[0]), axis[1]), 5)

    rows = []
    for point in points:
        dodge = 0.1 + 0.8 * (models.index(point.model) + 0.5) / len(models)
        row = {"x": round(places[point.attributes] + dodge, 4), "y": inside(point.value), "model": point.model}
        if point.low is not None and point.high is not None:
            row |= {"low": inside(point.low), "high": inside(point.high)}
        if point.null_low is not None and point.null_high is not None:
            row |= {"null_low": inside(point.null_low), "null_high": inside(point.null_high)}
        rows.append(row)
    return rows


def _marks(x: Any, y: Any, rows: list[dict[str, Any]], models: list[str]) -> list[Any]:
    import altair as alt

    legend = alt.Legend(title=None, orient="top", offset=24, columns=4, columnPadding=28, labelFontSize=13, symbolSize=90, labelLimit=250)
    colour = alt.Color("model:N", scale=alt.Scale(domain=models, range=_cycle(COLOURS, models)), legend=legend)
    shape = alt.Shape("model:N", scale=alt.Scale(domain=models, range=_cycle(SHAPES, models)), legend=legend)
    known = alt.Chart(alt.Data(values=[row for row in rows if "low" in row]))
    bare = alt.Chart(alt.Data(values=[row for row in rows if "low" not in row]))
    chance = alt.Chart(alt.Data(values=[row for row in rows if "null_low" in row]))
    low, null_low = y.copy(), y.copy()
    low.shorthand, null_low.shorthand = "low:Q", "null_low:Q"
    return [
        chance.mark_rule(strokeWidth=7, color="#c9c9c9", opacity=0.55).encode(x, null_low, alt.Y2("null_high:Q")),
        known.mark_rule(strokeWidth=1.3).encode(x, low, alt.Y2("high:Q"), colour),
        known.mark_point(filled=True, opacity=1).encode(x, y, colour, shape, size=alt.value(42)),
        bare.mark_point(filled=False, opacity=1, strokeWidth=1.3).encode(x, y, colour, shape, size=alt.value(42)),
    ]


def _cycle(values: tuple[str, ...], models: list[str]) -> list[str]:
    return [values[index % len(values)] for index in range(len(models))]


def _ticks(axis: tuple[float, float]) -> list[float]:
    return [tick for tick in TICKS if axis[0] <= tick <= axis[1]]


def _backdrop(metric: str, x: Any, y: Any, places: dict[str, float], sets: dict[str, int], width: float) -> list[Any]:
    """The line at parity, the four-fifths band, the heading of each order and the name of each set."""
    import altair as alt

    def chart(rows: list[dict[str, Any]]) -> Any:
        return alt.Chart(alt.Data(values=rows))

    parity = 1.0 if metric == "adi" else 0.0
    line = chart([{"x": 0, "x2": width, "y": parity}]).mark_rule(color="#333", strokeWidth=1.2).encode(x, y, alt.X2("x2:Q"))
    band = chart([{"x": 0, "x2": width, "y": FOUR_FIFTHS[0], "y2": FOUR_FIFTHS[1]}] if metric == "adi" else [])
    shade = band.mark_rect(color="#f1ead6", opacity=0.8).encode(x, y, alt.X2("x2:Q"), alt.Y2("y2:Q"))
    heads, edges = [], []
    for order in sorted(set(sets.values())):
        inside = [places[name] for name in sets if sets[name] == order]
        heads.append({"x": (inside[0] + inside[-1] + 1) / 2, "text": f"{order} demographic{'s' if order > 1 else ''}"})
        edges.append({"x": inside[-1] + 1 + BETWEEN_ORDERS / 2})
    label = [{"x": width, "y": 1, "text": "four-fifths\nconvention"}] if metric == "adi" else []
    names = [{"x": place + 0.5, "text": name.replace("+", "\n")} for name, place in places.items()]
    return [
        shade,
        line,
        chart(label).mark_text(color="#6b5a1e", fontSize=11, align="left", dx=6, lineBreak="\n").encode(x, y, text="text:N"),
        chart(edges[:-1]).mark_rule(color="#bbb", strokeDash=[3, 3]).encode(x),
        chart(heads).mark_text(color="#333", fontSize=12, fontWeight="bold", baseline="bottom").encode(x, y=alt.value(-6), text="text:N"),
        chart(names)
        .mark_text(color="#333", fontSize=10.5, baseline="top", lineBreak="\n", limit=160)
        .encode(x, y=alt.value("height"), yOffset=alt.value(8), text="text:N"),
    ]
