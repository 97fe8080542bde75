"""Every gap of two revisions on the people they share, for any weights of the people: values, and distances from parity."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from stages.metrics import fairness, gaps
from stages.metrics.contingency import memberships
from stages.metrics.fairness import Sums, ratio
from stages.metrics.group_tests import ABOVE, EVERY, GAPS, HIGHEST, LOWEST, RATIO
from stages.metrics.groups import RATES, Groups, gather
from stages.metrics.resampling import HALF
from stages.metrics.scoring import OURS, PAIR, Sets
from stages.metrics.shared_documents import Shared

Numbers = NDArray[np.float64]
PAIRS, OVER_ALL = "gaps of protected and privileged", "gaps over all groups"
OF_MODELS = ("di", "adi", "fv")  # di_star compares labels, in which a model has no part
MEANS = ("brier", "calibration", "mean_output", "mean_error", "mae", "mse")
# Denominators of a gap, by which people are counted: of FV those with a favourable text.
COUNTED = {"fv": "tpr", "di": "selection_rate", "adi": "selection_rate", "differential_fairness": "selection_rate"}


class Figure(NamedTuple):
    """A figure's place among the scores, and the family whose tests its q is corrected for."""

    attributes: str
    order: int
    group: str
    metric: str
    convention: str
    family: str


class Gaps:
    """The gaps of both sides: ``drawn`` with people counting so often, ``swapped`` with the decisions on some people exchanged."""

    def __init__(self, shared: Shared, sets: Sets, conventions: tuple[str, ...]) -> None:
        self.sets, self.conventions, self.authors = sets, conventions, shared.authors
        self.sides = [gather(shared.frame(side), sets) for side in (0, 1)]
        self.found = self.sides[0].lattice
        self.means = tuple(name for name in MEANS if all(name in side.means() for side in self.sides))
        self.rates = tuple(name for name in RATES if name not in ("base_rate", "fnr", "tnr"))  # fnr and tnr: the gaps of tpr and fpr
        first = np.zeros(len(self.found.group), dtype=np.int64)
        first[self.found.cell[::-1]] = np.arange(len(shared.authors))[::-1]
        coded = np.where(shared.status.isna(), -1, shared.status == "privileged").astype(np.int8)[first]
        members = memberships(coded, tuple(shared.status.columns), sets)
        kept = [0, *(1 + 4 * place + side for place in range(len(sets)) for side in (0, 1))]
        self.members = sparse.hstack([sparse.csr_array(members[:, kept].astype(float)), self.found.spread]).tocsr()
        self.first_group = len(kept)
        self.counted = [self._by_author(side) for side in self.sides]

    def drawn(self, weights: Numbers, side: int) -> dict[Figure, tuple[Numbers, Numbers]]:
        """Value and distance from parity [draws] of each figure, authors counting ``weights`` [draws, authors] times."""
        return dict(self._figures(self._sums(weights, self.counted[side])))

    def swapped(self, coins: Numbers) -> list[dict[Figure, tuple[Numbers, Numbers]]]:
        """The same of both sides once all decisions on the authors with ``coins`` [draws, authors] 1 are exchanged."""
        moved = self._sums(coins, self.counted[1] - self.counted[0])
        point = [self._sums(np.ones((1, coins.shape[1])), counted) for counted in self.counted]
        return [dict(self._figures(sums)) for sums in (point[0] + moved, point[1] - moved)]

    def untested(self, fewest: int) -> dict[Figure, str]:
        """The figures that are not tested, and why: too few people in the smaller group of a pair, or in the second largest of all.

        Or a gap between everyone and the worst group, whose rate is 0 (or 1) on both sides: it moves along with everyone's rate alone.
        """
        rates = ("selection_rate", "tpr", "fpr", *self.rates, *self.means)
        people = {rate: np.minimum(*(self._people(side.parts(rate)[1]) for side in self.sides)) for rate in dict.fromkeys(rates)}
        people["equalised_odds"] = np.minimum(people["tpr"], people["fpr"])
        point = [self._sums(np.ones((1, counted.shape[0])), counted) for counted in self.counted]
        measured = [{name: groups[0] for name, groups, _ in self._measured(sums[:, self.first_group :], sums[:, 0])} for sums in point]
        found = {}
        for figure in dict(self._figures(point[0])):
            number = self._smaller(figure, people[COUNTED.get(figure.metric, figure.metric)])
            if number < fewest:
                found[figure] = f"not tested: {number} people in one of the groups, {fewest} needed"
            elif figure.group in (LOWEST, ABOVE):
                part, end = self.found.of(self.found.sets.index(tuple(figure.attributes.split("+")))), float(figure.group == ABOVE)
                if all((side[figure.metric][part] == end).any() for side in measured):
                    found[figure] = (
                        f"not tested: the rate of the worst group is {end:.0f} in both, so that the gap is everyone's rate alone"
                    )
        return found

    def _smaller(self, figure: Figure, people: Numbers) -> int:
        """How many ``people`` [groups] the smaller group of a pair has, or the second largest of all groups of a set."""
        chosen = tuple(figure.attributes.split("+"))
        if figure.group == PAIR:
            at = 1 + 2 * self.sets.index(chosen)
            return int(people[at : at + 2].min())
        part = np.sort(people[self.first_group :][self.found.of(self.found.sets.index(chosen))])
        return int(part[-2]) if len(part) > 1 else 0

    def _by_author(self, side: Groups) -> sparse.csr_array:
        """What the texts of an author add to each finest cell [authors, cells x quantities]."""
        columns = np.column_stack([side.counts, *(side.parts(name)[0] for name in self.means)])
        row = np.repeat(self.authors, columns.shape[1])
        place = (self.found.cell[:, None] * columns.shape[1] + np.arange(columns.shape[1])).ravel()
        shape = int(self.authors.max()) + 1, len(self.found.group) * columns.shape[1]
        return sparse.csr_array((columns.ravel(), (row, place)), shape=shape)

    def _sums(self, weights: Numbers, counted: sparse.csr_array) -> Sums:
        """Sums [draws, groups, quantities]: everyone, protected and privileged of each set, then all groups of the lattice."""
        by_cell = (weights @ counted).reshape(len(weights), len(self.found.group), -1)
        spread = self.members.T @ np.moveaxis(by_cell, 0, 1).reshape(by_cell.shape[1], -1)
        return np.moveaxis(np.asarray(spread).reshape(spread.shape[0], len(weights), -1), 0, 1)

    def _people(self, counts: Numbers) -> Numbers:
        """How many authors have a text that counts, in each group."""
        shape = int(self.authors.max()) + 1, len(self.found.group)
        own = sparse.csr_array(((counts > 0).astype(float), (self.authors, self.found.cell)), shape=shape)
        return np.asarray(((own @ self.members) > 0).sum(axis=0)).ravel()

    def _figures(self, sums: Sums) -> Iterator[tuple[Figure, tuple[Numbers, Numbers]]]:
        for convention in self.conventions:
            values, distances = _pair(sums[..., :4], 1, self.first_group, convention)
            for metric in OF_MODELS:
                for place, chosen in enumerate(self.sets):
                    family = PAIRS if convention == OURS else f"{PAIRS}, {convention}"
                    figure = Figure("+".join(chosen), len(chosen), PAIR, metric, convention, family)
                    yield figure, (values[metric][:, place], distances[metric][:, place])
        groups, everyone = sums[:, self.first_group :], sums[:, 0]
        for metric, of_groups, of_all in self._measured(groups, everyone):
            for place, chosen in enumerate(self.found.sets):
                part = self.found.of(place)
                for name in GAPS.get(metric, {HIGHEST: None}):
                    value, distance = _over_all(name, of_groups[:, part], of_all, groups[:, part, :4])
                    yield Figure("+".join(chosen), len(chosen), name, metric, OURS, OVER_ALL), (value, distance)

    def _measured(self, groups: Sums, everyone: Sums) -> Iterator[tuple[str, Numbers, Numbers]]:
        for rate in self.rates:
            of_groups, of_all = (ratio(*fairness.counts(part[..., :4], rate)) for part in (groups, everyone))
            yield rate, of_groups, of_all
        for place, name in enumerate(self.means, 4):
            of_groups, of_all = (ratio(part[..., place], part[..., 0]) for part in (groups, everyone))
            yield name, of_groups, of_all
        tpr, fpr = (ratio(*fairness.counts(groups[..., :4], rate)) for rate in ("tpr", "fpr"))
        yield "equalised_odds", np.stack([tpr, fpr], axis=-1), everyone
        yield "differential_fairness", tpr, everyone


