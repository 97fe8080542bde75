"""The paper's figure from our scores: mean ADI by number of demographics, a panel a task -> SVG without script, font or network."""

from typing import Any

from stages.reporting.by_order import Arm, Line
from stages.reporting.figures import COLOURS, FOUR_FIFTHS, SHAPES, STYLE, TICKS, Point, axis_of, tidy

PAPERS_LINES = (0.8, 1.2)
ROW = 1010  # pixels for the panels side by side


def treatments(arms: list[Arm]) -> dict[str, str]:
    """Each model's mark in the figures: what was done to it, or its name where two models of a representation would be alike."""
    alike = [(arm.representation, arm.treatment) for arm in arms]
    return {arm.model: arm.treatment if alike.count((arm.representation, arm.treatment)) == 1 else arm.model for arm in arms}


def axis(lines: list[Line]) -> tuple[float, float]:
    """One axis for all figures, so that they can be compared."""
    return axis_of("adi", [point for line in lines for point in _points(line)])


def _points(line: Line) -> list[Point]:
    ends = [(line.mean, line.mean_low, line.mean_high), (line.lowest, line.null_low, line.null_high), (line.highest, None, None)]
    return [Point("", line.demographics, line.model, value, low, high) for value, low, high in ends if value is not None]


def draw(lines: list[Line], marks: dict[str, str], tasks: list[str], ends: tuple[float, float]) -> str:
    """``lines`` of one representation, ADI of one convention, as SVG; ``marks`` names the mark of each model.

    A thin bar is the range of the sets, as the paper draws it; a thick one the interval of their mean, without which the mark is
    hollow; grey is where the mean would lie by chance. What lies beyond ``ends`` is drawn at the edge.
    """
    import altair as alt
    import vl_convert

    names = list(dict.fromkeys(marks.values()))
    columns = min(len(tasks), 4 if len(tasks) > 3 else 3)
    width = min(420, ROW // columns - 60)
    chart = alt.layer(*_layers(names, ends), data=alt.Data(values=_rows(lines, marks, ends)))
    header = alt.Header(labelFontSize=13, labelFontWeight="bold", labelColor="#333")
    faceted = chart.properties(width=width, height=210).facet(
        facet=alt.Facet("task:N", sort=tasks, title=None, header=header), columns=columns
    )
    faceted = faceted.configure(**STYLE).configure_view(stroke=None)
    faceted = faceted.configure_axis(labelFontSize=12, titleFontSize=12, gridColor="#e6e6e6", labelColor="#333", titleColor="#333")
    # Not by way of save, whose check against the schema takes as long as the drawing.
    return tidy(vl_convert.vegalite_to_svg(faceted.to_dict(validate=False)))


def _rows(lines: list[Line], marks: dict[str, str], ends: tuple[float, float]) -> list[dict[str, Any]]:
    def inside(value: float | None) -> float | None:
        return None if value is None else round(min(max(value, ends[0]), ends[1]), 5)

    names = ("mean", "mean_low", "mean_high", "null_low", "null_high", "lowest", "highest")
    return [
        {"task": line.task, "order": line.demographics, "mark": marks[line.model], "bounded": line.mean_low is not None}
        | {name: inside(getattr(line, name)) for name in names}
        for line in lines
        if line.mean is not None
    ]


def _layers(names: list[str], ends: tuple[float, float]) -> list[Any]:
    import altair as alt

    scale = alt.Scale(type="log", domain=list(ends), nice=False)
    ticks = [tick for tick in TICKS if ends[0] <= tick <= ends[1]]
    y = alt.Y("mean:Q", title="mean ADI over sets (log scale)", scale=scale, axis=alt.Axis(format="~g", values=ticks))
    x = alt.X("order:O", title="number of demographics", axis=alt.Axis(labelAngle=0), scale=alt.Scale(paddingInner=0.3))
    offset = alt.XOffset("mark:N", sort=names)
    legend = alt.Legend(title=None, orient="top", columnPadding=28, labelFontSize=13, symbolSize=90, labelLimit=300, symbolOpacity=1)
    cycle = [[values[index % len(values)] for index in range(len(names))] for values in (COLOURS, SHAPES)]
    colour = alt.Color("mark:N", scale=alt.Scale(domain=names, range=cycle[0]), legend=legend)
    shape = alt.Shape("mark:N", scale=alt.Scale(domain=names, range=cycle[1]), legend=legend)

    def at(name: str) -> Any:
        place = y.copy()
        place.shorthand = f"{name}:Q"
        return place

    def bar(low: str, high: str, width: float, *channels: Any, **look: Any) -> Any:
        rules = alt.Chart().transform_filter(f"isValid(datum.{low}) && isValid(datum.{high})").mark_rule(strokeWidth=width, **look)
        return rules.encode(x, at(low), alt.Y2(f"{high}:Q"), offset, *channels)

    caps = [alt.Chart().mark_tick(size=9, thickness=1.2).encode(x, at(end), offset, colour) for end in ("lowest", "highest")]
    marks = [
        alt.Chart().transform_filter(f"{which}datum.bounded").mark_point(opacity=1, **look).encode(x, y, offset, colour, shape)
        for which, look in (("", {"filled": True, "size": 46}), ("!", {"filled": False, "size": 46, "strokeWidth": 1.3}))
    ]
    return [
        *_backdrop(),
        bar("null_low", "null_high", 11, color="#b5b5b5", opacity=0.5),
        bar("mean_low", "mean_high", 5, colour, opacity=0.45),
        *(bar("lowest", "highest", 1.2, colour), *caps, *marks),
    ]


def _backdrop() -> list[Any]:
    """The four-fifths band, the line at parity and the paper's dashed lines."""
    import altair as alt

    once = alt.Chart().transform_aggregate(lines="count()", groupby=["task"])  # else once a line, one over the other
    band = once.mark_rect(color="#f1ead6", opacity=0.8).encode(y=alt.datum(FOUR_FIFTHS[0]), y2=alt.datum(FOUR_FIFTHS[1]))
    dashed = [once.mark_rule(color="#777", strokeDash=[4, 3]).encode(y=alt.datum(value)) for value in PAPERS_LINES]
    return [band, once.mark_rule(color="#333").encode(y=alt.datum(1)), *dashed]
