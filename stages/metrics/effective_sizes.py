"""Effective sample sizes of groups, in the data and in every permutation, so that tests hold where groups write unequally many texts.

Permuting demographics across authors keeps how many authors a group has, not how many texts they wrote nor how alike these are. A
statistic whose standard error is that of the permuted groups themselves is about as extreme in permutations as in the data all the same
(studentised permutation: Janssen 1997, Chung and Romano 2013); one with a common standard error is not. Where every author has one
text and a metric is a rate, nothing changes: each text counts as one.
"""

from typing import NamedTuple

import numpy as np

from stages.metrics.fairness import Sums, ratio

# A group's design effect is estimated with so many authors of the typical variance added, so that that of a few authors is no accident.
ADDED_AUTHORS = 2.0
# Authors whose texts differ more than chance (each half selected, say) still tell no more than ten times their texts.
LEAST = 0.1


class Clustered(NamedTuple):
    """Sums [..., groups] over authors of hits, texts, hits^2, hits x texts and texts^2."""

    hits: Sums
    texts: Sums
    squares: Sums
    products: Sums
    text_squares: Sums

    def without(self, part: "Clustered") -> "Clustered":
        return Clustered(*(whole - inside for whole, inside in zip(self, part, strict=True)))

    def value(self) -> Sums:
        return over(self.hits, self.texts)

    def authors(self) -> Sums:
        """Effective number of authors (Kish 1965): texts^2 / sum of squared texts, at most the number of authors."""
        return over(self.texts**2, self.text_squares)

    def own(self) -> Sums:
        """Sum over authors of (hits - value x texts)^2, times authors / (authors - 1) of the effective ones."""
        value, authors = self.value(), self.authors()
        squares = self.squares - 2 * value * self.products + value**2 * self.text_squares
        return np.maximum(squares, 0) * authors / np.maximum(authors - 1, 0.5)


def intraclass_correlation(everyone: Clustered, variance: Sums) -> Sums:
    """How alike two texts of one author are, at most 1, 0 without any likeness; ``variance`` is that of one text of everyone."""
    several = ratio(everyone.text_squares, everyone.texts) - 1
    excess = ratio(everyone.own(), everyone.texts * variance) - 1
    return np.minimum(np.nan_to_num(ratio(excess, np.where(several > 1e-9, several, 0))), 1)


def design_effect(sums: Clustered, variance: Sums, typical: Sums, alike: Sums, people: Sums) -> Sums:
    """The variance of each group's value [..., groups] over that of as many independent texts, from the group's own authors.

    ``variance`` [..., groups] is that of one text within the group, ``typical`` that among everyone, ``alike`` everyone's intraclass
    correlation, ``people`` [groups] how many authors there are. ``ADDED_AUTHORS`` authors are added whose design effect is as Kish's
    formula has it for texts so spread over authors: 1 + (m - 1) icc with m = sum of squared texts / texts.
    """
    expected = np.maximum(1 + alike * (over(sums.text_squares, sums.texts) - 1), LEAST)
    added = ADDED_AUTHORS * typical * over(sums.texts, people)
    return over(sums.own() + added * expected, np.nan_to_num(sums.texts * variance) + added)


def over(numerator: Sums, denominator: Sums) -> Sums:
    """``ratio`` at a third of its cost, as permutations divide much."""
    return np.asarray(numerator / np.where(denominator == 0, np.nan, denominator))
