"""The regression fairness ~ order + representation x debiaser on the distances of all tasks, models and attribute sets, by closed forms.

Each term is an ordinary least squares coefficient of the rows that can answer it, so that an undefined gap of one model leaves the
comparison of two others alone. Where no gap is undefined they are those of the one regression y ~ task + model + order.

What order does is to be held against the size-matched null, not against 0: smaller groups show larger gaps by chance. Noise adds less
to a gap that is there, so that a term below the null's is no sign that disparities shrink.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from stages.metrics.fairness import ratio
from stages.metrics.intervals import LEAST_DEFINED, Interval, percentile_interval
from stages.metrics.matching import MATCHED, Comparison
from stages.metrics.resampling import METRICS, Resampled
from stages.metrics.scoring import finite
from stages.metrics.testing import benjamini_hochberg, p_value

Numbers = NDArray[np.float64]
OUTCOMES = ("adi", "fv", "di")
NOISE = "no interval: noise alone makes gaps of smaller groups larger, so hold the term against what chance shows"
Row = dict[str, Any]
ONE_ORDER = "undefined: no cell has gaps of two orders"
NO_ROW = "undefined: no set has a gap in both models"


def slope(distances: Numbers, cell: NDArray[np.int64], order: NDArray[np.int64]) -> Numbers:
    """By how much ``distances`` [..., rows] grow with each further demographic [...], NaN where no cell has gaps of two orders.

    Least squares with an effect of each ``cell`` [rows], task x model: sum (o - mean o)(y - mean y) / sum (o - mean o)^2, means by cell.
    """
    known = ~np.isnan(distances)
    y = np.where(known, distances, 0)
    inside = np.equal.outer(cell, np.arange(cell.max() + 1)).astype(float)
    number, orders, total = known @ inside, (known * order) @ inside, y @ inside
    mean = ratio(orders, number)
    covariance = y @ order - np.nansum(mean * total, axis=-1)
    variance = known @ order.astype(float) ** 2 - np.nansum(mean * orders, axis=-1)
    return ratio(covariance, np.where(variance > 1e-9, variance, 0))


def contrast(differences: Numbers) -> Numbers:
    """The mean of the ``differences`` [..., rows] between two models over the tasks and sets in which both have a gap; else NaN.

    Least squares with an effect of each task x set. Two models alike give exactly 0.
    """
    known = ~np.isnan(differences)
    return ratio(np.where(known, differences, 0).sum(axis=-1), known.sum(axis=-1).astype(float))


def kept(replicates: Numbers, observed: Numbers) -> Numbers:
    """Replicates [draws, rows] without the rows that are undefined as observed [rows]."""
    return np.where(np.isnan(observed), np.nan, replicates)


def tail_p(observed: float, null: Numbers) -> float:
    """Two-sided p of a value whose ``null`` [draws] is not about 0: twice the smaller of (1 + draws as low or as high) / (1 + draws)."""
    reach = 1e-12 * max(1.0, abs(observed))
    tails = [(~(null < observed - reach)).sum(), (~(null > observed + reach)).sum()]
    return float(min(1.0, 2 * (1 + min(tails)) / (1 + len(null))))


def exchange_p(observed: float, swapped: Numbers) -> float:
    """Two-sided p of a difference of two models, by differences [draws] after swapping their decisions on half of the people.

    Exact when it does not matter whose decisions are whose; two models alike have p = 1. Two models equally far from parity on either
    side of it are told apart too, so that a model is only known to be fairer where the interval says so as well.
    """
    return p_value(abs(observed), np.abs(swapped))


def around(value: float, replicates: Numbers, confidence: float) -> Interval:
    """value +- z times the standard deviation of its bootstrap ``replicates`` [draws]; NaN, NaN and the reason where there is none.

    Replicates of a distance count the noise twice and lie further from parity than the value, so that their percentiles miss more often.
    """
    low, high, reason = percentile_interval(replicates, confidence)
    if reason:
        return low, high, reason
    reach = stats.norm.ppf((1 + confidence) / 2) * float(np.nanstd(replicates))
    return value - reach, value + reach, None


def effects(tasks: list[Resampled], compared: list[Comparison], pairs: list[tuple[int, int]], models: int, confidence: float) -> list[Row]:
    """One row an outcome and term: order over the first ``models`` of each task, and each comparison, of two models by ``pairs``."""
    rows = []
    for outcome in OUTCOMES:
        metric = METRICS.index(outcome)
        found = [{"kind": "order", "term": "order"} | _of_order(tasks, models, metric, confidence)]
        for place, (comparison, pair) in enumerate(zip(compared, pairs, strict=True)):
            found.append(_named(comparison, _of_pair(tasks, place, pair, metric, confidence)))
        q_values = benjamini_hochberg(np.array([row["p_value"] for row in found]))
        for row, q_value in zip(found, q_values, strict=True):
            rows.append({"outcome": outcome} | row | {"p_value": finite(row["p_value"]), "q_value": finite(q_value)})
    return rows


def _of_order(tasks: list[Resampled], models: int, metric: int, confidence: float) -> Row:
    cell = [np.repeat(np.arange(models) + models * place, len(task.panel.sets)) for place, task in enumerate(tasks)]
    order = [np.tile([len(chosen) for chosen in task.panel.sets], models) for task in tasks]
    observed, dealt = (
        np.concatenate([part[..., :models, :, metric].reshape(*part.shape[:-3], -1) for part in parts], axis=-1)
        for parts in zip(*((task.point, task.dealt) for task in tasks), strict=True)
    )
    value = float(slope(observed, np.concatenate(cell), np.concatenate(order)))
    null = slope(kept(dealt, observed), np.concatenate(cell), np.concatenate(order))
    if np.isnan(value):
        return _row(value, observed, null, (np.nan, np.nan, ONE_ORDER), np.nan, confidence)
    return _row(value, observed, null, (np.nan, np.nan, NOISE), tail_p(value, null), confidence)


def _of_pair(tasks: list[Resampled], place: int, pair: tuple[int, int], metric: int, confidence: float) -> Row:
    one, other = pair
    observed, drawn, dealt = (
        np.concatenate([part[..., one, :, metric] - part[..., other, :, metric] for part in parts], axis=-1)
        for parts in zip(*((task.point, task.drawn, task.dealt) for task in tasks), strict=True)
    )
    swapped = np.concatenate([task.swapped[:, place, :, metric] for task in tasks], axis=-1)
    value, null = float(contrast(observed)), contrast(kept(dealt, observed))
    if np.isnan(value):
        return _row(value, observed, null, (np.nan, np.nan, NO_ROW), np.nan, confidence)
    interval = around(value, contrast(kept(drawn, observed)), confidence)
    return _row(value, observed, null, interval, exchange_p(value, contrast(kept(swapped, observed))), confidence)


def _row(value: float, observed: Numbers, null: Numbers, interval: Interval, p: float, confidence: float) -> Row:
    low, high, reason = interval
    defined = null[~np.isnan(null)] if np.isnan(null).mean() <= 1 - LEAST_DEFINED else np.full(1, np.nan)
    null_low, null_high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    band = {"null_mean": finite(defined.mean()), "null_low": finite(null_low), "null_high": finite(null_high)}
    counted = {"n": int((~np.isnan(observed)).sum()), "undefined": int(np.isnan(observed).sum())}
    return {"value": finite(value), "ci_low": finite(low), "ci_high": finite(high), **band, "p_value": p, **counted, "reason": reason}


def _named(comparison: Comparison, row: Row) -> Row:
    at = " at the same selection rate" if comparison.kind == MATCHED else ""
    also = f"the reference was fitted with other {', '.join(comparison.differs)}" if comparison.differs else None
    reason = "; ".join(filter(None, [row["reason"], also])) or None
    term = f"{comparison.model} - {comparison.reference}{at}"
    return {"kind": comparison.kind, "term": term, "representation": comparison.representation} | row | {"reason": reason}
