"""Does embedding bias go along with downstream bias? Rank correlation of a figure of each embedding with gaps of each task."""

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from stages.metrics.fairness import ratio
from stages.metrics.intervals import Interval
from stages.metrics.scoring import finite
from stages.metrics.testing import benjamini_hochberg

Numbers = NDArray[np.float64]
Whole = NDArray[np.int64]
FEWEST = 5
CANNOT_TELL = f"cannot tell: fewer than {FEWEST} embeddings"
CONSTANT = "undefined: the figures or the outcomes do not vary"


class Correlation(NamedTuple):
    """A coefficient in [-1, 1] with its interval, two-sided p, and how many embeddings are behind it; NaN with a reason."""

    value: float
    low: float
    high: float
    p_value: float
    n: int
    reason: str | None


def centred(outcomes: Numbers) -> Numbers:
    """Outcomes [tasks, embeddings] less the mean of their task over the embeddings that have one, to 12 decimals, so that ties stay."""
    known = ~np.isnan(outcomes)
    mean = ratio(np.where(known, outcomes, 0).sum(axis=1, keepdims=True), known.sum(axis=1, keepdims=True).astype(float))
    return np.round(outcomes - mean, 12)


def spearman(figures: Numbers, embedding: Whole, outcomes: Numbers) -> Numbers:
    """Spearman's rho [draws] of ``figures`` [draws, embeddings] with ``outcomes`` [cells] of an ``embedding`` each, ties at mean ranks."""
    one, two = (stats.rankdata(values, axis=-1) for values in (figures[:, embedding], outcomes))
    one, two = (ranks - ranks.mean(axis=-1, keepdims=True) for ranks in (one, two))
    return ratio(one @ two, np.sqrt((one**2).sum(axis=-1) * (two**2).sum()))


def kendall(figures: Numbers, embedding: Whole, outcomes: Numbers) -> Numbers:
    """Kendall's tau-b of the same: correlation of the signs of all differences between two cells, gathered by pair of embeddings."""
    inside = np.equal.outer(np.arange(figures.shape[1]), embedding).astype(float)
    signs, number = inside @ np.sign(np.subtract.outer(outcomes, outcomes)) @ inside.T, inside.sum(axis=1)
    apart = np.sign(figures[:, :, None] - figures[:, None, :])
    untied = np.einsum("def,e,f->d", apart**2, number, number) * (outcomes[:, None] != outcomes).sum()
    return ratio(np.einsum("def,ef->d", apart, signs), np.sqrt(untied))


def correlate(figures: Numbers, outcomes: Numbers, coefficient: str, draws: int, confidence: float, seed: int) -> Correlation:
    """The correlation over tasks x embeddings of ``figures`` [embeddings] with ``outcomes`` [tasks, embeddings] centred by task.

    p: the figures dealt anew among the embeddings, in all ways where these are at most ``draws``, as the gaps of one embedding in
    several tasks are not independent. The interval takes each embedding for one observation, so that it errs on the wide side:
    tanh(artanh r +- z s), s^2 = (1 + r^2 / 2) / (n - 3) for Spearman's (Bonett and Wright 2000), 0.437 / (n - 4) for Kendall's
    (Fieller, Hartley and Pearson 1957). With fewer than five embeddings nothing can be told.
    """
    has = ~np.isnan(figures) & (~np.isnan(outcomes)).any(axis=0)
    number = int(has.sum())
    if number < FEWEST:
        return Correlation(np.nan, np.nan, np.nan, np.nan, number, CANNOT_TELL)
    figures, y = figures[has], centred(outcomes[:, has])
    task, embedding = np.nonzero(~np.isnan(y))
    ways, drawn = _ways(number, draws, seed)
    found = COEFFICIENTS[coefficient](figures[ways], embedding, y[task, embedding])
    value = float(found[0])
    if np.isnan(value):
        return Correlation(np.nan, np.nan, np.nan, np.nan, number, CONSTANT)
    further = (~(np.abs(found[drawn:]) < abs(value) - 1e-9)).sum()
    low, high, reason = _interval(value, number, coefficient, confidence)
    return Correlation(value, low, high, float((drawn + further) / len(ways)), number, reason)


def rows(figures: dict[str, Numbers], outcomes: dict[str, Numbers], draws: int, confidence: float, seed: int) -> list[dict[str, Any]]:
    """Each named figure [embeddings] with each outcome [tasks, embeddings]; q among all figures of an outcome and coefficient."""
    found = []
    for outcome, coefficient in itertools.product(outcomes, COEFFICIENTS):
        each = [correlate(values, outcomes[outcome], coefficient, draws, confidence, seed) for values in figures.values()]
        q_values = benjamini_hochberg(np.array([one.p_value for one in each]))
        for probe, one, q_value in zip(figures, each, q_values, strict=True):
            numbers = {"value": one.value, "ci_low": one.low, "ci_high": one.high, "p_value": one.p_value, "q_value": q_value}
            named = {"probe": probe, "outcome": outcome, "coefficient": coefficient, "n": one.n, "reason": one.reason}
            found.append(named | {name: finite(number) for name, number in numbers.items()})
    return found


def _interval(value: float, number: int, coefficient: str, confidence: float) -> Interval:
    if abs(value) > 1 - 1e-9:
        return np.nan, np.nan, "no interval: the two orders agree wholly, or are opposite"
    variance = (1 + value**2 / 2) / (number - 3) if coefficient == "spearman" else 0.437 / (number - 4)
    reach = stats.norm.ppf((1 + confidence) / 2) * math.sqrt(variance)
    return math.tanh(math.atanh(value) - reach), math.tanh(math.atanh(value) + reach), None


COEFFICIENTS: dict[str, Callable[[Numbers, Whole, Numbers], Numbers]] = {"spearman": spearman, "kendall": kendall}


def _ways(number: int, draws: int, seed: int) -> tuple[Whole, int]:
    """Orders [ways, number] of the embeddings, the one observed first, and 1 where it stands beside drawn ones, 0 where all are there."""
    if math.factorial(number) <= draws:
        return np.array(list(itertools.permutations(range(number)))), 0
    random = np.random.default_rng(seed)
    return np.stack([np.arange(number), *(random.permutation(number) for _ in range(draws))]), 1
