"""How far groups are from everyone, studentised by the authors of the groups themselves: of the data and of permutations alike."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from stages.metrics.effective_sizes import Clustered, design_effect, intraclass_correlation, over
from stages.metrics.estimates import Estimate
from stages.metrics.furthest import signed_root
from stages.metrics.groups import Groups

Numbers = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass(frozen=True)
class Statistic:
    """Signed roots of likelihood ratios of a metric's groups beside everyone, studentised by the authors of the groups themselves."""

    groups: Groups
    metric: str
    estimate: Estimate

    @cached_property
    def everyone(self) -> Clustered:
        return self.groups.all_clustered(self.metric)

    @cached_property
    def people(self) -> tuple[Numbers, Numbers]:
        """People [groups] of each group, and of everybody else."""
        return self.estimate.people, self.groups.all_people(self.metric) - self.estimate.people

    @cached_property
    def variance(self) -> float:
        """The variance of one text of everyone, on the metric's own scale."""
        centre, span = self.estimate.scaled(self.estimate.everyone), self.estimate.most - self.estimate.least
        return float(span**2 * centre * (1 - centre) / self.groups.each(self.metric))

    @cached_property
    def alike(self) -> float:
        return float(intraclass_correlation(self.everyone, np.array([self.variance]))[0])

    def observed(self, fewest: int) -> Numbers:
        """[groups]; NaN where fewer than ``fewest`` people are in a group, or outside it, and where a group has no value."""
        every = np.arange(len(self.estimate.value))
        found = self.of(self.estimate.value, self.groups.clustered(self.metric), self.everyone, every)
        return np.where(np.minimum(*self.people) >= fewest, found, np.nan)

    def permuted(self, by_cell: Numbers, chosen: Index) -> Numbers:
        """[permutations, chosen groups] of sums by cell."""
        values, own = self.groups.dealt(self.metric, by_cell, self.groups.lattice.spread[:, chosen])
        whole = sparse.csr_array(np.ones((by_cell.shape[1], 1)))
        return self.of(values, own, self.groups.dealt(self.metric, by_cell[:1], whole)[1], chosen)

    def of(self, values: Numbers, own: Clustered, everyone: Clustered, chosen: Index) -> Numbers:
        """[..., chosen groups] of values and sums beside sums [1] of everyone; 0 where no two texts of anybody differ."""
        rest = everyone.without(own)
        if self.variance <= 0:
            return np.where(np.isnan(values) | (rest.texts <= 0), np.nan, 0.0)
        share = over(own.texts, everyone.texts)
        effects = [self._effect(part, people[chosen]) for part, people in ((own, self.people[0]), (rest, self.people[1]))]
        apart = (1 - share) ** 2 * (over(effects[0], own.texts) + over(effects[1], rest.texts))
        texts = self.groups.each(self.metric) * over(np.ones_like(apart), apart)
        return signed_root(self.estimate.scaled(values), self.estimate.scaled(self.estimate.everyone), texts)

    def _effect(self, sums: Clustered, people: Numbers) -> Numbers:
        within: Numbers | float = self.variance
        if self.groups.is_rate(self.metric):
            value = sums.value()
            within = value * (1 - value) * over(sums.texts, sums.texts - 1)
        return design_effect(sums, np.asarray(within), np.array(self.variance), np.array(self.alike), people)