def _pair(sums: Sums, start: int, stop: int, convention: str) -> tuple[dict[str, Numbers], dict[str, Numbers]]:
    """Gaps [draws, sets] and their distances: |log| of ratios, half a text added to both groups where a ratio is 0."""
    sides = sums[:, start:stop:2], sums[:, start + 1 : stop : 2], sums[:, :1]
    values = fairness.gaps(sides[0], sides[1], sides[2], convention)
    distances = {"fv": values["fv"]}
    for metric in ("di", "adi"):
        ratios = values[metric]
        if (ratios == 0).any():
            added = fairness.gaps(sides[0] + HALF, sides[1] + HALF, sides[2] + HALF, convention)
            ratios = np.where(ratios == 0, added[metric], ratios)
        distances[metric] = np.abs(np.log(ratios))
    return values, distances


def _over_all(name: str, values: Numbers, everyone: Numbers, counts: Sums) -> tuple[Numbers, Numbers]:
    """One gap over all groups of a set [draws], and its distance from parity."""
    if name == RATIO:
        value = gaps.min_over_max(values)
        added = gaps.min_over_max(ratio(counts[..., 2] + 0.5, np.where(counts[..., 0] > 0, counts[..., 0] + 1, 0)))
        return value, np.abs(np.log(np.where(value == 0, added, value)))
    if name == EVERY:
        value = gaps.differential_fairness(counts, "decisions")
    elif values.ndim == 3:
        value = np.maximum(*(gaps.max_minus_min(values[..., kind]) for kind in (0, 1)))
    elif name in (LOWEST, ABOVE):
        value = gaps.worst_gap(values, everyone, "lowest" if name == LOWEST else "highest")
    else:
        value = gaps.max_minus_min(values)
    return value, np.abs(value)
