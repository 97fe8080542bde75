"""Scores as rows: one number each, with its interval, its own denominators, its planted truth, or the reason it is undefined."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stages.metrics import fairness, performance
from stages.metrics.contingency import FAVOURABLE, GROUPS, TEXTS, Contingency
from stages.metrics.resampling import percentile_interval

Row = dict[str, Any]
Sets = list[tuple[str, ...]]


@dataclass(frozen=True)
class Resampling:
    """How intervals are made: how many bootstrap replicates, of what confidence, from which seed."""

    replicates: int
    confidence: float
    seed: int


def score_rates(
    table: Contingency, sets: Sets, planted: NDArray[np.float64] | None, drawn: NDArray[np.float64], confidence: float
) -> list[Row]:
    """The four rates of everyone and of each group of each set."""
    point = table.sums(sets)
    places = [((), "everyone"), *((chosen, group) for chosen in sets for group in GROUPS)]
    rows = []
    for index, (attributes, group) in enumerate(places):
        # Who declines to answer is no property of the population, so the unknown group has no planted rates.
        true = None if planted is None or group == "unknown" else fairness.rates(planted[index])
        resampled = fairness.rates(drawn[:, index])
        for metric, (value, denominator) in fairness.rates(point[index]).items():
            reason = None if denominator > 0 else "nobody to count: the rate's denominator is zero"
            row = _row(attributes, group, metric, value, resampled[metric][0], confidence, reason)
            rows.append(row | {"n": int(denominator), "planted": None if true is None else finite(true[metric][0])})
    return rows


def score_gaps(
    table: Contingency,
    sets: Sets,
    planted: NDArray[np.float64] | None,
    drawn: NDArray[np.float64],
    confidence: float,
    convention: str,
    metrics: Sequence[str],
) -> list[Row]:
    """The gaps of each set under one convention, ``n_protected`` and ``n_privileged`` being the metric's own denominators."""
    point = table.sums(sets)
    rows = []
    for index, attributes in enumerate(sets):
        pair = slice(1 + len(GROUPS) * index, 3 + len(GROUPS) * index)
        protected, privileged = point[pair]
        values = fairness.gaps(protected, privileged, point[0], convention)
        resampled = fairness.gaps(drawn[:, pair.start], drawn[:, pair.start + 1], drawn[:, 0], convention)
        true = (
            fairness.gaps(planted[pair.start], planted[pair.start + 1], planted[0], convention)
            if planted is not None and convention == "crossbias"
            else {}
        )
        for metric in metrics:
            reason = None if np.isfinite(values[metric]) else fairness.reason_for(metric, protected, privileged)
            row = _row(attributes, "protected/privileged", metric, values[metric], resampled[metric], confidence, reason, convention)
            counted = FAVOURABLE if metric == "fv" and convention == "crossbias" else TEXTS
            row |= {"n_protected": int(protected[counted]), "n_privileged": int(privileged[counted])}
            rows.append(row | {"planted": finite(true.get(metric))})
    return rows


def score_performance(frame: pd.DataFrame, resampling: Resampling) -> list[Row]:
    """Predictive performance over everyone; ``frame`` has y_true, y_score, y_pred, favourable and author_id a text."""
    favourable, selected = frame["favourable"].to_numpy(), frame["y_pred"].to_numpy() == 1
    data = (frame["y_true"].to_numpy(), frame["y_score"].to_numpy(), favourable, selected)
    point = performance.performance(*data, np.ones((1, len(frame))))
    weights = performance.author_weights(frame["author_id"].to_numpy(), resampling.replicates, resampling.seed)
    chunks = [performance.performance(*data, chunk) for chunk in weights]
    rows = []
    for metric, value in point.items():
        reason = None if np.isfinite(value[0]) else "undefined: the predictions or the labels do not vary"
        replicates = np.concatenate([chunk[metric] for chunk in chunks])
        rows.append(_row((), "everyone", metric, value[0], replicates, resampling.confidence, reason) | {"n": len(frame)})
    return rows


def finite(value: Any) -> float | None:
    """A number as a float, everything that is none as None."""
    return float(value) if value is not None and math.isfinite(value) else None


def _row(
    attributes: tuple[str, ...],
    group: str,
    metric: str,
    value: Any,
    replicates: NDArray[np.float64],
    confidence: float,
    reason: str | None,
    convention: str = "crossbias",
) -> Row:
    low, high, why = (np.nan, np.nan, None) if reason else percentile_interval(replicates, confidence)
    place = {"attributes": "+".join(attributes), "order": len(attributes), "group": group, "metric": metric, "convention": convention}
    return place | {"value": finite(value), "ci_low": finite(low), "ci_high": finite(high), "reason": reason or why}
