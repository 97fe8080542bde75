"""The size-matched null: what groups of these sizes show when demographics and outcomes have nothing to do with each other.

Outcomes stay with their authors, all texts of an author together, while demographics are permuted across authors. Groups keep their
numbers of authors, so that small and many groups show as large gaps as small and many groups do by chance. They do not keep their
numbers of texts: statistics are studentised by what the permuted authors wrote (effective_sizes.py).
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import fft, sparse

from stages.metrics.contingency import Contingency, counted, memberships, sides, with_products

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]
Seed = int | tuple[int, ...]
CHUNK_BYTES = 32_000_000
# What one more cell of the table costs a deal in additions of one person, and what a shuffled person does.
CELL_COST, SHUFFLED_COST = 100, 8
# From so many people on, deals come from shifting a shuffled circle of them, up to SHIFTS from one circle.
MANY, SHIFTS = 2000, 1000
# The transform of one status costs so many sums of all people.
FOURIER_COST = 12


def favourable_only(table: Contingency) -> Contingency:
    """The table of texts with a favourable label: dealing demographics among them keeps each group's own count of such texts."""
    keep = np.flatnonzero(table.favourable)
    profiles = sparse.csr_array(table.profiles[:, keep])
    some = np.flatnonzero(np.diff(profiles.indptr))
    cells = {name: getattr(table, name)[keep] for name in ("status", "favourable", "selected")}
    return replace(table, **cells, profiles=sparse.csr_array(profiles[some]), authors=table.authors[some])


def null_sums(table: Contingency, sets: list[tuple[str, ...]], draws: int, seed: Seed) -> Iterator[Numbers]:
    """Sums over authors [chunk, 1 + 2 x sets, 12] of ``draws`` tables with permuted demographics, as ``Contingency.clustered`` has them."""
    statuses, outcomes, blocks = blocks_of(table)
    members = sides(memberships(statuses, table.attributes, sets)).astype(float)
    for by_status in deal(blocks, with_products(outcomes), draws, seed):
        yield np.einsum("rsq,sg->rgq", by_status, members, optimize=True)


