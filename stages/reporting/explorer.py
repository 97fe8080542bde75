"""What the page's explorer shows: groups, gaps and pairs of models of every cell -> tables of columns in JSON, and the script."""

import base64
import hashlib
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from stages.reporting import explorer_groups
from stages.reporting.assessment_text import plain
from stages.reporting.baselines import verdict
from stages.reporting.by_order import METRICS as OF_PAIRS
from stages.reporting.embedded import STEP, Columns, as_json, step_of
from stages.reporting.overall import ASKED
from stages.reporting.results import GAP, OURS, RATIO, Key, Results, Score
from stages.reporting.wording import METRICS

ON_RATIOS = ("di", "di_star", "adi")
ENDS = ("value", "ci_low", "ci_high", "null_low", "null_high")
COUNTS = ("n_protected", "n_privileged", "n")
PAIRED = ("value", "baseline_value", "matched_value", "difference", "ci_low", "ci_high", "q_value")
SCRIPTS = ("explorer_shown.js", "explorer.js")
NONE = Score(None, None, None, None, None, None, None, "not computed")


def parts(results: Results, groups: pa.Table, matched: pa.Table, level: float) -> dict[str, Any] | None:
    """What the template asks for; None without a task whose authors' demographics are known. ``level``: up to which q a pair differs."""
    import markupsafe

    if not results.orders:
        return None
    shown = data(results, groups, matched, level)
    script = "".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in SCRIPTS)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return {
        "json": markupsafe.Markup(as_json(shown)),  # noqa: S704 - every sign that could end the element is escaped
        "script": markupsafe.Markup(script),  # noqa: S704 - ours, and nothing is filled in
        "hash": f"sha256-{digest}",
        "left_out": {task["name"]: f"{task['left_out']:,} of {task['all']:,} groups" for task in shown["tasks"] if task["left_out"]},
    }


def data(results: Results, groups: pa.Table, matched: pa.Table, level: float) -> dict[str, Any]:
    """Everything the explorer needs, rounded to each metric's ``step``.

    columns: lists of whole numbers or null, named by their place in all that follows; texts: what columns of words point at; tasks: of
    each its ``sets`` (name, number of demographics), ``groups`` (name, place of the set), ``metrics`` of groups and ``gaps`` of sets with
    the columns of each model, and ``pairs`` of a model and its baseline.
    """
    columns = Columns()
    frames = {task: explorer_groups.frame(groups, task, results.models) for task in results.orders}
    most = explorer_groups.most([explorer_groups.number(frame) for frame in frames.values()], len(results.models), results.many)
    tasks = [
        {"name": task, "sets": [[plain(name), order] for name, order in orders.items()]}
        | explorer_groups.of_task(columns, frames[task], list(orders), results.models, most)
        | {"gaps": [_gap(columns, results, task, *named) for named in _gaps(results, task).items()]}
        | {"pairs": _pairs(columns, matched, task, list(orders), level)}
        for task, orders in results.orders.items()
    ]
    return {"models": results.models, "tasks": tasks, "texts": columns.texts, "columns": columns.columns}


def _gaps(results: Results, task: str) -> dict[str, tuple[str, str]]:
    """The gaps of which a task has scores, by name: metric and group."""
    known = {(key.metric, key.group) for key in results.scores if key.task == task and key.convention == OURS and key.attributes}
    named = {METRICS[metric]: (metric, GAP) for metric in dict.fromkeys(("adi", "fv", *OF_PAIRS, "di_star"))}
    named |= {name: place for columns in ASKED.values() for name, place in columns.items()}
    return {name: place for name, place in named.items() if place in known}


def _gap(columns: Columns, results: Results, task: str, name: str, place: tuple[str, str]) -> dict[str, Any]:
    """A gap of every set of a task, columns a model."""
    metric, group = place
    found = [
        [results.scores.get(Key(task, model, attributes, group, metric, OURS), NONE) for attributes in results.orders[task]]
        for model in results.models
    ]
    step = step_of(getattr(score, end) for scores in found for score in scores for end in ENDS)
    cells = [
        {end: columns.numbers([getattr(score, end) for score in scores], step) for end in ENDS}
        | {"q_value": columns.numbers([score.q_value for score in scores], STEP)}
        | {side: columns.numbers([getattr(score, side) for score in scores]) for side in COUNTS}
        | {what: columns.words([getattr(score, what) for score in scores]) for what in ("verdict", "reason")}
        for scores in found
    ]
    parity = 1 if metric in ON_RATIOS or group == RATIO else 0
    counted = "texts with a favourable label" if metric == "fv" else "texts"
    key = metric if group == GAP else f"{metric}, {group}"
    return {"key": key, "name": name, "step": step, "parity": parity, "log": metric in ON_RATIOS, "counted": counted, "cells": cells}


def _pairs(columns: Columns, matched: pa.Table, task: str, sets: list[str], level: float) -> list[dict[str, Any]]:
    """Each debiased or mitigated model beside its baseline, as it is and cut to the same selection rate."""
    frame = matched.to_pandas().astype(object).where(lambda values: values.notna(), None)
    frame["verdict"] = [verdict(row, level, "difference").split(":")[0] for row in frame.to_dict("records")]
    found = []
    for (model, baseline, metric), own in frame[frame["task"] == task].groupby(["model", "baseline", "metric"], sort=False):
        rows = own.set_index("attributes").reindex(pd.Index(sets))
        shown = {name: columns.numbers(rows[name].astype(float), STEP) for name in PAIRED}
        shown |= {what: columns.words(rows[what]) for what in ("verdict", "reason")}
        found.append({"model": model, "baseline": baseline, "metric": metric} | shown)
    return found
