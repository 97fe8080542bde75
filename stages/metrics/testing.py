"""Is a gap real? Statistics, p-values under the size-matched null, corrections for many sets, and the verdict in three words."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from stages.metrics.contingency import FAVOURABLE, SELECTED, TEXTS, TRUE_SELECTED
from stages.metrics.fairness import Sums, ratio

DISPARITY, NO_EVIDENCE, CANNOT_TELL = "disparity", "no evidence of disparity", "cannot tell"


def statistics(protected: Sums, privileged: Sums, everyone: Sums) -> dict[str, Sums]:
    """How far each gap is from parity, larger being further, for any leading axes of replicates.

    di, di_star, adi: |a1 / b1 - a2 / b2| of the two ratios whose quotient the gap is, over its standard error were both the pooled
    R = (a1 + a2) / (b1 + b2), that is the root of sum (a - 2 R h + R^2 b) / b^2, with h the texts counted in both a and b. Studentised,
    so that the permutation test holds for equal ratios and not only for outcomes alike in all (Chung and Romano 2013); pooled, so that
    a group of which nobody is selected stands out (on the logarithmic scale it hardly does). Half a text at R is added to each side.
    fv: the gap itself, NaN where undefined.
    """
    tpr = [ratio(group[..., TRUE_SELECTED], group[..., FAVOURABLE]) for group in (protected, privileged, everyone)]
    sides = protected, privileged
    return {
        "di": _apart(sides, SELECTED, TEXTS, SELECTED),
        "di_star": _apart(sides, FAVOURABLE, TEXTS, FAVOURABLE),
        "adi": _apart(sides, SELECTED, FAVOURABLE, TRUE_SELECTED),
        "fv": np.maximum(np.abs(tpr[0] - tpr[2]), np.abs(tpr[1] - tpr[2])),
    }


def _apart(sides: tuple[Sums, Sums], above: int, below: int, both: int) -> Sums:
    pooled = ratio(sides[0][..., above] + sides[1][..., above], sides[0][..., below] + sides[1][..., below])
    counts = [(side[..., above] + pooled / 2, side[..., below] + 0.5, side[..., both] + np.minimum(pooled, 1) / 2) for side in sides]
    variance = sum((a - 2 * pooled * h + pooled**2 * b) / b**2 for a, b, h in counts)
    apart = np.abs(counts[0][0] / counts[0][1] - counts[1][0] / counts[1][1])
    return np.where(np.isnan(pooled), np.nan, np.nan_to_num(ratio(apart, np.sqrt(np.maximum(variance, 0)))))


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
