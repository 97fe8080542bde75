"""An interval of the larger of two groups' distances from everyone's rate: the fairness violation."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from stages.metrics.comparisons import compare
from stages.metrics.fairness import ratio
from stages.metrics.intervals import LEAST_EFFECTIVE, Interval
from stages.metrics.moments import of_kinds

Numbers = NDArray[np.float64]
# Nodes and weights on [-1, 1] that integrate the normal density to ten digits.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(64)


class Kinds(NamedTuple):
    """Kinds of author: ``hits`` and ``texts`` [kinds, 3] that one of them has among everyone and in two groups, ``authors`` [kinds]."""

    hits: Numbers
    texts: Numbers
    authors: Numbers


def largest_gap(kinds: Kinds, confidence: float) -> Interval:
    """An interval of the larger |rate of a group - rate of everyone|, in [0, 1]; NaN and the reason where a group is one person.

    The larger absolute value is biased upwards, so that its own percentiles never reach down to 0 where both gaps are 0. Instead both
    gaps get intervals (Newcombe's, of group and rest) that hold at once with ``confidence``; the larger lies between the larger lower
    and the larger upper bound of the two.
    """
    own, everyone = (of_kinds(kinds.hits[:, of], kinds.texts[:, of], kinds.authors) for of in (slice(1, 3), slice(0, 1)))
    if not own.effective().min() >= LEAST_EFFECTIVE:
        return np.nan, np.nan, "no interval: one person has nearly all favourable texts of one of the groups"
    alike = everyone.alike(everyone.value() * (1 - everyone.value()))
    each = 2 * stats.norm.cdf(both_within(_correlation(kinds), confidence)) - 1
    gaps = compare(own, everyone, np.ones(1, dtype=bool), float(each), alike)[0]
    nearest = np.maximum(np.maximum(gaps.low, -gaps.high), 0)
    furthest = np.maximum(np.abs(gaps.low), np.abs(gaps.high))
    return float(nearest.max()), float(min(1.0, furthest.max())), None


def both_within(correlation: float, confidence: float) -> float:
    """The c that two standard normal variables with this ``correlation`` both stay within, -c to c, with probability ``confidence``."""
    left = np.sqrt(1 - correlation**2)
    if left < 1e-6:
        return float(stats.norm.ppf((1 + confidence) / 2))

    def missing(c: float) -> float:
        x = c * NODES
        inside = stats.norm.cdf((c - correlation * x) / left) - stats.norm.cdf((-c - correlation * x) / left)
        return float(c * (WEIGHTS @ (stats.norm.pdf(x) * inside)) - confidence)

    least, most = stats.norm.ppf((1 + confidence) / 2), stats.norm.ppf((3 + confidence) / 4)
    return float(optimize.brentq(missing, least - 1e-3, most + 1e-3, xtol=1e-9))


def _correlation(kinds: Kinds) -> float:
    """Of the two gaps, from how each author moves them; 0 where one does not vary."""
    texts = kinds.authors @ kinds.texts
    moved = kinds.hits / texts - kinds.texts * ratio(kinds.authors @ kinds.hits, texts) / texts
    apart = moved[:, 1:] - moved[:, :1]
    (one, both), (_, other) = (apart * kinds.authors[:, None]).T @ apart
    return float(np.clip(both / np.sqrt(one * other), -1, 1)) if one * other > 0 else 0.0
