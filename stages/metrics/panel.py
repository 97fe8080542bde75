"""The people of one task with what every model decided on their texts: sums of groups as they are, drawn, swapped and dealt anew."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from stages.metrics.contingency import memberships
from stages.metrics.fairness import Sums, add_up

Numbers = NDArray[np.float64]
Whole = NDArray[np.int64]
Sets = list[tuple[str, ...]]


@dataclass(frozen=True)
class Panel:
    """People sorted by status, ``ends`` [statuses + 1] saying where each status begins and ends.

    ``owner`` [people] is who it is among the authors of all tasks of a source, ``people`` [authors, most] the other way round, -1 for
    none: an author whose demographics differ between texts is one person for each. ``members`` [groups, statuses]: everyone, then
    protected and privileged of each of ``sets``. ``counts`` [people, 2 + 2 models]: texts, favourable ones, those each model selects,
    those each rightly selects, which may be fractions.
    """

    owner: Whole
    people: Whole
    ends: Whole
    members: Numbers
    counts: Numbers
    sets: Sets

    def summed(self, weights: Numbers, counts: Numbers) -> Numbers:
        """Sums [draws, groups, counts] of ``counts`` [people, counts], each person counting ``weights`` [draws, people] times."""
        by_status = [weights[:, start:end] @ counts[start:end] for start, end in pairwise(self.ends)]
        return self.members @ np.stack(by_status, axis=1)

    def people_in(self) -> Numbers:
        """How many people of each group [groups, 2] have a text, and one with a favourable label."""
        return self.summed(np.ones((1, len(self.owner))), (self.counts[:, :2] > 0).astype(float))[0]

    def drawn(self, weights: Numbers) -> Sums:
        """Group sums [draws, models, groups, 4] of people drawn ``weights`` [draws, people] times."""
        return by_model(self.summed(weights, self.counts))

    def point(self) -> Sums:
        """Group sums [models, groups, 4] of the people as they are."""
        return self.drawn(np.ones((1, len(self.owner))))[0]

    def swapped(self, coins: Numbers, pairs: list[tuple[int, int]]) -> tuple[Sums, Sums]:
        """Group sums [draws, pairs, groups, 4] of both models of each pair once decisions on people with ``coins`` 1 are swapped."""
        one, other = np.array(pairs).T
        decided = self.counts[:, 2:].reshape(len(self.owner), 2, -1)
        change = (decided[..., other] - decided[..., one]).reshape(len(decided), -1)
        moved = by_model(self.summed(coins, np.pad(change, ((0, 0), (2, 0)))))  # labels stay where they are
        point = self.point()
        return point[one] + moved, point[other] - moved

    def dealt(self, line: Whole) -> tuple[Numbers, Numbers]:
        """Sums [groups, counts] of all texts, and of texts with a favourable label, with statuses dealt anew.

        The statuses are handed out in their order along a ``line`` [authors] of all authors of the source, so that tasks of the same
        people deal them (nearly) alike. Among favourable texts every group keeps its own number of people with one.
        """
        people = self.people[line].ravel()
        people = people[people >= 0]
        has = self.counts[:, 1] > 0
        own = np.concatenate([[0], np.cumsum(has)])[self.ends]
        return self._handed(people, self.ends), self._handed(people[has[people]], own)

    def _handed(self, people: Whole, ends: Whole) -> Numbers:
        given = sparse.csr_array((np.ones(len(people)), people, ends), shape=(len(ends) - 1, len(self.owner)))
        return self.members @ np.asarray(given @ self.counts)


def gather(status: pd.DataFrame, favourable: NDArray[np.bool_], decided: Numbers, owner: Whole, authors: int, sets: Sets) -> Panel:
    """The panel of texts: privileged / protected / null a column an attribute, labels, decisions [texts, models], numbered authors."""
    coded = np.where(status.isna(), -1, status == "privileged").astype(np.int8)
    statuses, which = np.unique(coded, axis=0, return_inverse=True)
    kinds, person = np.unique(which.ravel() * authors + owner, return_inverse=True)
    of_people, owners = np.divmod(kinds, authors)
    members = memberships(statuses, tuple(status.columns), sets).T
    kept = [0, *(4 * place + side for place in range(len(sets)) for side in (1, 2))]
    counted = [np.ones(len(owner)), favourable, *decided.T, *(decided.T * favourable)]
    counts = np.stack([add_up(person, values, len(kinds)) for values in counted], axis=1)
    ends = np.searchsorted(of_people, np.arange(len(statuses) + 1))
    return Panel(owners, _by_author(owners, authors), ends, members[kept].astype(float), counts, sets)


def _by_author(owner: Whole, authors: int) -> Whole:
    """The people [authors, most] that each author is, -1 for none."""
    number = pd.Series(owner).groupby(owner).cumcount().to_numpy()
    people = np.full((authors, number.max() + 1), -1)
    people[owner, number] = np.arange(len(owner))
    return people


def by_model(sums: Numbers) -> Sums:
    """Sums [draws, groups, 2 + 2 models] as [draws, models, groups, 4]: texts, favourable, selected, rightly selected."""
    labels, decided = sums[:, None, :, :2], np.moveaxis(sums[..., 2:].reshape(*sums.shape[:2], 2, -1), -1, 1)
    return np.concatenate([np.broadcast_to(labels, decided.shape), decided], axis=-1)
