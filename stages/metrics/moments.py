"""What is added up of people to know a rate and how it varies between them, whatever their numbers of texts."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from stages.metrics.fairness import add_up, ratio

Numbers = NDArray[np.float64]

# Authors of up to so many texts are told apart by each number of texts; above, numbers within GRAIN of each other are taken for their mean.
EXACT, GRAIN = 32, 1.03
BOUNDS = np.concatenate([np.arange(1, EXACT), np.ceil(EXACT * GRAIN ** np.arange(1200))])
HITS, TEXTS, PEOPLE, SQUARES, PRODUCTS, TEXT_SQUARES = range(6)


@dataclass(frozen=True)
class Moments:
    """Of one rate in some groups, by how many texts people have: ``sums`` [sizes, 6, groups], ``sizes`` [sizes] places in ``BOUNDS``.

    The six are hits, texts, people with a text that counts, and the people's sums of hits^2, hits x texts, texts^2. Moments of groups
    without common people add up, so that those of everybody else are a difference.
    """

    sizes: NDArray[np.int64]
    sums: Numbers

    def __add__(self, other: "Moments") -> "Moments":
        sizes = np.union1d(self.sizes, other.sizes)
        return Moments(sizes, self.on(sizes) + other.on(sizes))

    def without(self, part: "Moments") -> "Moments":
        return self + Moments(part.sizes, -part.sums)

    def on(self, sizes: NDArray[np.int64]) -> Numbers:
        """The sums by ``sizes``, which hold all of its own."""
        found = np.zeros((len(sizes), *self.sums.shape[1:]))
        found[np.searchsorted(sizes, self.sizes)] = self.sums
        return found

    def over(self, spread: sparse.csr_array) -> "Moments":
        """Moments of groups that are made of these: ``spread`` [these, groups]."""
        flat = np.asarray(self.sums.reshape(-1, self.sums.shape[-1]) @ spread)
        return Moments(self.sizes, flat.reshape(*self.sums.shape[:-1], -1))

    @cached_property
    def totals(self) -> Numbers:
        """The six sums [6, groups] of all people."""
        return np.asarray(self.sums.sum(axis=0))

    @property
    def hits(self) -> Numbers:
        return self.totals[HITS]

    @property
    def texts(self) -> Numbers:
        return self.totals[TEXTS]

    @property
    def people(self) -> Numbers:
        return self.totals[PEOPLE]

    @property
    def squares(self) -> Numbers:
        return self.totals[SQUARES]

    @property
    def products(self) -> Numbers:
        return self.totals[PRODUCTS]

    @property
    def text_squares(self) -> Numbers:
        return self.totals[TEXT_SQUARES]

    def effective(self) -> Numbers:
        """How many people with equally many texts each are worth as much: (sum of texts)^2 / sum of texts^2, at most ``people``.

        Kish (1965). A person with 30 % of the texts leaves 11 however many the others are. NaN where nobody counts.
        """
        return ratio(self.texts**2, self.text_squares)

    def value(self) -> Numbers:
        return ratio(self.hits, self.texts)

    def variance(self) -> Numbers:
        """Variance of the value between people: (people - 1) / people sum of ((hits - value texts) / (all texts - texts))^2.

        The jackknife of a ratio, CV3 (MacKinnon, Nielsen and Webb 2023): the value that is left without a person is off by what is summed.
        A person with a share of the texts pulls the value along and shrinks its own residual by one minus that share. NaN below two people.
        """
        people, value = self.sums[:, PEOPLE], self.value()
        squares = self.sums[:, SQUARES] - 2 * value * self.sums[:, PRODUCTS] + value**2 * self.sums[:, TEXT_SQUARES]
        mean = np.divide(self.sums[:, TEXTS], people, out=np.zeros_like(people), where=people != 0)
        moved = np.where(people != 0, ratio(squares, (self.texts - mean) ** 2), 0).sum(axis=0)
        return np.maximum(moved, 0) * ratio(self.people - 1, self.people)

    def worth(self, alike: float = 0.0) -> Numbers:
        """How many independent texts the rate is worth: rate (1 - rate) over its variance between people, at most ``independent``.

        Where nothing varies (the rate is 0 or 1) an ``effective`` person counts once. With one text a person it is the number of texts.
        """
        rate, variance = self.value(), self.variance()
        spread = rate * (1 - rate)
        varies = (variance > 1e-12) & (spread > 1e-12)
        worth = np.where(varies, np.minimum(self.texts, spread / np.where(varies, variance, 1)), self.effective())
        return np.minimum(np.where(self.text_squares == self.texts, self.texts, worth), self.independent(alike))

    def independent(self, alike: float) -> Numbers:
        """How many independent texts these would be were two texts of a person correlated by ``alike``: texts / (1 + (m - 1) alike).

        m is the mean over texts of how many their author wrote (Kish 1965). A few people vary less than such people do, so that the
        correlation among everyone bounds what a group's texts are worth.
        """
        return ratio(self.texts, 1 + alike * (ratio(self.text_squares, self.texts) - 1))

    def alike(self, variance: Numbers) -> float:
        """The correlation of two texts of a person among everyone [1], 0 or more; ``variance`` is that of the value of one text."""
        several = float(ratio(self.text_squares, self.texts)[0]) - 1
        excess = float(ratio(self.variance() * self.texts, variance)[0]) - 1
        return min(1.0, max(0.0, excess / several)) if several > 1e-9 and np.isfinite(excess) else 0.0


def moments(hits: Numbers, texts: Numbers, group: NDArray[np.int64], groups: int, number: Numbers | None = None) -> Moments:
    """Moments [groups] of people [people] in ``group`` with so many ``hits`` and ``texts`` each; ``number``: of each, by default one."""
    # A hair below, as texts may be quotients of counts.
    size = np.searchsorted(BOUNDS, texts - 1e-6)
    sizes = np.flatnonzero(np.bincount(size, minlength=1))
    place, places = np.searchsorted(sizes, size) * groups + group, len(sizes) * groups
    quantities = (hits, texts, texts > 0, hits**2, hits * texts, texts**2)
    counted = quantities if number is None else [number * quantity for quantity in quantities]
    sums = [add_up(place, quantity, places).reshape(len(sizes), groups) for quantity in counted]
    return Moments(sizes, np.stack(sums, axis=1))


def of_kinds(hits: Numbers, texts: Numbers, number: Numbers) -> Moments:
    """Moments [groups] of ``number`` [kinds] people of each kind, with ``hits`` and ``texts`` [kinds, groups] each."""
    kinds, groups = hits.shape
    return moments(hits.ravel(), texts.ravel(), np.tile(np.arange(groups), kinds), groups, np.repeat(number, groups))


def joined(parts: Sequence[Moments]) -> Moments:
    """The moments of several lots of groups, one lot after another."""
    sizes = functools.reduce(np.union1d, (part.sizes for part in parts))
    return Moments(sizes, np.concatenate([part.on(sizes) for part in parts], axis=2))
