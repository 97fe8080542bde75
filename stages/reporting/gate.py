"""What the gate says, in words: its part of summary.json -> a sentence, lines for the terminal, and a table for the page."""

from typing import Any

from stages.reporting.tables import Table
from stages.reporting.wording import decimals_of, listed, metric_name, number, percent, probability

SAYS = {True: "passed", False: "failed", None: "nothing could be tested"}


def sentence(gate: dict[str, Any]) -> str:
    """The family, its p, and what came of it."""
    family = listed([metric_name(metric) for metric in gate["metrics"]])
    told = f"gate {gate['name']}: {SAYS[gate['passed']]}"
    if gate["passed"] is None:
        return f"{told} of the family {family}, which is no pass."
    left_out = len(gate["metrics"]) - len(gate["tested"])
    of = f", {left_out} of which could not be tested" if left_out else ""
    return f"{told}; p {probability(gate['p_value'])} for the family {family}{of} (it fails at {gate['level']:g} or less)."


def lines(gate: dict[str, Any]) -> list[str]:
    """The same with a line a metric."""
    return [sentence(gate), *(f"  {metric_name(row['metric'])}: {_told(row)}" for row in gate["by_metric"])]


def _told(row: dict[str, Any]) -> str:
    if row["p_value"] is None:
        return f"not tested: {row['reason']}"
    value = "" if row["value"] is None else f" ({number(row['value'], decimals_of(row['metric']))})"
    return f"p {probability(row['p_value'])}, most extreme: {row['most_extreme']}{value}"


def parts(gate: dict[str, Any]) -> dict[str, Any]:
    """What the page shows."""
    told = sentence(gate)
    rows = [
        [metric_name(row["metric"]), *(["-", "-", f"not tested: {row['reason']}", "-"] if row["p_value"] is None else _cells(row))]
        for row in gate["by_metric"]
    ]
    columns = ["Metric", "p of all its groups or sets", "p with all metrics of the family", "Most extreme", "Its gap"]
    level = percent(gate["level"])
    return {"said": told[0].upper() + told[1:], "table": Table("The gate's family", columns, rows, (0, 3)), "level": level}


def _cells(row: dict[str, Any]) -> list[str]:
    value = "-" if row["value"] is None else number(row["value"], decimals_of(row["metric"]))
    return [*(probability(row[name]).removeprefix("= ") for name in ("p_value", "p_family")), row["most_extreme"], value]
