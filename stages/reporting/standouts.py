"""The templates in which groups lie furthest apart, and the names furthest from the rest of their group -> tables."""

from typing import Any

import pandas as pd

from stages.reporting.breakdown import NAME, TEMPLATE
from stages.reporting.contrasted import plain
from stages.reporting.tables import Table
from stages.reporting.wording import number, percent, signed


def tables(items: pd.DataFrame, standing_out: int, confidence: float) -> list[Table]:
    """Of one challenge: the ``standing_out`` largest differences of each task and model, of templates and of names."""
    level = percent(confidence)
    templates = [
        [*_about(row), f"{row['people']} beside {row['beside']}", *_means(row), _interval(row), f"{row['names']}, {row['names_beside']}"]
        for row in _furthest(items, TEMPLATE, standing_out)
    ]
    names = [[*_about(row), row["people"], *_means(row), signed(row["difference"])] for row in _furthest(items, NAME, standing_out)]
    of_templates = ["Task, model", "Template", "Who", "Mean score", "Beside", f"Difference [{level}, over names]", "Names"]
    of_names = ["Task, model", "Name", "Group", "Mean score", "Mean of the others", "Difference"]
    return [
        Table("Templates in which groups lie furthest apart; picked for that, and not tested", of_templates, templates, (0, 1, 2)),
        Table("Names furthest from the other names of their group", of_names, names, (0, 1, 2)),
    ]


def _furthest(items: pd.DataFrame, kind: str, most: int) -> list[dict[Any, Any]]:
    own = items[(items["kind"] == kind) & items["difference"].notna()]
    order = own["difference"].abs().sort_values(ascending=False, kind="stable").index
    largest = own.loc[order].groupby(["task", "model"], sort=False).head(most)
    first = own.groupby(["task", "model"], sort=False).ngroup()
    return plain(largest.assign(cell=first[largest.index]).sort_values("cell", kind="stable")).to_dict("records")


def _about(row: dict[Any, Any]) -> list[str]:
    return [f"{row['task']}, {row['model']}", row["item"]]


def _means(row: dict[Any, Any]) -> list[str]:
    return [number(row["mean"], 3), number(row["mean_beside"], 3)]


def _interval(row: dict[Any, Any]) -> str:
    ends = "no interval" if row["ci_low"] is None else f"[{signed(row['ci_low'])}, {signed(row['ci_high'])}]"
    return f"{signed(row['difference'])} {ends}"
