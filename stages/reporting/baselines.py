"""Debiased and mitigated models beside their baselines at equal selection rates: what is more than another threshold, in words."""

import math
from typing import Any

import pandas as pd

from stages.reporting.effects_figure import RATIOS, size
from stages.reporting.tables import Table
from stages.reporting.wording import METRICS, count, number, percent, probability, set_name

FAIRER, LESS_FAIR, NO_EVIDENCE, UNTOLD = "fairer", "less fair", "no evidence of a difference", "cannot tell"


def untold(row: dict[str, Any]) -> str:
    """Why nothing can be told; some reasons begin with the words themselves."""
    return f"{UNTOLD}: {(row['reason'] or 'not tested').removeprefix(f'{UNTOLD}: ')}"


def verdict(row: dict[str, Any], level: float, value: str = "value") -> str:
    """An effect on a gap in words: below 0 is nearer to parity."""
    if row[value] is None or row["q_value"] is None:
        return untold(row)
    if row["q_value"] > level or row[value] == 0:
        return NO_EVIDENCE
    return FAIRER if row[value] < 0 else LESS_FAIR


def summary(cut: pd.DataFrame, level: float) -> Table:
    """One row a task, model and gap: before, after, and what a mere change of threshold would have done."""
    rows = []
    for (task, model, metric), own in cut.groupby(["task", "model", "metric"], sort=False):
        records, first = own.to_dict("records"), own.iloc[0]
        distances = [_median(records, metric, name) for name in ("baseline_value", "value", "matched_value")]
        selected = _rates(first["baseline_selection_rate"], first["selection_rate"])
        cut_to = "no cut" if first["matched_accuracy"] is None else f"{100 * first['matched_accuracy']:.1f} %"
        accuracy = f"{_rates(first['baseline_accuracy'], first['accuracy'])} ({cut_to})"
        name = "TPR gap" if metric == "tpr" else METRICS[metric]
        rows.append([f"{model}\nbeside {first['baseline']}", task, name, more(records, level), *distances, selected, accuracy])
    columns = ["Model", "Task", "Gap", "More than a threshold?", "Baseline", "Model", "Baseline, cut"]
    columns += ["Selected: baseline → model", "Accuracy: baseline → model (cut)"]
    return Table("Distance from parity, median over attribute sets: before, after, and by a threshold alone", columns, rows, (0, 1, 2, 3))


def more(records: list[dict[str, Any]], level: float) -> str:
    """Whether a model differs from its baseline by more than its selection rate, over all sets of a gap."""
    words = [verdict(row, level, "difference") for row in records]
    tested = [word for word in words if not word.startswith(UNTOLD)]
    fairer, less = tested.count(FAIRER), tested.count(LESS_FAIR)
    sets = f"of {count(len(tested), 'set')}"
    if not tested:
        return words[0]
    if fairer and less:
        return f"mixed: fairer than the cut baseline in {fairer}, less fair in {less} {sets}"
    if fairer:
        return f"yes: fairer than the cut baseline in {fairer} {sets}"
    return f"no: less fair than the cut baseline in {less} {sets}" if less else f"no evidence in any {sets}"


def _median(records: list[dict[str, Any]], metric: str, name: str) -> str:
    """Over the sets of which all three are known; a ratio of 0 is infinitely far, which a median bears."""
    names = ("baseline_value", "value", "matched_value")
    values = sorted(_distance(metric, row[name]) for row in records if all(row[other] is not None for other in names))
    if not values:
        return "undefined"
    middle = (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2
    return size(metric, middle).removeprefix("+")


def _distance(metric: str, value: float) -> float:
    if metric not in RATIOS:
        return abs(value)
    return abs(math.log(value)) if value > 0 else math.inf


def _rates(before: float, after: float) -> str:
    return f"{100 * before:.1f} → {100 * after:.1f} %"


def of_sets(own: pd.DataFrame, task: str, model: str, confidence: float, level: float) -> Table:
    rows = []
    for row in own.to_dict("records"):
        values = ["undefined" if row[name] is None else number(row[name]) for name in ("baseline_value", "value", "matched_value")]
        changed = "undefined" if row["difference"] is None else size(row["metric"], row["difference"])
        if row["ci_low"] is not None:
            changed += f" [{size(row['metric'], row['ci_low'])}, {size(row['metric'], row['ci_high'])}]"
        tested = "-" if row["q_value"] is None else probability(row["q_value"]).removeprefix("= ")
        words = verdict(row, level, "difference")
        rows.append([set_name(row["attributes"]), METRICS.get(row["metric"], row["metric"]), *values, changed, tested, words])
    columns = [
        "Attribute set",
        "Gap",
        "Baseline",
        "Model",
        "Baseline, cut",
        f"Model / cut baseline, {percent(confidence)} interval",
    ]
    return Table(f"{task}, {model}: beside its baseline at equal selection rates", [*columns, "q", "In words"], rows, (0, 1, 7))
