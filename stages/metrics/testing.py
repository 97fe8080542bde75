"""Is a gap real? Statistics, p-values under the size-matched null, corrections for many sets, and the verdict in three words."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from stages.metrics.contingency import FAVOURABLE, SELECTED, TEXTS, TRUE_SELECTED
from stages.metrics.fairness import Sums, ratio

DISPARITY, NO_EVIDENCE, CANNOT_TELL = "disparity", "no evidence of disparity", "cannot tell"


def statistics(protected: Sums, privileged: Sums, everyone: Sums) -> dict[str, Sums]:
    """How far each gap is from parity, larger being further, for any leading axes of replicates.

    di, di_star, adi: |log ratio| over its delta-method standard error, half a text added to each count so that zeros stay finite.
    Studentised, so that the permutation test holds for equal ratios and not only for outcomes alike in all (Chung and Romano 2013).
    fv: the gap itself, NaN where undefined.
    """
    k, y = ([group[..., index] + 0.5 for group in (protected, privileged)] for index in (SELECTED, FAVOURABLE))
    n = [group[..., TEXTS] + 1 for group in (protected, privileged)]
    both = [group[..., TRUE_SELECTED] + 0.25 for group in (protected, privileged)]
    variance_di, variance_star = (sum(1 / count - 1 / total for count, total in zip(counts, n, strict=True)) for counts in (k, y))
    variance_adi = sum(
        hit * (1 / selected - 1 / label) ** 2 + (selected - hit) / selected**2 + (label - hit) / label**2
        for hit, selected, label in zip(both, k, y, strict=True)
    )
    log_di, log_star = np.log(k[0] / n[0]) - np.log(k[1] / n[1]), np.log(y[0] / n[0]) - np.log(y[1] / n[1])
    tpr = [ratio(group[..., TRUE_SELECTED], group[..., FAVOURABLE]) for group in (protected, privileged, everyone)]
    return {
        "di": np.abs(log_di) / np.sqrt(variance_di),
        "di_star": np.abs(log_star) / np.sqrt(variance_star),
        "adi": np.abs(log_di - log_star) / np.sqrt(variance_adi),
        "fv": np.maximum(np.abs(tpr[0] - tpr[2]), np.abs(tpr[1] - tpr[2])),
    }


def p_value(observed: float, null: NDArray[np.float64]) -> float:
    """(1 + draws at least as far as observed) / (1 + draws); a draw without a value counts as further, so that p is never too small."""
    further = ~(null < observed * (1 - 1e-12) - 1e-300)
    return float((1 + further.sum()) / (1 + len(null)))


def benjamini_hochberg(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """q-values that bound the false discovery rate; NaN stays NaN and is no member of the family."""
    return _stepped(p_values, lambda ranked, number: np.minimum.accumulate((ranked * number / np.arange(1, number + 1))[::-1])[::-1])


def holm(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Adjusted p-values that bound the chance of any false discovery; NaN stays NaN."""
    return _stepped(p_values, lambda ranked, number: np.maximum.accumulate(ranked * np.arange(number, 0, -1)))


def verdict(q_value: float | None, people: float, fewest: int, level: float) -> str:
    """*cannot tell* without a test or with fewer than ``fewest`` people in either own denominator; else whether q <= ``level``."""
    if q_value is None or np.isnan(q_value) or people < fewest:
        return CANNOT_TELL
    return DISPARITY if q_value <= level else NO_EVIDENCE


def _stepped(p_values: NDArray[np.float64], step: Callable[[NDArray[np.float64], int], NDArray[np.float64]]) -> NDArray[np.float64]:
    found = np.full(len(p_values), np.nan)
    known = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    found[order] = np.minimum(step(p_values[order], len(order)), 1)
    return found
