"""Groups as they are for the explorer: those that stand out and the largest, of every model a column a number."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from stages.reporting.assessment_text import plain
from stages.reporting.embedded import STEP, Columns, step_of
from stages.reporting.groups import DISPARITY, FROM_EVERYONE, ITSELF, OUTPUTS, RATES
from stages.reporting.wording import metric_name

MOST, MOST_BESIDE_MANY = 8000, 6000  # groups x models, which take about a megabyte; fewer where the rest of the page is long
SHOWN = (*("selection_rate", "tpr", "fpr", "ppv", "accuracy", "base_rate", "subgroup_auc", "calibration", "brier"), "mean_label", *OUTPUTS)
COUNTED = {"tpr": "texts with a favourable label", "fpr": "texts with an unfavourable label", "ppv": "texts that the model selects"}
PLACE = ["attributes", "group"]
ENDS = ("value", "ci_low", "ci_high")


def frame(groups: pa.Table, task: str, models: Sequence[str]) -> pd.DataFrame:
    """One row a group, model and metric of a task: its number, and how far everyone is from it with the test of that."""
    of_task = pc.and_(pc.equal(groups["task"], task), pc.is_in(groups["model"], pa.array(models, pa.string())))
    part = groups.filter(pc.and_(of_task, pc.is_in(groups["metric"], pa.array(SHOWN))))
    own = part.filter(pc.equal(part["comparison"], ITSELF)).select(["model", "metric", *PLACE, *ENDS, "n", "people", "reason"])
    apart = part.filter(pc.equal(part["comparison"], FROM_EVERYONE)).select(["model", "metric", *PLACE, "value", "q_value", "verdict"])
    beside = apart.to_pandas().rename(columns={"value": "apart"})
    return own.to_pandas().merge(beside, on=["model", "metric", *PLACE], how="left", validate="one_to_one")


def number(found: pd.DataFrame) -> int:
    """How many groups there are."""
    return len(found[PLACE].drop_duplicates())


def most(numbers: Sequence[int], models: int, many: bool) -> int:
    """Up to how many groups of a task fit, where tasks with fewer leave their room to the others."""
    left = (MOST_BESIDE_MANY if many else MOST) // models
    for place, groups in enumerate(sorted(numbers)):
        share = left // (len(numbers) - place)
        if groups > share:
            return share
        left -= groups
    return max(numbers, default=0)


def of_task(columns: Columns, found: pd.DataFrame, sets: list[str], models: Sequence[str], at_most: int) -> dict[str, Any]:
    """``groups`` (name, place of the set), how many there are in ``all`` and are ``left_out``, and ``metrics``, columns a model."""
    kept = _kept(found, at_most)
    metrics = []
    for metric in SHOWN:
        own = found[found["metric"] == metric]
        if len(own):
            step = step_of(own[list(ENDS)].to_numpy().ravel())
            cells = [_cell(columns, own[own["model"] == model], kept, step) for model in models]
            name = metric_name(metric)
            shown = {"key": metric, "name": name[:1].upper() + name[1:], "step": step, "counted": COUNTED.get(metric, "texts")}
            metrics.append(shown | {"cells": cells})
    names = [[plain(group), sets.index(attributes)] for attributes, group in kept]
    return {"groups": names, "all": number(found), "left_out": number(found) - len(kept), "metrics": metrics}


def _kept(found: pd.DataFrame, at_most: int) -> pd.MultiIndex:
    """The groups that stand out by anything, then the largest; in the table's order."""
    standing = (found["verdict"] == DISPARITY) & found["metric"].isin([*RATES, *OUTPUTS])
    sizes = found.assign(standing=standing).groupby(PLACE, sort=False).agg(standing=("standing", "max"), texts=("n", "max"))
    order = np.lexsort((-sizes["texts"], ~sizes["standing"]))
    return sizes.index[np.sort(order[:at_most])]


def _cell(columns: Columns, own: pd.DataFrame, kept: pd.MultiIndex, step: float) -> dict[str, Any]:
    """A metric of one model; ``everyone`` is the number of all texts together."""
    rows = own.set_index(PLACE).reindex(kept)
    everyone = (own["value"] - own["apart"]).dropna()
    return (
        {end: columns.numbers(rows[end], step) for end in ENDS}
        | {count: columns.numbers(rows[count]) for count in ("n", "people")}
        | {"q_value": columns.numbers(rows["q_value"], STEP)}
        | {what: columns.words(rows[what]) for what in ("verdict", "reason")}
        | {"everyone": round(float(everyone.iloc[0]) / step) if len(everyone) else None}
    )
