"""The section that arranges our scores as the paper does: scores by number of demographics -> what the template asks for."""

from typing import Any

from stages.contract.params import Design
from stages.reporting import by_order, paper_figure, paper_tables
from stages.reporting.by_order import METRICS, Line
from stages.reporting.paper_tables import Grid
from stages.reporting.results import OURS, Results

FIRST = (("adi", OURS), ("fv", OURS))


def parts(results: Results, design: Design, level: str) -> dict[str, Any]:
    """The tables shown at once, those folded away, and a figure for each representation."""
    lines = by_order.lines(results, design)
    grid = Grid(results, lines, by_order.arms(design))
    tables = {kind: paper_tables.arranged(grid, *kind, level) for kind in grid.kinds()}
    drawn = [line for line in lines if (line.metric, line.convention) == ("adi", OURS) and line.mean is not None]
    axis = paper_figure.axis(drawn)
    return {
        "first": [table for kind in FIRST for table in tables.get(kind, [])],
        "rest": [table for kind, some in tables.items() if kind not in FIRST for table in some],
        "rest_name": "The same of other gaps and conventions",
        "figures": _figures(grid, drawn, axis),
        "axis": [f"{end:.2g}" for end in axis],
        "every": {task: _every(lines, task, level) for task in results.orders},
    }


def _every(lines: list[Line], task: str, level: str) -> list[Any]:
    there = {line.metric for line in lines if line.task == task and line.convention == OURS}
    return [paper_tables.every(lines, task, metric, level) for metric in METRICS if metric in there]


def _figures(grid: Grid, lines: list[Line], axis: tuple[float, float]) -> list[dict[str, Any]]:
    import markupsafe

    marks = paper_figure.treatments(grid.arms)
    found = []
    for representation in dict.fromkeys(arm.representation for arm in grid.arms):
        own = [line for line in lines if line.representation == representation]
        if own:
            of_own = {arm.model: marks[arm.model] for arm in grid.arms if arm.representation == representation}
            drawing = paper_figure.draw(own, of_own, [task for task in grid.orders if any(line.task == task for line in own)], axis)
            label = f"Mean ADI by number of demographics, {representation}, a panel a task; the tables have every number."
            svg = markupsafe.Markup(drawing)  # noqa: S704 - drawn by vl-convert, which escapes the names in it
            found.append({"name": representation, "svg": svg, "label": label})
    return found
