"""Is a gap real? How many permutations are enough, corrections for many tests, and the verdict in three words."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

DISPARITY, NO_EVIDENCE, CANNOT_TELL = "disparity", "no evidence of disparity", "cannot tell"
FIRST_ROUND = 1000
# A gate looks at one metric, or at several that share its level: those numbers of metrics for which the permutations must be enough.
FAMILIES = (1, 2, 3, 4, 5)


def p_value(observed: float, null: NDArray[np.float64]) -> float:
    """(1 + draws at least as far as observed) / (1 + draws); a draw without a value counts as further, so that p is never too small."""
    further = ~(null < observed * (1 - 1e-12) - 1e-300)
    return float((1 + further.sum()) / (1 + len(null)))


def rounds(most: int) -> Iterator[int]:
    """How many permutations to draw next, each time as many as all before, until ``most`` are drawn or the caller has seen enough."""
    drawn = 0
    while drawn < most:
        yield (new := min(max(FIRST_ROUND, drawn), most - drawn))
        drawn += new


def monte_carlo_end(p_values: NDArray[np.float64], draws: int, side: int) -> NDArray[np.float64]:
    """The lower (``side`` -1) or upper (1) end of Wilson's interval of p-values estimated by so many permutations, at 99 %.

    Were all p at either end and the same were found, the number and the seed of the permutations turn no verdict.
    """
    z2 = 2.576**2
    half = np.sqrt(z2 * (p_values * (1 - p_values) / draws + z2 / (4 * draws**2)))
    return (p_values + z2 / (2 * draws) + side * half) / (1 + z2 / draws)


def benjamini_hochberg(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """q-values that bound the false discovery rate; NaN stays NaN and is no member of the family."""
    return _stepped(p_values, lambda ranked, number: np.minimum.accumulate((ranked * number / np.arange(1, number + 1))[::-1])[::-1])


def holm(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Adjusted p-values that bound the chance of any false discovery; NaN stays NaN."""
    return _stepped(p_values, lambda ranked, number: np.maximum.accumulate(ranked * np.arange(number, 0, -1)))


def verdicts(
    q_values: ArrayLike,
    people: ArrayLike,
    fewest: int,
    level: float,
    low: ArrayLike = np.nan,
    high: ArrayLike = np.nan,
    parity: float = 0.0,
) -> NDArray[np.object_]:
    """*cannot tell* without a test or with fewer than ``fewest`` people in either own denominator; else whether there is a disparity.

    That needs both q <= ``level`` and an interval, from ``low`` to ``high``, that does not hold ``parity``, so that a verdict never
    contradicts its own interval. Where there is no interval q decides alone.
    """
    q_values, held = np.asarray(q_values, dtype=float), (np.asarray(low) <= parity) & (parity <= np.asarray(high))
    found = np.where((q_values <= level) & ~held, DISPARITY, NO_EVIDENCE)
    return np.where(np.isnan(q_values) | (np.asarray(people) < fewest), CANNOT_TELL, found).astype(object)


def _stepped(p_values: NDArray[np.float64], step: Callable[[NDArray[np.float64], int], NDArray[np.float64]]) -> NDArray[np.float64]:
    found = np.full(len(p_values), np.nan)
    known = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    found[order] = np.minimum(step(p_values[order], len(order)), 1)
    return found