def deal(blocks: Counts, outcomes: Numbers, draws: int, seed: Seed) -> Iterator[Numbers]:
    """Sums by status [chunk, statuses, quantities] of ``draws`` deals of people's outcomes [kinds, quantities] among the statuses.

    ``blocks`` [statuses, kinds] is how many people there are of each; every deal has its margins.
    """
    if _cell_by_cell(int(blocks.sum()), blocks.size):
        random, step = np.random.default_rng(seed), max(1, int(CHUNK_BYTES // (8 * max(blocks.size, len(blocks) * outcomes.shape[1]))))
        for start in range(0, draws, step):
            yield _drawn(blocks, outcomes, min(step, draws - start), random)
    else:
        status, kind = (np.repeat(index.ravel(), blocks.ravel()) for index in np.indices(blocks.shape))
        yield from _one_by_one(status, outcomes[kind], len(blocks), draws, seed)


def deal_people(status: Counts, outcomes: Numbers, statuses: int, draws: int, seed: Seed, base: int | None = None) -> Iterator[Numbers]:
    """The same of people one by one: the ``status`` [people], from 0 to ``statuses`` - 1, and outcomes [people, quantities] of each.

    The first ``base`` quantities determine the others (by default all are looked at).
    """
    kind: NDArray[Any] = outcomes[:, 0]
    for quantity in outcomes.T[1:base]:
        _, first, kind = np.unique(kind + 1j * quantity, return_index=True, return_inverse=True)
    if _cell_by_cell(len(status), statuses * len(first)):
        blocks = np.bincount(status * len(first) + kind, minlength=statuses * len(first)).reshape(statuses, len(first))
        return deal(blocks, outcomes[first], draws, seed)
    return _one_by_one(status, outcomes, statuses, draws, seed)


def _cell_by_cell(people: int, cells: int) -> bool:
    return people * (1 if people >= MANY else SHUFFLED_COST) > cells * CELL_COST


def _one_by_one(status: Counts, outcomes: Numbers, statuses: int, draws: int, seed: Seed) -> Iterator[Numbers]:
    random, people = np.random.default_rng(seed), len(status)
    if people == 0:  # nobody to deal: every deal is empty
        yield np.zeros((draws, statuses, outcomes.shape[1]))
        return
    columns, place = distinct(outcomes)
    many = people >= MANY
    way, step = (_shifted, min(people // 2, SHIFTS)) if many else (_shuffled, CHUNK_BYTES // (8 * people))
    step = max(1, min(step, CHUNK_BYTES // (8 * statuses * outcomes.shape[1])))
    for start in range(0, draws, step):
        yield way(status, columns, statuses, min(step, draws - start), random)[:, :, place]


def distinct(columns: Numbers) -> tuple[Numbers, Counts]:
    """The distinct columns of a table, in order of appearance, and which of them each column is.

    With one text an author hits^2, hits x texts and texts^2 are columns that are there already, and cost a permutation nothing.
    """
    kept: list[int] = []
    place = np.empty(columns.shape[1], dtype=np.int64)
    for column, values in enumerate(columns.T):
        same = [index for index, other in enumerate(kept) if np.array_equal(columns[:, other], values)]
        place[column] = same[0] if same else len(kept)
        kept += [] if same else [column]
    return columns[:, kept], place


def blocks_of(table: Contingency) -> tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.int64]]:
    """Distinct statuses, distinct outcomes [kinds, 4] of an author, and how many authors have each pair [statuses, outcomes].

    An author whose demographics differ between texts counts as one author for each.
    """
    statuses, status = np.unique(table.status, axis=0, return_inverse=True)
    spread = sparse.csr_array((np.ones(len(status)), (np.arange(len(status)), status.ravel())), shape=(len(status), len(statuses)))
    quantities = counted(table.favourable, table.selected)
    by_status = [np.asarray((table.profiles * quantities[:, q]) @ spread.toarray()) for q in range(4)]
    kind, place = np.nonzero(by_status[0])
    outcomes, outcome = np.unique(np.stack([part[kind, place] for part in by_status], axis=1), axis=0, return_inverse=True)
    blocks = np.zeros((len(statuses), len(outcomes)), dtype=np.int64)
    np.add.at(blocks, (place, outcome.ravel()), table.authors[kind].astype(np.int64))
    return statuses, outcomes, blocks


def _shuffled(status: Counts, outcomes: Numbers, statuses: int, draws: int, random: np.random.Generator) -> Numbers:
    """Sums by status [draws, statuses, quantities] of statuses shuffled among the people one by one."""
    dealt = random.permuted(np.broadcast_to(status, (draws, len(status))), axis=1)
    places = (dealt + np.arange(draws)[:, None] * statuses).ravel()
    sums = [np.bincount(places, np.tile(quantity, draws), draws * statuses) for quantity in outcomes.T]
    return np.stack(sums, axis=-1, dtype=float).reshape(draws, statuses, -1)


def _drawn(blocks: Counts, outcomes: Numbers, draws: int, random: np.random.Generator) -> Numbers:
    """The same from whole tables with the margins of ``blocks``, drawn cell by cell (hypergeometric given those before)."""
    left = np.tile(blocks.sum(axis=0), (draws, 1))
    sums = np.zeros((draws, len(blocks), outcomes.shape[1]))
    for status, number in enumerate(blocks.sum(axis=1)):
        wanted = np.full(draws, number)
        rest = left.sum(axis=1)
        for kind in range(blocks.shape[1]):
            rest = rest - left[:, kind]
            taken = random.hypergeometric(left[:, kind], rest, wanted)
            left[:, kind] -= taken
            wanted = wanted - taken
            sums[:, status] += taken[:, None] * outcomes[kind]
    return sums


def _shifted(status: Counts, outcomes: Numbers, statuses: int, draws: int, random: np.random.Generator) -> Numbers:
    """The same from one shuffled circle of people, the statuses turned by a different number of places for each deal.

    For any circle the turns are a group of permutations, so that tests by them are exact (Hemerik and Goeman 2018), and they need no
    shuffle for each deal; all at once they are a circular correlation, by the fast Fourier transform.
    """
    people = len(status)
    # Both in random order: alike neighbours would make alike deals of nearby turns.
    status, circle = random.permutation(status), random.permutation(outcomes).T.copy()
    turns = 1 + random.choice(people - 1, draws, replace=False)
    if statuses * FOURIER_COST < draws:
        members = np.equal.outer(np.arange(statuses), status).astype(float)
        turned = fft.irfft(np.conj(fft.rfft(members))[:, None] * fft.rfft(circle), people)[..., turns]
        # Whole numbers stay whole.
        return np.moveaxis(np.rint(turned) if (circle == np.rint(circle)).all() else turned, -1, 0)
    sums = np.empty((draws, statuses, len(circle)))
    for q, values in enumerate(circle):
        if (values == values[0]).all():  # everybody counts alike, whoever it is
            sums[:, :, q] = values[0] * np.bincount(status, minlength=statuses)
            continue
        twice = np.concatenate([values, values])
        for draw, turn in enumerate(turns):
            sums[draw, :, q] = np.bincount(status, twice[turn : turn + people], statuses)
    return sums
