"""Conventional thresholds, such as four fifths: a flag beside the verdict, never in its place."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pandas as pd
from numpy.typing import NDArray

RATIO, DIFFERENCE = "ratio", "difference"
RATIOS = ("di", "di_star", "adi")
NEAR = 1e-9  # of a threshold: far more than rounding, far less than a text


def kinds_of_gaps(scores: pd.DataFrame) -> NDArray[np.object_]:
    """Whether each row of scores is a ratio, a difference, or neither (None): a rate, a performance figure, differential fairness."""
    pair = (scores["group"] == "protected/privileged").to_numpy()
    ratio = (pair & scores["metric"].isin(RATIOS).to_numpy()) | (scores["group"] == "lowest / highest").to_numpy()
    difference = (pair & ~ratio) | scores["group"].str.contains(" - ").to_numpy()
    return _kinds(ratio, difference)


def kinds_of_comparisons(groups: pd.DataFrame) -> NDArray[np.object_]:
    """The same of the rows of groups, by what each is compared with."""
    ratio, difference = (groups["comparison"].str.startswith(kind).to_numpy() for kind in (RATIO, DIFFERENCE))
    return _kinds(ratio, difference)


def _kinds(ratio: NDArray[np.bool_], difference: NDArray[np.bool_]) -> NDArray[np.object_]:
    kinds = np.full(len(ratio), None, dtype=object)
    kinds[ratio], kinds[difference] = RATIO, DIFFERENCE
    return kinds


def flagged(
    values: pd.Series,
    kinds: NDArray[np.object_],
    least_ratio: float | None,
    most_difference: float | None,
    exact: Callable[[int], Fraction | None] = lambda _: None,
) -> NDArray[np.object_]:
    """True where a ratio r has min(r, 1 / r) < ``least_ratio`` or a difference |d| > ``most_difference``; None without value or threshold.

    With 0.8 the first is the four-fifths rule of the Uniform Guidelines (29 CFR 1607.4 D), in both directions. A threshold is the decimal
    fraction that it is written as: 0.8 is 4/5. Where a value comes so near that rounding could decide, ``exact``, the row's fraction of
    counts, is compared with it by cross-multiplication of whole numbers; of what is no fraction of counts (None) the float is.
    """
    numbers = values.to_numpy(dtype=float)
    beyond = np.full(len(numbers), None, dtype=object)
    for kind, threshold in ((RATIO, least_ratio), (DIFFERENCE, most_difference)):
        if threshold is None:
            continue
        rows = np.flatnonzero(np.isfinite(numbers) & (kinds == kind))
        bound = Fraction(str(threshold))
        edges = [float(bound), float(1 / bound)] if kind == RATIO else [float(bound)]
        sizes = numbers[rows] if kind == RATIO else np.abs(numbers[rows])
        beyond[rows] = (sizes < edges[0]) | (sizes > edges[1]) if kind == RATIO else sizes > edges[0]
        for row in rows[np.any([np.isclose(sizes, edge, rtol=NEAR, atol=0) for edge in edges], axis=0)]:
            if (fraction := exact(int(row))) is not None:
                beyond[row] = not bound <= fraction <= 1 / bound if kind == RATIO else abs(fraction) > bound
    return beyond
