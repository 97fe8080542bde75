"""Which groups are further from everyone than chance makes any of them: Westfall and Young's max T tests over the groups of a set.

A group's statistic is the signed root of a binomial log-likelihood ratio, sqrt(2 n KL(rate || everyone)), with n the effective number
of texts of that group in the data, and in each permutation of that permutation's group (effective_sizes.py). Unlike a standardised
difference, which one person of a rare outcome makes arbitrarily large, it is at most sqrt(2 n log(1 / everyone)) in a group of n.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from stages.metrics.between import Gap
from stages.metrics.fairness import Sums

TIE = 1 - 1e-9  # statistics that are equal on paper differ in their last digits


def signed_root(rates: Sums, everyone: Sums | float, texts: Sums) -> Sums:
    """sign(rate - everyone) sqrt(2 texts KL(rate || everyone)) of rates [..., groups], about standard normal where they are equal."""
    tiny = np.finfo(float).tiny  # 0 log 0 = 0
    with np.errstate(invalid="ignore", divide="ignore"):
        divergence = rates * np.log(np.maximum(rates, tiny) / everyone)
        divergence += (1 - rates) * np.log(np.maximum(1 - rates, tiny) / (1 - everyone))
    return np.sign(rates - everyone) * np.sqrt(2 * texts * np.maximum(divergence, 0))


class StepDown:
    """Step-down max T tests (Westfall and Young 1993, their Algorithm 4.1), counted while permutations are drawn.

    ``sizes`` [hypotheses] are the observed statistics, NaN where nothing is tested (no member of the family); ``starts`` [families + 1]
    says where each family begins and ends. p = (1 + permutations whose maximum is as large) / (1 + permutations), the maximum being
    over the hypotheses of the family that are not larger than the tested one, and p is never below that of a larger one. If a family
    holds no true difference, any of its p is <= a in at most a share a of studies.
    """

    def __init__(self, sizes: Sums, starts: NDArray[np.int64]) -> None:
        self.sizes, self.drawn = np.abs(sizes), 0
        tested = [start + np.flatnonzero(~np.isnan(sizes[start:stop])) for start, stop in pairwise(starts)]
        self.orders = [part[np.argsort(self.sizes[part], kind="stable")] for part in tested]
        self._larger, self._alone, self._measured = (np.zeros(len(sizes)) for _ in range(3))

    def add(self, drawn: Sums, of: NDArray[np.int64] | None = None) -> None:
        """Count permutations' statistics [permutations, hypotheses], NaN where not measured; ``of``: of those hypotheses alone.

        They must be all that are tested.
        """
        of = np.arange(len(self.sizes)) if of is None else of
        drawn, place = np.abs(drawn), np.zeros(len(self.sizes), dtype=np.int64)
        place[of] = np.arange(len(of))
        self.drawn += len(drawn)
        self._alone[of] += (drawn >= self.sizes[of] * TIE).sum(axis=0)
        self._measured[of] += (~np.isnan(drawn)).sum(axis=0)
        for order in self.orders:
            largest = np.fmax.accumulate(drawn[:, place[order]], axis=1)
            self._larger[order] += (largest >= self.sizes[order] * TIE).sum(axis=0)

    def p_values(self) -> Sums:
        """Adjusted p [hypotheses]; NaN where nothing is tested."""
        # A hypothesis that few permutations measure is not the further out for it: its p is at least that among its own.
        alone = np.maximum((1 + self._larger) / (1 + self.drawn), (1 + self._alone) / (1 + self._measured))
        found = np.full(len(self.sizes), np.nan)
        for order in self.orders:
            found[order[::-1]] = np.maximum.accumulate(alone[order[::-1]])
        return found

    def p_families(self) -> Sums:
        """The smallest p [families] of each; NaN where nothing is tested."""
        p_values = self.p_values()
        return np.array([p_values[order[-1]] if len(order) else np.nan for order in self.orders])


def distances(gap: Gap, null: Sums, texts: Sums, starts: NDArray[np.int64]) -> Sums:
    """How far from parity a gap is [permutations, sets] over each set's groups, of rates [permutations, groups] of ``texts`` [groups].

    NaN where fewer than two groups are measured.
    """
    found = np.full((len(null), len(starts) - 1), np.nan)
    for number, (start, stop) in enumerate(pairwise(starts)):
        known = (~np.isnan(null[:, start:stop])).sum(axis=1) >= 2
        found[known, number] = np.abs(gap.of(null[known, start:stop], texts[start:stop]) - gap.parity)
    return found
