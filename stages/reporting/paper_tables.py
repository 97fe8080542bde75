"""The paper's tables from our scores: lines by number of demographics -> tables of the page."""

from collections.abc import Iterator

from stages.reporting.by_order import CONVENTIONS, METRICS, Arm, Line
from stages.reporting.results import OURS, Results, Score
from stages.reporting.tables import Table
from stages.reporting.wording import METRICS as NAMES
from stages.reporting.wording import measure, number, probability, set_name

MOST_COLUMNS = 10  # of a table that a page of paper holds
# What the paper's table shows of each number of demographics.
SHOWN = {"adi": "the set furthest from 1", "di": "the set furthest from 1", "fv": "the mean over the sets"}


class Grid:
    """Lines by cell, order, metric and convention, in the paper's arrangement: rows are models, columns tasks and orders."""

    def __init__(self, results: Results, lines: list[Line], arms: list[Arm]):
        self.arms = arms
        self.found = {(line.task, line.model, line.demographics, line.metric, line.convention): line for line in lines}
        self.orders = {task: sorted(set(sets.values())) for task, sets in results.orders.items()}

    def line(self, task: str, model: str, order: int, metric: str, convention: str) -> Line | None:
        return self.found.get((task, model, order, metric, convention))

    def blocks(self) -> Iterator[list[tuple[str, int]]]:
        """The columns of one table after the other, tasks unbroken."""
        block: list[tuple[str, int]] = []
        for task, orders in self.orders.items():
            if block and len(block) + len(orders) > MOST_COLUMNS:
                yield block
                block = []
            block += [(task, order) for order in orders]
        yield block

    def kinds(self) -> list[tuple[str, str]]:
        """Which metrics there are under which convention."""
        there = {(line.metric, line.convention) for line in self.found.values()}
        return [(metric, convention) for convention in CONVENTIONS for metric in METRICS if (metric, convention) in there]

    def treatments(self) -> list[str]:
        """Which of debiaser and mitigation some model has."""
        return [name for name in ("debiaser", "mitigation") if any(getattr(arm, name) != "none" for arm in self.arms)]


def arranged(grid: Grid, metric: str, convention: str, level: str) -> list[Table]:
    """The paper's table of a metric, in as many parts as its width needs."""
    caption = f"{title(metric, convention)}, with {level} interval"
    caption += ", and p of the set that stands out most" if convention == OURS else ""
    tables = []
    blocks = list(grid.blocks())
    for block in blocks:
        which = f": {', '.join(dict.fromkeys(task for task, _ in block))}" if len(blocks) > 1 else ""
        rows = []
        for arm in grid.arms:
            cells = [_cell(grid.line(task, arm.model, order, metric, convention)) for task, order in block]
            rows.append([arm.model, *(getattr(arm, name) for name in grid.treatments()), *cells])
        heads = ["Model", *map(str.capitalize, grid.treatments()), *(f"{task} +{order - 1}" for task, order in block)]
        tables.append(Table(caption + which, heads, rows, tuple(range(1 + len(grid.treatments())))))
    return tables


def title(metric: str, convention: str) -> str:
    return f"{NAMES[metric]} ({convention}) by number of demographics: {SHOWN[metric]}"


def _cell(line: Line | None) -> str:
    if line is None or line.furthest is None:
        return "-" if line is None else "undefined"
    text = measure(shown(line)).replace(", no interval", "\nno interval").replace(" [", "\n[")
    return text if line.p_any is None else f"{text}\np {probability(line.p_any)}"


def shown(line: Line) -> Score:
    """The number of a line that the paper's table holds."""
    if line.metric == "fv":
        return Score(line.mean, line.mean_low, line.mean_high, None, None, None, None, line.reason)
    return _furthest(line)


def _furthest(line: Line) -> Score:
    return Score(line.furthest, line.furthest_low, line.furthest_high, None, line.n_protected, line.n_privileged, None, None)


def every(lines: list[Line], task: str, metric: str, level: str) -> Table:
    """Mean, furthest set and range of each model of a task, as measured by the convention crossbias."""
    rows = []
    for line in lines:
        if (line.task, line.metric, line.convention) == (task, metric, OURS):
            mean = measure(Score(line.mean, line.mean_low, line.mean_high, None, None, None, None, line.reason))
            counted = f"{line.sets - line.undefined} of {line.sets}"
            found = ["-", "-", "-", "-"]
            if line.furthest_set is not None and line.lowest is not None and line.highest is not None:
                found = [set_name(line.furthest_set), measure(_furthest(line)), f"{line.n_protected:,} / {line.n_privileged:,}"]
                found.append(f"{number(line.lowest)} to {number(line.highest)}")
            p = "-" if line.p_any is None else probability(line.p_any).removeprefix("= ")
            rows.append([line.model, str(line.demographics), counted, mean, *found, p, line.reason or ""])
    columns = [
        "Model",
        "Demographics",
        "Sets defined",
        f"Mean over sets, {level} interval at most",
        "Furthest set",
        "Its value and interval",
    ]
    columns += ["n, protected / privileged", "Smallest to largest", "p, any set", "Why the mean has no interval"]
    return Table(f"{task}: {NAMES[metric]} by number of demographics", columns, rows, (0, 4, 9))
