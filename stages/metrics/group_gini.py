"""Gini coefficient of benefits within groups, with intervals and comparisons: unlike a rate or a mean it is no sum over people.

With b = 1 + decision - label (``inequality``), of whose texts a share m is missed (b = 0) and a share f is a false alarm (b = 2),
G = (m (1 - m) + f (1 - f)) / (1 - m + f), in [0, 1), parity and perfection 0. Its variance follows from those of m and f by the delta
method, with slopes dG/dm = (1 - 2m + G) / (1 - m + f) and dG/df = (1 - 2f - G) / (1 - m + f), authors' texts together.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stages.metrics.comparisons import Bounded, Scale, wilson
from stages.metrics.contingency import FAVOURABLE, SELECTED, TRUE_SELECTED
from stages.metrics.fairness import Sums, ratio
from stages.metrics.moments import Moments

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Benefits:
    """Moments of misses, of false alarms and of both together, of the same texts; two people's alikeness needs all three."""

    missed: Moments
    alarmed: Moments
    wrong: Moments

    def shares(self) -> tuple[Numbers, Numbers]:
        return self.missed.value(), self.alarmed.value()

    def value(self) -> Numbers:
        """G; NaN where nobody is counted or nobody benefits."""
        return gini(*self.shares())

    def slopes(self) -> tuple[Numbers, Numbers]:
        """dG/dm and dG/df."""
        missed, alarmed = self.shares()
        mean, value = 1 - missed + alarmed, self.value()
        return ratio(1 - 2 * missed + value, mean), ratio(1 - 2 * alarmed - value, mean)

    def variance(self) -> Numbers:
        """Variance of G between people."""
        return np.maximum(self.covariance(self.slopes(), self.slopes()), 0)

    def covariance(self, one: tuple[Numbers, Numbers], other: tuple[Numbers, Numbers]) -> Numbers:
        """Covariance between people of two figures with these slopes in the shares of misses and of false alarms."""
        missed, alarmed = self.missed.variance(), self.alarmed.variance()
        together = (self.wrong.variance() - missed - alarmed) / 2
        return one[0] * other[0] * missed + (one[0] * other[1] + one[1] * other[0]) * together + one[1] * other[1] * alarmed


def parts(counts: Sums) -> tuple[Numbers, Numbers]:
    """Whether each text of counts [texts, 4] is missed, and whether it is a false alarm [texts]."""
    return counts[..., FAVOURABLE] - counts[..., TRUE_SELECTED], counts[..., SELECTED] - counts[..., TRUE_SELECTED]


def gini(missed: Numbers, alarmed: Numbers) -> Numbers:
    """G of shares of texts; equal to ``inequality.gini`` of their counts."""
    return ratio(missed * (1 - missed) + alarmed * (1 - alarmed), 1 - missed + alarmed)


def influence(counts: Sums, weights: Numbers | None = None) -> Numbers:
    """What each text of everyone's counts [texts, 4] adds to everyone's G, about G: their mean is G, their variance a text's own.

    ``weights`` [texts]: how often each text counts, by default once.
    """
    missed, alarmed = parts(counts)
    return linear(missed, alarmed, np.ones(len(counts)), *(np.asarray(np.average(part, weights=weights)) for part in (missed, alarmed)))


def linear(missed: Numbers, alarmed: Numbers, texts: Numbers, m: Numbers, f: Numbers) -> Numbers:
    """G x ``texts`` to first order in ``missed`` and ``alarmed`` texts, about shares ``m`` and ``f`` of everyone's."""
    value, mean = gini(m, f), 1 - m + f
    slopes = ((1 - 2 * m + value) * (missed - m * texts) + (1 - 2 * f - value) * (alarmed - f * texts)) / np.where(mean > 0, mean, np.nan)
    return np.asarray(value * texts + slopes)


def worth(own: Benefits, scale: Scale) -> Numbers:
    """How many independent texts a rate of the same value and variance would be of, no text worth more than everyone's are."""
    value, people = own.value(), own.missed
    found = ratio(value * (1 - value), own.variance())
    return np.fmin(np.where(np.isnan(found), people.effective(), found), scale.each * people.independent(scale.alike))


def difference(own: Benefits, other: Benefits, inside: NDArray[np.bool_], scale: Scale, confidence: float) -> Bounded:
    """A group's G minus another's, in [-1, 1], parity 0; NaN where the group is all of the other.

    Zou and Donner's (2008) recovery of variances from the two Wilson intervals, with the correlation of the two where the group is
    ``inside`` the other: its people are a share w of the other's texts, so that the covariance is w times that within the group.
    """
    one, rest = (wilson(each.value(), worth(each, scale), confidence) for each in (own, other))
    share = np.where(inside, ratio(own.missed.texts, other.missed.texts), 0)
    together = share * own.covariance(own.slopes(), other.slopes())
    alike = np.clip(np.nan_to_num(ratio(together, np.sqrt(own.variance() * other.variance()))), -1, 1)
    apart = np.where(share >= 1, np.nan, one.value - rest.value)
    down, up, over, under = one.value - one.low, one.high - one.value, rest.high - rest.value, rest.value - rest.low
    low, high = (np.sqrt(np.maximum(a**2 - 2 * alike * a * b + b**2, 0)) for a, b in ((down, over), (up, under)))
    return Bounded(apart, np.maximum(-1, apart - low), np.minimum(1, apart + high))
