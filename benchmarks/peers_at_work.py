"""The peers' side, without ours: ``python -I peers_at_work.py JOB FILE`` does one job and prints CPU seconds and figures as JSON.

It runs in a process of its own, as AIF360 and Aequitas live in an environment of their own. Figures are, by group, [selection
rate, true positive rate, false positive rate]; groups are named by their values with | between.
"""

import json
import logging
import re
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd

LABEL, DECISION, ATTRIBUTES = "label", "decision", ["age", "gender", "income", "education", "race"]
REPLICATES = 1
Found = dict[str, Any]


def fairlearn(frame: pd.DataFrame) -> Found:
    """MetricFrame over the crossing of all attributes: its figures, and what a bootstrap replicate of them adds."""
    from fairlearn.metrics import MetricFrame, false_positive_rate, selection_rate, true_positive_rate

    metrics = {"selection_rate": selection_rate, "tpr": true_positive_rate, "fpr": false_positive_rate}

    def once(**bootstrap: Any) -> pd.DataFrame:
        data = {"y_true": frame[LABEL], "y_pred": frame[DECISION], "sensitive_features": frame[ATTRIBUTES]}
        return MetricFrame(metrics=metrics, **data, **bootstrap).by_group

    seconds, rates = _timed(once)
    redrawn, _ = _timed(lambda: once(n_boot=REPLICATES, ci_quantiles=[0.025, 0.975], random_state=1))
    return {"seconds": seconds, "redrawn": redrawn, "replicate": (redrawn - seconds) / REPLICATES, "rates": _named(rates.index, rates)}


def aequitas_groups(frame: pd.DataFrame) -> Found:
    """Group().get_crosstabs of the attributes one at a time, which is what it does, and of a column that its user crosses by hand."""
    from aequitas.group import Group

    def by_hand() -> pd.DataFrame:
        crossed = frame[ATTRIBUTES[0]]
        for name in ATTRIBUTES[1:]:
            crossed = crossed + "|" + frame[name]
        return Group().get_crosstabs(frame.assign(crossed=crossed), attr_cols=["crossed"], **columns)[0]

    columns = {"score_col": DECISION, "label_col": LABEL}
    alone, _ = _fastest(lambda: Group().get_crosstabs(frame, attr_cols=ATTRIBUTES, **columns))
    seconds, table = _fastest(by_hand)
    return {"alone": alone, "seconds": seconds, "rates": _named(table["attribute_value"], table[["pprev", "tpr", "fpr"]])}


def aequitas_audit(frame: pd.DataFrame, **disparities: Any) -> Found:
    """Audit of the attributes one at a time, against the largest group of each."""
    from aequitas.audit import Audit

    # Its tests find decisions and labels only under these names.
    named = frame[[*ATTRIBUTES, DECISION, LABEL]].rename(columns={DECISION: "score", LABEL: "label_value"})
    audit = Audit(named, score_column="score", label_column="label_value", sensitive_attribute_column=ATTRIBUTES)
    audit.audit(bias_args=disparities)
    return {"figures": int(audit.disparity_df.size)}


def aequitas_tests(frame: pd.DataFrame) -> Found:
    """The same with its t-tests of each group against the largest."""
    return aequitas_audit(frame, check_significance=True, mask_significance=False)


def aif360(frame: pd.DataFrame) -> Found:
    """A ClassificationMetric for each group of the crossing, as the unprivileged one beside the first, and its performance measures."""
    from aif360.datasets import BinaryLabelDataset
    from aif360.metrics import ClassificationMetric

    numbers = frame[ATTRIBUTES].apply(lambda column: column.astype("category").cat.codes)
    groups = dict(zip(frame[ATTRIBUTES].agg("|".join, axis=1), numbers.to_dict("records"), strict=True))
    first, second = list(groups.values())[:2]

    def measures() -> list[list[float]]:
        truth = BinaryLabelDataset(df=numbers.assign(label=frame[LABEL]), label_names=[LABEL], protected_attribute_names=ATTRIBUTES)
        decided = truth.copy(deepcopy=True)
        decided.labels = frame[[DECISION]].to_numpy(dtype=float)
        found = []
        for group in groups.values():
            reference = second if group == first else first
            metric = ClassificationMetric(truth, decided, unprivileged_groups=[group], privileged_groups=[reference])
            own = metric.performance_measures(privileged=False)
            found.append([metric.selection_rate(privileged=False), own["TPR"], own["FPR"]])
        return found

    seconds, rates = _timed(measures)
    return {"seconds": seconds, "rates": dict(zip(groups, rates, strict=True))}


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.process_time()
    found = work()
    return time.process_time() - started, found


def _fastest(work: Callable[[], Any]) -> tuple[float, Any]:
    return min((_timed(work) for _ in range(3)), key=lambda done: done[0])


def _named(groups: Iterable[Any], rates: pd.DataFrame) -> dict[str, list[float]]:
    names = ("|".join(group) if isinstance(group, tuple) else group for group in groups)
    return dict(zip(names, rates.to_numpy(dtype=float).tolist(), strict=True))


if __name__ == "__main__":
    logging.disable(logging.WARNING)  # AIF360 tells of every optional package that is not there
    jobs = {job.__name__: job for job in (fairlearn, aequitas_groups, aequitas_audit, aequitas_tests, aif360)}
    done = jobs[sys.argv[1]](pd.read_csv(sys.argv[2]))
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    print(json.dumps(done | {"megabytes": int(peak[1]) / 1024 if peak else float("nan")}))
