"""Second pass over big predictions: the tables that a lot of people adds to, and how the tables of all lots add up."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flows.large_people import Profiles, added, profiles_of, start_of_records
from flows.large_spill import bin_of, lot_of, mixed
from stages.metrics.fairness import add_up
from stages.metrics.lattice import Lattice
from stages.metrics.moments import Moments, moments

Numbers = NDArray[np.float64]
Index = NDArray[np.int64]
# What is added up of scores that are probabilities, in the order of the arrays; ``Groups.parts`` says the same of texts in memory.
OF_SCORES = ("brier", "calibration", "mean_score_selected", "mean_score_rejected", "mean_score_favourable", "mean_score_unfavourable")
SAMPLE = 1 << 16  # people whose scores stand for all where a handful is drawn


@dataclass(frozen=True)
class Layout:
    """Which groups and levels of scores there are, and where a row belongs.

    ``combinations`` [combinations] of categories, sorted, and ``cell``, the finest group of each; ``lattice`` of all groups and
    ``reference``, whether a group is of those privileged throughout; ``level`` [bins] of scores between ``ends``, and how many
    ``levels``; ``exact``: whether no two scores share one; ``ranks``: whether scores are more than decisions, ``probable``: probabilities.
    """

    combinations: Index
    cell: Index
    lattice: Lattice
    reference: NDArray[np.bool_]
    level: NDArray[np.int32]
    levels: int
    ends: tuple[float, float]
    exact: bool
    ranks: bool
    probable: bool

    @property
    def cells(self) -> Index:
        """The group [cells, sets] of each finest group in each set."""
        return self.lattice.group

    @property
    def groups(self) -> int:
        return len(self.lattice.names)

    def places(self, rows: NDArray[Any]) -> tuple[Index, NDArray[np.bool_], NDArray[np.bool_], Index]:
        """Cell, label, decision and level of rows."""
        cell = self.cell[np.searchsorted(self.combinations, rows["code"] >> 2)]
        return cell, rows["code"] & 2 > 0, rows["code"] & 1 > 0, self.level[bin_of(rows["score"], self.ends)].astype(np.int64)


@dataclass(frozen=True)
class Tally:
    """What a lot adds. Moments of each metric are of records (a person in a cell), of the records of people in several cells, of such
    people by group, and of everyone. ``values`` [metrics, 3]: texts, their sum and sum of squares; ``least`` and ``most`` of each;
    ``scores``: sums of score, its square and score x label. ``histogram``: how many texts of each cell, label and level, keys ascending.
    ``sample``: what records of a few people add, by ``keys`` without pattern."""

    people: Profiles
    records: list[Moments]
    several: list[Moments]
    merged: list[Moments]
    everyone: list[Moments]
    values: Numbers
    least: Numbers
    most: Numbers
    scores: Numbers
    histogram: tuple[Index, Index]
    keys: NDArray[np.uint64]
    sample: Numbers


def tally(slices: Sequence[tuple[Path, int, int]], layout: Layout) -> Tally:
    """The tables of one lot."""
    rows, start = lot_of(slices)
    people = profiles_of(rows, start)
    if len(layout.cells) < len(layout.combinations):  # not every attribute is looked at
        rows = rows[np.lexsort((layout.places(rows)[0], rows["author"]))]
    cell, label, decision, level = layout.places(rows)
    key, times = np.unique((cell * 2 + label) * layout.levels + level, return_counts=True)
    score = rows["score"]
    sums = np.array([score.sum(), (score**2).sum(), score[label].sum(), ((score - label) ** 2).sum()])
    values, counting = of_scores(score, label, decision) if layout.probable else (np.empty((0, len(rows))),) * 2
    fresh = start_of_records(rows["author"], cell)
    record = np.flatnonzero(fresh)
    summed = (
        np.stack([np.add.reduceat(part, record, axis=1) for part in (values, counting)]) if len(rows) else np.empty((2, len(values), 0))
    )
    owner, place = np.cumsum(np.isin(record, start)) - 1, cell[record]
    shared = np.bincount(owner)[owner] > 1 if len(rows) else np.empty(0, bool)
    merged = _moments(summed[:, :, :0], place[:0], layout.groups)
    for of_set in layout.cells.T if shared.any() else ():
        person, keys = np.unique(owner[shared] * layout.groups + of_set[place[shared]], return_inverse=True)
        of_people = _moments(_added(summed[:, :, shared], keys, len(person)), person % layout.groups, layout.groups)
        merged = [one + other for one, other in zip(merged, of_people, strict=True)]
    everyone = _moments(_added(summed, owner, len(start)), np.zeros(len(start), np.int64), 1)
    chosen = np.argsort(mixed(rows["author"][record]), kind="stable")[:SAMPLE]
    counted = counting > 0
    return Tally(
        people,
        _moments(summed, place, len(layout.cells)),
        _moments(summed[:, :, shared], place[shared], len(layout.cells)),
        merged,
        everyone,
        np.stack([counting.sum(axis=1), values.sum(axis=1), (values**2).sum(axis=1)], axis=1),
        np.where(counted, values, np.inf).min(axis=1, initial=np.inf),
        np.where(counted, values, -np.inf).max(axis=1, initial=-np.inf),
        sums,
        (key, times),
        mixed(rows["author"][record])[chosen],
        summed[:, :, chosen],
    )


def of_scores(score: Numbers, label: NDArray[np.bool_], decision: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """What texts add to the numerators and the denominators of ``OF_SCORES`` [metrics, texts]."""
    error, ones = score - label, np.ones(len(score))
    some = [decision, ~decision, label, ~label]
    return np.stack([error**2, error, *(np.where(part, score, 0) for part in some)]), np.stack([ones, ones, *(part * 1.0 for part in some)])


def _added(summed: Numbers, place: Index, places: int) -> Numbers:
    """Sums [2, metrics, places] of ``summed`` [2, metrics, records]."""
    return np.stack([[add_up(place, part, places) for part in side] for side in summed]).reshape(2, summed.shape[1], places)


def _moments(summed: Numbers, place: Index, places: int) -> list[Moments]:
    """Moments [places] of each metric."""
    return [moments(hits, texts, place, places) for hits, texts in zip(*summed, strict=True)]


def together(one: Tally, other: Tally) -> Tally:
    """The sums of two lots, but for the histogram, which is added up apart."""
    sums: dict[str, Any] = {name: getattr(one, name) + getattr(other, name) for name in ("values", "scores")}
    for name in ("records", "several", "merged", "everyone"):
        sums[name] = [mine + theirs for mine, theirs in zip(getattr(one, name), getattr(other, name), strict=True)]
    keys, held = np.append(one.keys, other.keys), np.concatenate([one.sample, other.sample], axis=2)
    chosen = np.argsort(keys, kind="stable")[:SAMPLE]
    ends: dict[str, Any] = {"least": np.minimum(one.least, other.least), "most": np.maximum(one.most, other.most)}
    people = added(one.people, other.people)
    return replace(one, **sums, **ends, people=people, keys=keys[chosen], sample=held[:, :, chosen])
