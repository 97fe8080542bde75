"""Intervals for ratios of rates, for figures with a jackknife, and percentiles of replicates."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from stages.metrics.comparisons import wilson

# An interval from replicates that are mostly undefined would describe only the lucky draws.
LEAST_DEFINED = 0.95
EQUAL = "no interval: all replicates are equal, so too few people or no variation to estimate it from"
Interval = tuple[float, float, str | None]
# One of two people with 79 % of the texts, or 82 % beside very many: beyond, a ratio is that person's.
LEAST_EFFECTIVE = 1.5
MOST = 700.0  # of an exponent, beyond which there is no number
Scale = Literal["share", "size", "correlation"]


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


def jackknife_interval(value: float, error: float, effective: float, confidence: float, scale: Scale) -> Interval:
    """An interval of a figure with the jackknife's standard ``error`` by author, from so many ``effective`` people (Kish 1965).

    With t of Student's distribution with ``effective`` - 1 degrees of freedom, on the scale on which such a figure is nearest normal:

    share        in [0, 1]: Wilson's score interval of value (1 - value) / error^2 independent texts with t for z (Korn and Graubard 1998);
                 of the effective people where nothing varies
    size         0 or more: value exp(-+ t error / value), the delta method on logarithms
    correlation  in [-1, 1]: tanh(artanh value -+ t error / (1 - value^2)), the delta method on Fisher's z

    NaN, NaN and the reason where one person has nearly all that counts, or a size or correlation does not vary.
    """
    if not effective >= LEAST_EFFECTIVE or not np.isfinite(error):
        return np.nan, np.nan, "no interval: one person has nearly all texts that count"
    t = stats.t.ppf((1 + confidence) / 2, max(1.0, effective - 1))
    if scale == "share":
        spread = value * (1 - value)
        worth = spread / error**2 if min(spread, error) > 1e-9 else effective
        found = wilson(np.array(value), np.array(worth * (stats.norm.ppf((1 + confidence) / 2) / t) ** 2), confidence)
        return float(found.low), float(found.high), None
    if error <= 1e-12 or value in ((0.0,) if scale == "size" else (-1.0, 1.0)):
        return np.nan, np.nan, "no interval: nothing varies between people"
    if scale == "size":
        reach = min(t * error / value, MOST)
        return float(value * np.exp(-reach)), float(value * np.exp(reach)), None
    reach = t * error / (1 - value**2)
    return float(np.tanh(np.arctanh(value) - reach)), float(np.tanh(np.arctanh(value) + reach)), None


def _undefined(number: int, of: int) -> str:
    return f"no interval: undefined in {number} of {of} replicates"
