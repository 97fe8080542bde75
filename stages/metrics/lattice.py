"""Every group that people are in, of every set of attributes met together, and the people of each group."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from stages.metrics.fairness import add_up
from stages.metrics.groupwise import UNKNOWN, Membership
from stages.metrics.moments import Moments, joined, moments

Numbers = NDArray[np.float64]
Index = NDArray[np.int64]
Sets = list[tuple[str, ...]]
# In a set of more groups than this, groups hold so few people that comparing them one by one says nothing.
MOST_GROUPS = 2048


@dataclass(frozen=True)
class Lattice:
    """The groups of ``sets``, one after another: those of set ``i`` are ``starts[i]`` to ``starts[i + 1]``.

    ``names`` [groups] are categories with commas between, unknown ones included. ``cell`` [rows] is the finest group of a row, by
    all attributes at once; ``group`` [cells, sets] the group of each cell in each set; ``codes`` [cells, attributes] its categories.
    ``left_out``: the sets of more than ``MOST_GROUPS`` groups and how many they have.
    """

    sets: Sets
    starts: Index
    names: list[str]
    codes: Index
    cell: Index
    group: Index
    left_out: dict[tuple[str, ...], int]

    def of(self, index: int) -> slice:
        """Where the groups of a set are."""
        return slice(self.starts[index], self.starts[index + 1])

    @cached_property
    def spread(self) -> sparse.csr_array:
        """Which groups a cell is part of [cells, groups], one of each set."""
        cells, sets = self.group.shape
        place = np.repeat(np.arange(cells), sets), self.group.ravel()
        return sparse.csr_array((np.ones(self.group.size), place), shape=(cells, len(self.names)))

    def membership(self, index: int, rows: Index) -> Membership:
        """Who of ``rows`` is in which group of a set."""
        group = self.group[self.cell[rows], index] - self.starts[index]
        names = self.names[self.of(index)]
        return Membership(
            tuple(names), sparse.csc_array((np.ones(len(rows), dtype=bool), (np.arange(len(rows)), group)), (len(rows), len(names)))
        )


def lattice(values: pd.DataFrame, sets: Sets) -> Lattice:
    """The groups of rows by ``values`` (a column of categories an attribute, null is the category unknown) that somebody is in."""
    categories, codes = {}, {}
    for name, column in values.items():
        codes[name], known = pd.factorize(column, sort=True)
        categories[name] = _named([str(category) for category in known])
        codes[name] = np.where(codes[name] < 0, len(known), codes[name])
    cell, cells = _distinct(codes, {name: len(known) for name, known in categories.items()}, tuple(values.columns))
    kept, starts, names, groups, left_out = [], [0], [], [], {}
    for chosen in sets:
        group, part = _distinct(
            {name: cells[:, list(values.columns).index(name)] for name in chosen}, {n: len(categories[n]) for n in chosen}, chosen
        )
        if len(part) > MOST_GROUPS:
            left_out[chosen] = len(part)
            continue
        kept.append(chosen)
        groups.append(group + starts[-1])
        starts.append(starts[-1] + len(part))
        names += [", ".join(categories[name][code] for name, code in zip(chosen, row, strict=True)) for row in part]
    group = np.stack(groups, axis=1) if groups else np.empty((len(cells), 0), dtype=np.int64)
    return Lattice(kept, np.array(starts), names, cells, cell, group, left_out)


def _named(known: list[str]) -> list[str]:
    """Categories as they stand in the names of groups, which no two groups share, and what those without one are called.

    A category with a comma is quoted, as commas lie between categories; one that is itself called unknown is not those not given.
    """
    shown = [f'"{category}"' if "," in category else category for category in known]
    return [*shown, f"{UNKNOWN} (not given)" if UNKNOWN in shown else UNKNOWN]


def _distinct(codes: dict[str, Index], numbers: dict[str, int], chosen: tuple[str, ...]) -> tuple[Index, Index]:
    """Which combination each row has [rows], and the combinations that occur [combinations, attributes], sorted."""
    joined = np.zeros(len(next(iter(codes.values()))), dtype=np.int64)
    for name in chosen:
        joined = joined * numbers[name] + codes[name]
        # Numbered anew at each step, so that many attributes of many categories do not overflow.
        place, _ = pd.factorize(joined, sort=True)
        joined, first = place, pd.Series(np.arange(len(place))).groupby(place).first().to_numpy()
    return joined, np.stack([codes[name][first] for name in chosen], axis=1)


@dataclass(frozen=True)
class Persons:
    """The people behind the rows of a lattice: all texts of an author in one group belong together.

    A record is an author in a finest cell: ``place`` [rows] leads to records, ``cell`` [records] to cells. ``merged`` is None where
    nobody's demographics differ between texts; else for each set which person of which group [records], [persons] a record is part of.
    """

    lattice: Lattice
    place: Index
    cell: Index
    merged: list[tuple[Index, Index]] | None

    def records(self, values: Numbers) -> Numbers:
        """Sums [records] of ``values`` [rows]."""
        return add_up(self.place, values, len(self.cell))

    def moments(self, hits: Numbers, texts: Numbers) -> Moments:
        """Moments [groups] of the people of each group, from ``hits`` and ``texts`` [rows]."""
        of_hits, of_texts = self.records(hits), self.records(texts)
        if self.merged is None:
            return moments(of_hits, of_texts, self.cell, len(self.lattice.group)).over(self.lattice.spread)
        found = []
        for index, (person, group) in enumerate(self.merged):
            own = [add_up(person, values, len(group)) for values in (of_hits, of_texts)]
            found.append(moments(own[0], own[1], group, int(self.lattice.starts[index + 1] - self.lattice.starts[index])))
        return joined(found)


def persons(found: Lattice, authors: Index) -> Persons:
    """The people of a lattice's rows, whose ``authors`` [rows] are numbers from 0 on."""
    place, records = pd.factorize(authors * len(found.group) + found.cell)
    owner, cell = np.divmod(records, len(found.group))
    merged = None
    if len(np.unique(owner)) < len(owner):
        merged = []
        for index, start in enumerate(found.starts[:-1]):
            groups = found.starts[index + 1] - start
            person, keys = pd.factorize(owner * groups + found.group[cell, index] - start)
            merged.append((person, keys % groups))
    return Persons(found, place, cell, merged)
