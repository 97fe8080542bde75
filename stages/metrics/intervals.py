"""Intervals for ratios of rates, for the largest of several gaps, and percentiles of replicates for all else."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats

# An interval from replicates that are mostly undefined would describe only the lucky draws.
LEAST_DEFINED = 0.95
EQUAL = "no interval: all replicates are equal, so too few people or no variation to estimate it from"
Interval = tuple[float, float, str | None]
# One of two people with 79 % of the texts, or 82 % beside very many: beyond, a ratio is that person's.
LEAST_EFFECTIVE = 1.5


Side = tuple[NDArray[np.float64], NDArray[np.float64]]


def log_ratio_interval(sides: tuple[Side, Side], authors: NDArray[np.float64], confidence: float, nested: bool) -> Interval:
    """An interval of (a1 / b1) / (a2 / b2) from two groups' counts ``a``, ``b`` [kinds of author], of which there are ``authors`` each.

    The logarithm of a ratio of counts has the variance (people - 1) / people sum over authors of ((a_i / a - b_i / b) / (1 - b_i / b))^2:
    the jackknife, texts of an author together, so that an author with a share of the texts does not hide behind the ratio that it pulls
    along (MacKinnon, Nielsen and Webb 2023, CV3). Half a text added to the counts keeps zeros finite. Student's t has the degrees of
    freedom of ``_degrees``. ``nested``: a counts some of the texts of b (a selection rate), else both count texts of one group (selected
    over favourable). NaN and the reason where a group has fewer than two people, or is worth fewer than ``LEAST_EFFECTIVE`` in b.
    """
    people = [float(authors[(a + b) > 0].sum()) for a, b in sides]
    if min(people) < 2:
        return np.nan, np.nan, f"no interval: {min(people):.0f} person in one of the groups"
    effective = [float((authors @ b) ** 2 / (authors @ b**2)) for _, b in sides]
    if min(effective) < LEAST_EFFECTIVE:
        return np.nan, np.nan, "no interval: one person has nearly all texts that count in one of the groups"
    logs, variances, raw = zip(*(_log_ratio(a, b, authors, nested) for a, b in sides), strict=True)
    reach = stats.t.ppf((1 + confidence) / 2, _degrees(variances, effective, min(people))) * np.sqrt(sum(variances))
    centre, value = logs[0] - logs[1], raw[0] / raw[1]
    return float(min(np.exp(centre - reach), value)), float(max(np.exp(centre + reach), value)), None


def _degrees(variances: Sequence[float], effective: Sequence[float], people: float) -> float:
    """Welch and Satterthwaite's degrees of freedom of a sum of variances from so many ``effective`` people (Kish 1965) each.

    At most those of ``people``, the smaller group's, less one: a group whose variance comes out small by chance must not hide.
    At least one.
    """
    shared = sum(variance**2 / (number - 1) for variance, number in zip(variances, effective, strict=True))
    return max(1.0, min(sum(variances) ** 2 / shared, people - 1))


def _log_ratio(a: NDArray[np.float64], b: NDArray[np.float64], authors: NDArray[np.float64], nested: bool) -> tuple[float, float, float]:
    """log(a / b) with half a text added, its variance, and a / b as it is."""
    numerator, denominator, people = authors @ a + 0.5, authors @ b + (1.0 if nested else 0.5), authors[(a + b) > 0].sum()
    moved = (a / numerator - b / denominator) / (1 - b / (authors @ b))
    variance = (people - 1) / people * (authors @ moved**2)
    # What the added halves contribute: one text in both and one in the denominator alone, or one on each side.
    added = (1 / numerator - 1 / denominator) ** 2 + 1 / denominator**2 if nested else 1 / numerator**2 + 1 / denominator**2
    return float(np.log(numerator / denominator)), float(variance + added / 2), float((authors @ a) / (authors @ b))


def percentile_interval(replicates: NDArray[np.float64], confidence: float) -> Interval:
    """The central ``confidence`` interval of ``replicates`` [number], or NaN, NaN and the reason why none can be estimated."""
    defined = replicates[np.isfinite(replicates)]
    if len(defined) < LEAST_DEFINED * len(replicates):
        return np.nan, np.nan, _undefined(len(replicates) - len(defined), len(replicates))
    if defined.min() == defined.max():
        return np.nan, np.nan, EQUAL
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high), None


def bca_interval(replicates: NDArray[np.float64], value: float, influence: NDArray[np.float64], confidence: float) -> Interval:
    """The bias-corrected and accelerated interval of ``value`` from its bootstrap ``replicates`` [number] (Efron 1987).

    ``influence`` [people] is how each person moves the value, to first order or by the jackknife, up to a factor. Quantiles of the
    replicates at Phi(z0 + (z0 + z) / (1 - a (z0 + z))), z0 from the share of replicates below the value and a = sum l^3 / (6 (sum
    l^2)^1.5); widened to the value if need be. NaN, NaN and the reason where none can be estimated.
    """
    return accelerated_interval(replicates, value, acceleration(influence), confidence)


def acceleration(influence: NDArray[np.float64], people: NDArray[np.float64] | None = None) -> float:
    """Efron's a = sum l^3 / (6 (sum l^2)^1.5) of ``influence`` about its mean; ``people``: how many have each, by default one."""
    if people is None:
        centred = influence - influence.mean()
        squares, cubes = (centred**2).sum(), (centred**3).sum()
    else:
        centred = influence - people @ influence / people.sum()
        squares, cubes = people @ centred**2, people @ centred**3
    return float(cubes / (6 * squares**1.5)) if squares > 0 else 0.0


def accelerated_interval(replicates: NDArray[np.float64], value: float, speed: float, confidence: float) -> Interval:
    """The same interval where the acceleration ``speed`` is known."""
    low, high, reason = percentile_interval(replicates, confidence)
    if reason:
        return low, high, reason
    defined = replicates[np.isfinite(replicates)]
    below = ((defined < value).mean() + (defined <= value).mean()) / 2
    if below in (0.0, 1.0):
        return np.nan, np.nan, "no interval: all replicates lie on one side of the value"
    shifted = stats.norm.ppf(below) + stats.norm.ppf([(1 - confidence) / 2, (1 + confidence) / 2])
    places = stats.norm.cdf(stats.norm.ppf(below) + shifted / (1 - speed * shifted))
    low, high = np.quantile(defined, places)
    return float(min(low, value)), float(max(high, value)), None


def largest_gap_interval(gaps: NDArray[np.float64], replicates: NDArray[np.float64], confidence: float) -> Interval:
    """An interval of max |gap| from ``gaps`` [groups] and their ``replicates`` [number, groups].

    The largest absolute value is biased upwards, so that its own percentiles never reach down to 0 where all gaps are 0. Instead
    every gap gets the interval gap +- c se, with c such that all of them hold at once with ``confidence``; the largest lies between
    the largest lower and the largest upper bound of |gap|.
    """
    defined = replicates[np.isfinite(replicates).all(axis=1)]
    if len(defined) < LEAST_DEFINED * len(replicates):
        return np.nan, np.nan, _undefined(len(replicates) - len(defined), len(replicates))
    errors = defined.std(axis=0)
    if (errors == 0).any():
        return np.nan, np.nan, EQUAL
    reach = np.quantile((np.abs(defined - gaps) / errors).max(axis=1), confidence) * errors
    return float(np.maximum(np.abs(gaps) - reach, 0).max()), float((np.abs(gaps) + reach).max()), None


def _undefined(number: int, of: int) -> str:
    return f"no interval: undefined in {number} of {of} replicates"
