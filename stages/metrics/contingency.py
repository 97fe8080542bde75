"""One table of counts per cell of the benchmark, from which every count-based number and every bootstrap replicate follows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

GROUPS = ("protected", "privileged", "mixed", "unknown")
# What is counted in each group; rates and gaps are ratios of these.
TEXTS, FAVOURABLE, SELECTED, TRUE_SELECTED = range(4)
# Of what products over authors are counted too, after the four.
PRODUCTS = (
    *((quantity, quantity) for quantity in range(4)),
    (SELECTED, TEXTS),
    (FAVOURABLE, TEXTS),
    (SELECTED, FAVOURABLE),
    (TRUE_SELECTED, FAVOURABLE),
)
CHUNK_BYTES = 64_000_000
# Drawing how often a kind of author occurs costs as much as drawing so many authors one by one.
PEOPLE_A_KIND = 12


@dataclass(frozen=True)
class Contingency:
    """Counts of (privileged/protected/unknown on each attribute) x label x decision.

    ``status`` [cells, attributes]: 1 privileged, 0 protected, -1 unknown. ``favourable``, ``selected`` [cells]: label and decision.
    ``profiles`` [kinds of author, cells]: how many texts an author of that kind has in each cell; ``authors`` [kinds]: how many such.
    """

    attributes: tuple[str, ...]
    status: NDArray[np.int8]
    favourable: NDArray[np.bool_]
    selected: NDArray[np.bool_]
    profiles: sparse.csr_array
    authors: NDArray[np.float64]

    def counts(self) -> NDArray[np.float64]:
        """Texts (or probability mass) in each cell."""
        return np.asarray(self.authors @ self.profiles, dtype=float)

    def groups(self, sets: list[tuple[str, ...]]) -> NDArray[np.float64]:
        """What each cell adds to each group: [cells, 1 + 4 x sets, 4], groups in the order of ``memberships``."""
        members = memberships(self.status, self.attributes, sets)
        return members[:, :, None] * counted(self.favourable, self.selected)[:, None, :]

    def by_author(self, sets: list[tuple[str, ...]]) -> NDArray[np.float64]:
        """What one author of each kind adds to each group [kinds of author, groups, 4]."""
        groups = self.groups(sets)
        return np.asarray(self.profiles @ groups.reshape(len(groups), -1)).reshape(-1, *groups.shape[1:])

    def people(self, sets: list[tuple[str, ...]]) -> NDArray[np.float64]:
        """How many authors have at least one of the counted texts in each group [groups, 4]."""
        return np.einsum("k,kgq->gq", self.authors, self.by_author(sets) > 0)

    def clustered(self, sets: list[tuple[str, ...]]) -> NDArray[np.float64]:
        """Sums over authors [1 + 2 x sets, 12] of the four counts and their ``PRODUCTS``: of everyone, then of each set's ``sides``."""
        return np.einsum("k,kgq->gq", self.authors, with_products(sides(self.by_author(sets), axis=1)))

    def replicates(self, sets: list[tuple[str, ...]], number: int, seed: int) -> Iterator[NDArray[np.float64]]:
        """Bootstrap replicates of the group sums [replicates, groups, 4], a chunk at a time.

        Resampling authors with replacement equals drawing the number of authors of each kind from a multinomial; with one text
        an author that is resampling rows. All texts of a drawn author come along, so that their dependence is kept.
        """
        random = np.random.default_rng(seed)
        groups = self.groups(sets)
        people, kinds = int(self.authors.sum()), len(self.authors)
        one_by_one = people < PEOPLE_A_KIND * kinds
        kind = np.repeat(np.arange(kinds), self.authors.astype(np.int64)) if one_by_one else np.empty(0, np.int64)
        step = max(1, CHUNK_BYTES // (8 * kinds))
        for start in range(0, number, step):
            draws = min(step, number - start)
            if one_by_one:
                drawn = np.stack([np.bincount(kind[random.integers(0, people, people)], minlength=kinds) for _ in range(draws)])
            else:
                drawn = random.multinomial(people, self.authors / people, draws)
            # By way of the cells, which are few: people with several texts each make many kinds.
            yield np.tensordot((self.profiles.T @ drawn.T.astype(float)).T, groups, axes=1)

    def sums(self, sets: list[tuple[str, ...]]) -> NDArray[np.float64]:
        """The group sums [groups, 4] of the data themselves."""
        return np.einsum("c,cgq->gq", self.counts(), self.groups(sets))


def memberships(status: NDArray[np.int8], attributes: tuple[str, ...], sets: list[tuple[str, ...]]) -> NDArray[np.bool_]:
    """Who is in which group [kinds, 1 + 4 x sets]: first everyone, then protected, privileged, mixed and unknown of each set."""
    members = [np.ones(len(status), dtype=bool)]
    for chosen in sets:
        part = status[:, [attributes.index(name) for name in chosen]]
        unknown = (part == -1).any(axis=1)
        protected, privileged = (part == 0).all(axis=1), (part == 1).all(axis=1)
        members += [protected, privileged, ~(unknown | protected | privileged), unknown]
    return np.stack(members, axis=1)


def sides(groups: NDArray[Any], axis: int = -1) -> NDArray[Any]:
    """Of groups in the order of ``memberships`` along an axis: everyone, then protected and privileged of each set."""
    number = groups.shape[axis] // len(GROUPS)
    return np.take(groups, [0, *(1 + len(GROUPS) * index + side for index in range(number) for side in (0, 1))], axis)


def with_products(outcomes: NDArray[np.float64]) -> NDArray[np.float64]:
    """The counts of authors [..., 4] and their ``PRODUCTS`` [..., 12]."""
    return np.concatenate([outcomes, np.stack([outcomes[..., one] * outcomes[..., other] for one, other in PRODUCTS], axis=-1)], axis=-1)


def counted(favourable: NDArray[np.bool_], selected: NDArray[np.bool_]) -> NDArray[np.float64]:
    """What one text of each cell counts as [cells, 4]: a text, a favourable label, a selection, a right selection."""
    return np.stack([np.ones_like(favourable), favourable, selected, favourable & selected], axis=1).astype(float)


def tabulate(status: pd.DataFrame, favourable: NDArray[np.bool_], selected: NDArray[np.bool_], authors: NDArray[np.object_]) -> Contingency:
    """The contingency table of texts: ``status`` holds privileged / protected / null a column an attribute; all have one row a text."""
    coded = np.column_stack([_code(status), favourable, selected]).astype(np.int8)
    # One number a kind of row: each column holds -1, 0 or 1.
    cell, kinds = pd.factorize((coded + 1) @ 3 ** np.arange(coded.shape[1], dtype=np.int64)[::-1], sort=True)
    cells = (kinds[:, None] // 3 ** np.arange(coded.shape[1], dtype=np.int64)[::-1] % 3 - 1).astype(np.int8)
    author, _ = pd.factorize(authors)
    pairs, texts = np.unique(author * len(cells) + cell, return_counts=True)
    owner, place = np.divmod(pairs, len(cells))
    by_author = sparse.csr_array((texts.astype(float), (owner, place)), shape=(author.max() + 1, len(cells)))
    # Authors with the same texts in the same cells are interchangeable: one profile and how many share it.
    first, number = _alike(by_author)
    profiles = by_author[first]
    return _contingency(tuple(status.columns), cells, profiles, number.astype(float))


def tabulate_population(
    status: pd.DataFrame, favourable: NDArray[np.bool_], selected: NDArray[np.bool_], mass: NDArray[np.float64]
) -> Contingency:
    """The table of expected shares of a known population: probability mass in place of counts."""
    cells = np.column_stack([_code(status), favourable, selected]).astype(np.int8)
    return _contingency(tuple(status.columns), cells, sparse.csr_array(sparse.eye_array(len(cells))), np.asarray(mass, dtype=float))


def _alike(by_author: sparse.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first row of each kind of row, and how many rows are of that kind."""
    kinds: dict[bytes, list[int]] = {}
    starts = by_author.indptr
    for row in range(by_author.shape[0]):
        part = slice(starts[row], starts[row + 1])
        kinds.setdefault(by_author.indices[part].tobytes() + by_author.data[part].tobytes(), [row, 0])[1] += 1
    first, number = np.array(list(kinds.values())).T
    return first, number


def _code(status: pd.DataFrame) -> NDArray[np.int8]:
    """privileged 1, protected 0, unknown -1."""
    return np.column_stack([np.select([column == "privileged", column == "protected"], [1, 0], -1) for _, column in status.items()]).astype(
        np.int8
    )


def _contingency(
    attributes: tuple[str, ...], cells: NDArray[np.int8], profiles: sparse.csr_array, authors: NDArray[np.float64]
) -> Contingency:
    return Contingency(attributes, cells[:, :-2], cells[:, -2] == 1, cells[:, -1] == 1, profiles, authors)
