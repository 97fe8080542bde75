"""Conventional thresholds, such as four fifths: a flag beside the verdict, never in its place."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

RATIO, DIFFERENCE = "ratio", "difference"
RATIOS = ("di", "di_star", "adi")


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


def flagged(values: pd.Series, kinds: NDArray[np.object_], least_ratio: float | None, most_difference: float | None) -> NDArray[np.object_]:
    """True where a ratio r has min(r, 1 / r) < ``least_ratio`` or a difference |d| > ``most_difference``; None without value or threshold.

    With 0.8 the first is the four-fifths rule of the Uniform Guidelines (29 CFR 1607.4 D), in both directions.
    """
    numbers = values.to_numpy(dtype=float)
    known = np.isfinite(numbers)
    beyond = np.full(len(numbers), None, dtype=object)
    if least_ratio is not None:
        ratio = known & (kinds == RATIO)
        beyond[ratio] = (numbers[ratio] < least_ratio) | (numbers[ratio] > 1 / least_ratio)
    if most_difference is not None:
        difference = known & (kinds == DIFFERENCE)
        beyond[difference] = np.abs(numbers[difference]) > most_difference
    return beyond
