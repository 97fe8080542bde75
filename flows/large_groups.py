"""Groups of people from tables of counts: what ``stages.metrics.groups`` finds in texts, found in kinds of people."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray

from flows.large_counts import OF_SCORES, Layout, Tally
from flows.large_limit import MANY, limit, limit_of
from flows.large_people import Profiles
from stages.metrics import group_gini
from stages.metrics.comparisons import Scale
from stages.metrics.contingency import counted
from stages.metrics.fairness import add_up, ratio
from stages.metrics.group_gini import Benefits
from stages.metrics.groups import GINI, TREATMENT, Groups
from stages.metrics.lattice import Persons, persons
from stages.metrics.moments import Moments, joined, moments, of_kinds
from stages.metrics.permutation import Seed, deal
from stages.metrics.placements import Side

Numbers = NDArray[np.float64]
Index = NDArray[np.int64]
Aucs = tuple[list[dict[str, tuple[Numbers, Numbers]]], float]


@dataclass(frozen=True)
class Kinds(Persons):
    """Persons in which a row is a kind of text of a kind of person; values of rows are of all texts of all such people together.

    ``number`` [records]: how many people a record stands for.
    """

    number: Numbers

    def records(self, values: Numbers) -> Numbers:
        return add_up(self.place, values, len(self.cell)) / self.number

    def moments(self, hits: Numbers, texts: Numbers) -> Moments:
        of_hits, of_texts = self.records(hits), self.records(texts)
        if self.merged is None:
            return moments(of_hits, of_texts, self.cell, len(self.lattice.group), self.number).over(self.lattice.spread)
        found = []
        for (person, group), groups in zip(self.merged, np.diff(self.lattice.starts), strict=True):
            number = np.zeros(len(group))
            number[person] = self.number
            own = [add_up(person, values, len(group)) for values in (of_hits, of_texts)]
            found.append(moments(own[0], own[1], group, int(groups), number))
        return joined(found)


@dataclass(frozen=True)
class Tallied(Groups):
    """Groups from kinds of people: ``counts`` [rows, 4] are of all texts of a row, ``texts`` [rows] how many these are, ``codes`` [rows]
    2 x label + decision, ``number`` [kinds] how many people there are of each; ``authors`` are kinds.

    ``score``, ``true`` and ``favourable`` hold what ``decides`` and ``ranks`` look at; the scores themselves are in ``scores``.
    """

    texts: Numbers
    codes: Index
    number: Numbers
    scores: Tally | None
    ranked: Aucs | None = None

    @property
    def ranks(self) -> bool:
        return self.scores is not None

    def means(self) -> tuple[str, ...]:
        probable = self.scores is not None and len(self.scores.values)
        return (*OF_SCORES[:2], TREATMENT, *OF_SCORES[2:]) if probable else (TREATMENT,)

    def aucs(self) -> Aucs:
        return cast(Aucs, self.ranked)

    def _of_scores(self, metric: str) -> tuple[Tally, int] | None:
        return (self.scores, OF_SCORES.index(metric)) if self.scores is not None and metric in OF_SCORES else None

    def moments(self, metric: str) -> Moments:
        if (found := self._of_scores(metric)) is None:
            return super().moments(metric)
        scores, at = found
        return scores.records[at].without(scores.several[at]).over(self.lattice.spread) + scores.merged[at]

    @cached_property
    def everyone(self) -> Callable[[str], Moments]:
        def of(metric: str) -> Moments:
            found = self._of_scores(metric)
            return self._all(*self.parts(metric)) if found is None else found[0].everyone[found[1]]

        return of

    def scale(self, metric: str) -> Scale:
        if (found := self._of_scores(metric)) is None:
            hits, texts = self.parts(metric)
            values, texts = (hits / self.texts)[texts > 0], texts[texts > 0]
            if not len(values):
                return Scale(0.0, 0.0, np.nan, 0.0)
            return self._scale(
                metric, values.min(), values.max(), np.average((values - np.average(values, weights=texts)) ** 2, weights=texts)
            )
        scores, at = found
        number, total, squares = scores.values[at]
        if not number:
            return Scale(0.0, 0.0, np.nan, 0.0)
        return self._scale(metric, scores.least[at], scores.most[at], max(0.0, squares / number - (total / number) ** 2))

    def _scale(self, metric: str, least: float, most: float, variance: float) -> Scale:
        everyone, spread = self.everyone(metric), np.array([variance])
        each = float(ratio((everyone.value() - least) * (most - everyone.value()), spread)[0])
        return Scale(float(least), float(most), each, everyone.alike(spread))

    @cached_property
    def benefits(self) -> Benefits:
        missed, alarmed = group_gini.parts(self.counts)
        return Benefits(*(self.people.moments(part, self.texts) for part in (missed, alarmed, missed + alarmed)))

    @cached_property
    def all_benefits(self) -> tuple[Benefits, Scale]:
        missed, alarmed = group_gini.parts(self.counts)
        whole, added = Benefits(*(self._all(part, self.texts) for part in (missed, alarmed, missed + alarmed))), self.influence / self.texts
        spread = np.array([np.average((added - np.average(added, weights=self.texts)) ** 2, weights=self.texts)])
        each = float(ratio(whole.value() * (1 - whole.value()), spread)[0])
        return whole, Scale(0.0, 1.0, each, self.all_benefit_parts.alike(spread))

    def _all(self, values: Numbers, counting: Numbers) -> Moments:
        hits, texts = (add_up(self.authors, part, len(self.number))[:, None] / self.number[:, None] for part in (values, counting))
        return of_kinds(hits, texts, self.number)

    def side(self, counting: Numbers) -> Side:
        """The texts of each group that count, everyone's last [groups + 1]; ``counting`` [rows]."""
        parts = self.people.moments(counting, counting), self._all(counting, counting)
        return Side(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("texts", "text_squares", "people")))

    @cached_property
    def influence(self) -> Numbers:
        return group_gini.influence(self.counts / self.texts[:, None], self.texts) * self.texts

    @cached_property
    def benefit_parts(self) -> Moments:
        return self.people.moments(self.influence, self.texts)

    @cached_property
    def all_benefit_parts(self) -> Moments:
        return self._all(self.influence, self.texts)

    def quantities(self, metric: str) -> tuple[Numbers, ...]:
        return (*group_gini.parts(self.counts), self.texts) if metric == GINI else self.parts(metric)

    def deals(self, metric: str, draws: int, seed: Seed) -> Iterator[Numbers]:
        """As of texts; of scores, and of ``MANY`` people, in the normal limit."""
        if (found := self._of_scores(metric)) is not None:
            return self._deals_of_scores(metric, found[0].records[found[1]].totals, found[0].sample[:, found[1]], draws, seed)
        kinds, quantities = cast(Kinds, self.people), self.quantities(metric)
        outcomes = self.outcomes(metric, [kinds.records(part) for part in quantities])
        counting = outcomes[:, len(quantities) - 1] > 0
        outcomes, cell, number = outcomes[counting], kinds.cell[counting], kinds.number[counting]
        cells = len(self.lattice.group)
        if number.sum() >= MANY:
            return limit_of(add_up(cell, number, cells), outcomes, number, draws, seed)
        alike, first, kind = np.unique(outcomes[:, : len(quantities)], axis=0, return_index=True, return_inverse=True)
        blocks = np.bincount(cell * len(alike) + kind.ravel(), number, cells * len(alike)).astype(np.int64).reshape(cells, -1)
        return deal(blocks, outcomes[first], draws, seed)

    def _deals_of_scores(self, metric: str, moments: Numbers, sample: Numbers, draws: int, seed: Seed) -> Iterator[Numbers]:
        """Sums of people's hits, texts and their products from moments [6, cells] and the ``sample`` [2, people] of some of them.

        Means, and the covariance of hits and texts, are exact; how products vary is as in the sample.
        """
        people, moments = moments[2], moments[[0, 1, 3, 4, 5]]
        pool = self.outcomes(metric, list(sample[:, sample[1] > 0]))
        mean = moments.sum(axis=1) / people.sum()
        covariance = np.cov(pool, rowvar=False, bias=True)
        covariance[:2, :2] = mean[2:][[[0, 1], [1, 2]]] - np.outer(mean[:2], mean[:2])
        return limit(people, mean, covariance, pool, draws, seed)


def of_profiles(people: Profiles, layout: Layout, kept: Tally) -> Tallied:
    """The groups of kinds of people, but for their AUCs."""
    kind, number = people.kind, people.number.astype(float)
    cell = layout.cell[np.searchsorted(layout.combinations, people.codes >> 2)]
    own = persons(replace(layout.lattice, cell=cell), kind)
    first = np.zeros(len(own.cell), dtype=np.int64)
    first[own.place[::-1]] = np.arange(len(kind))[::-1]
    kinds = Kinds(own.lattice, own.place, own.cell, own.merged, number[kind[first]])
    label, decision = people.codes & 2 > 0, people.codes & 1 > 0
    texts, scores = people.texts * number[kind], kept if layout.ranks else None
    counts, outputs = counted(label, decision) * texts[:, None], (label, decision.astype(float), label.astype(float))
    return Tallied(kinds, counts, *outputs, kind, layout.reference, texts, people.codes & 3, number, scores)
