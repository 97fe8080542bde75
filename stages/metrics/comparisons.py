"""Rates of groups and their differences and ratios to others, with intervals that stay honest in tiny groups.

``value`` is a rate in [0, 1] and ``worth`` how many independent texts it is worth, any shapes that broadcast; NaN where undefined.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from stages.metrics.fairness import ratio
from stages.metrics.moments import Moments

Numbers = NDArray[np.float64]


class Bounded(NamedTuple):
    """A value and its interval."""

    value: Numbers
    low: Numbers
    high: Numbers


def wilson(value: Numbers, worth: Numbers, confidence: float) -> Bounded:
    """Wilson's score interval; it holds the value and stays in [0, 1]."""
    z2 = stats.norm.ppf((1 + confidence) / 2) ** 2
    worth = np.where(worth > 0, worth, np.nan)
    centre = (value + z2 / (2 * worth)) / (1 + z2 / worth)
    half = np.sqrt(z2 * (value * (1 - value) / worth + z2 / (4 * worth**2))) / (1 + z2 / worth)
    return Bounded(value, np.maximum(0, np.minimum(centre - half, value)), np.minimum(1, np.maximum(centre + half, value)))


def difference(one: Bounded, other: Bounded) -> Bounded:
    """One rate minus another of other people, in [-1, 1], parity 0: Newcombe's (1998) hybrid of the two Wilson intervals."""
    apart = one.value - other.value
    down = np.sqrt((one.value - one.low) ** 2 + (other.high - other.value) ** 2)
    up = np.sqrt((one.high - one.value) ** 2 + (other.value - other.low) ** 2)
    return Bounded(apart, np.maximum(-1, apart - down), np.minimum(1, apart + up))


def quotient(one: Bounded, other: Bounded) -> Bounded:
    """One rate over another of other people, in [0, inf), parity 1: Donner and Zou's (2012) ratio of the two Wilson intervals.

    NaN where the other rate is 0, as x / 0 is no measurement.
    """
    low = _root(one, one.low, other, other.high)
    # The upper end is one over the lower end of the other way round.
    high = ratio(np.ones_like(low), _root(other, other.low, one, one.high))
    value = ratio(one.value, other.value)
    known = np.isfinite(value)
    return Bounded(value, np.where(known, np.minimum(low, value), np.nan), np.where(known, np.maximum(high, value), np.nan))


class Scale(NamedTuple):
    """What all values of a mean lie between, what a text of everyone is worth on it, and how alike the texts of one person are."""

    least: float
    most: float
    each: float
    alike: float

    def to(self, values: Numbers) -> Numbers:
        """Values on the scale from 0 to 1."""
        return (values - self.least) / (self.most - self.least or 1.0)

    def worth(self, own: Moments) -> Numbers:
        """How many independent texts a rate of the same value and variance would be of; no text is worth more than everyone's are.

        A few people seldom show how far some values lie out: their own variance alone let Student's intervals of Brier scores hold the
        truth in 79 % of studies of five people.
        """
        if self.most == self.least:
            return np.full(own.people.shape, np.nan)
        share = self.to(own.value())
        worth = ratio(share * (1 - share), own.variance() / (self.most - self.least) ** 2)
        return np.fmin(np.where(np.isnan(worth), own.effective(), worth), self.each * own.independent(self.alike))


def mean_interval(own: Moments, scale: Scale, confidence: float) -> Bounded:
    """Wilson's interval of a mean on its scale; it holds the mean and no impossible value."""
    found = wilson(scale.to(own.value()), scale.worth(own), confidence)
    return Bounded(own.value(), *(scale.least + (scale.most - scale.least) * end for end in found[1:]))


def mean_difference(own: Moments, other: Moments, inside: NDArray[np.bool_], scale: Scale, confidence: float) -> Bounded:
    """A group's mean minus another's, parity 0, by Newcombe's hybrid; where the group is ``inside`` the other, of group and rest."""
    rest, share = _rest(own, other, inside)
    one, left = (wilson(scale.to(moments.value()), scale.worth(moments), confidence) for moments in (own, rest))
    return Bounded(*(np.asarray((1 - share) * (scale.most - scale.least) * end) for end in difference(one, left)))


def _rest(own: Moments, other: Moments, inside: NDArray[np.bool_]) -> tuple[Moments, Numbers]:
    """The other's people without those of the group inside it, and the group's share of the other's texts."""
    part = Moments(own.sizes, np.where(inside, own.sums, 0))
    return other.without(part), ratio(part.texts, other.texts)


def _root(one: Bounded, mine: Numbers, other: Bounded, theirs: Numbers) -> Numbers:
    """The smaller r with (one - r other)^2 = (one - mine)^2 + r^2 (other - theirs)^2, ``mine`` lower, ``theirs`` upper ends."""
    product, constant = one.value * other.value, mine * (2 * one.value - mine)
    inside = np.maximum(product**2 - constant * theirs * (2 * other.value - theirs), 0)
    return np.where(one.value > 0, ratio(constant, product + np.sqrt(inside)), 0)


def compare(own: Moments, other: Moments, inside: NDArray[np.bool_], confidence: float, alike: float = 0.0) -> tuple[Bounded, Bounded]:
    """Difference and ratio of a group's rate to another's; where the group is ``inside`` the other, from the group and the rest.

    With a share w of the other's texts, group - other = (1 - w)(group - rest) and group / other = r / (w r + 1 - w) with
    r = group / rest. NaN where nobody is left to compare with.
    """
    rest, share = _rest(own, other, inside)
    one, left = (wilson(moments.value(), moments.worth(alike), confidence) for moments in (own, rest))
    apart, times = difference(one, left), quotient(one, left)
    scaled = Bounded(*(np.asarray((1 - share) * end) for end in apart))
    value = np.where(np.isnan(left.value), np.nan, ratio(one.value, other.value()))
    low, high = (end / (share * end + 1 - share) for end in times[1:])
    return scaled, Bounded(value, np.minimum(low, value), np.maximum(high, value))
