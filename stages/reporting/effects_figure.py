"""Effects as a figure, a panel a gap (below parity's line a model is fairer) or a term -> SVG without script, font or network."""

import math
from typing import Any, NamedTuple

from stages.reporting.figures import STYLE, tidy
from stages.reporting.wording import METRICS, number

RATIOS = ("adi", "di")
NAMES, PANELS, ROW = 360, 640, 26  # pixels: of terms' names, of all panels together, of a term
PADDING = {"left": 45, "right": 30, "top": 5, "bottom": 5}  # for readers whose font is wider than the one that names are measured in
# What an effect is called in the figure, and how it looks.
STYLES = {
    "number of demographics": ("#000000", "circle"),
    "fairer": ("#0072B2", "triangle-down"),
    "less fair": ("#D55E00", "triangle-up"),
    "no evidence of a difference": ("#8a8a8a", "circle"),
    "cannot tell": ("#806000", "diamond"),
    "scores differ": ("#D55E00", "square"),
    "no evidence": ("#8a8a8a", "circle"),
}


class Effect(NamedTuple):
    """A term's effect on a gap's distance from parity, of ratios on the log scale; its interval and what chance gives may be absent."""

    outcome: str
    term: str
    words: str
    value: float
    low: float | None
    high: float | None
    null_low: float | None
    null_high: float | None


def size(outcome: str, value: float) -> str:
    """An effect as shown: of ratios the factor by which their distance from 1 is multiplied, else the difference."""
    if outcome not in RATIOS:
        return f"{value:+.3f}"
    return "infinite" if math.isinf(value) else f"x {number(math.exp(value))}"


def draw(effects: list[Effect], shared: bool = False) -> str:
    """``effects`` as SVG, terms from top to bottom in the order given; ``shared``: all panels have the same axis."""
    import altair as alt
    import vl_convert

    outcomes = list(dict.fromkeys(effect.outcome for effect in effects))
    terms = list(dict.fromkeys(effect.term for effect in effects))
    found = [words for words in STYLES if any(effect.words == words for effect in effects)]
    panels = [
        _panel([effect for effect in effects if effect.outcome == outcome], outcome, terms, found, first=outcome == outcomes[0])
        .properties(width=PANELS // len(outcomes), height=ROW * len(terms))
        .properties(title=METRICS.get(outcome, outcome))
        for outcome in outcomes
    ]
    chart = alt.hconcat(*panels, spacing=24).resolve_scale(x="shared" if shared else "independent")
    chart = chart.configure(**STYLE | {"padding": PADDING}).configure_view(stroke=None)
    chart = chart.configure_axis(labelFontSize=12, titleFontSize=12, gridColor="#ececec", labelColor="#333", titleColor="#333")
    # Not by way of save, whose check against the schema takes as long as the drawing.
    return tidy(vl_convert.vegalite_to_svg(chart.to_dict(validate=False)))


def _panel(effects: list[Effect], outcome: str, terms: list[str], found: list[str], first: bool) -> Any:
    import altair as alt

    ratio = outcome in RATIOS
    scale = math.exp if ratio else float
    rows = [
        {"term": effect.term, "words": effect.words}
        | {name: round(scale(end), 5) for name, end in effect._asdict().items() if isinstance(end, float)}
        for effect in effects
    ]
    title = "times as far from 1 (log scale)" if ratio else "difference"
    x = alt.X(
        "value:Q",
        title=title,
        scale=alt.Scale(type="log" if ratio else "linear", nice=False, padding=14),
        axis=alt.Axis(format="~g", tickCount=5),
    )
    shown = alt.Axis(labelLimit=NAMES, ticks=False, domain=False, title=None, labels=first, grid=True)
    y = alt.Y("term:N", sort=terms, scale=alt.Scale(domain=terms), axis=shown)
    legend = alt.Legend(title=None, orient="top", columns=5, columnPadding=40, labelFontSize=13, symbolSize=80, labelLimit=300)
    styles = [[STYLES[words][at] for words in found] for at in (0, 1)]
    colour = alt.Color("words:N", scale=alt.Scale(domain=found, range=styles[0]), legend=legend)
    shape = alt.Shape("words:N", scale=alt.Scale(domain=found, range=styles[1]), legend=legend)

    def bar(low: str, high: str, width: float, *channels: Any, **look: Any) -> Any:
        start = x.copy()
        start.shorthand = f"{low}:Q"
        own = alt.Chart(alt.Data(values=[row for row in rows if low in row]))
        return own.mark_rule(strokeWidth=width, **look).encode(start, y, alt.X2(f"{high}:Q"), *channels)

    return alt.layer(
        alt.Chart(alt.Data(values=[{}])).mark_rule(color="#333").encode(x=alt.datum(scale(0.0))),
        bar("null_low", "null_high", 9, color="#b5b5b5", opacity=0.6),
        bar("low", "high", 1.6, colour),
        alt.Chart(alt.Data(values=rows)).mark_point(filled=True, opacity=1, size=60).encode(x, y, colour, shape),
    )
