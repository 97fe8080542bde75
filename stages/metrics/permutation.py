"""The size-matched null: what groups of these sizes show when demographics and outcomes have nothing to do with each other.

Outcomes stay with their authors, all texts of an author together, while the authors' demographics are dealt out anew. Group
sizes stay as they are (exactly so where all authors have equally many texts), so that small and many groups show as large gaps
as small and many groups do by chance.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from stages.metrics.contingency import Contingency, counted, memberships

CHUNK_BYTES = 64_000_000
# Drawing a table cell by cell costs about so many shuffled authors.
HYPERGEOMETRIC_COST = 6


def favourable_only(table: Contingency) -> Contingency:
    """The table of texts with a favourable label: dealing demographics among them keeps each group's own count of such texts."""
    keep = np.flatnonzero(table.favourable)
    profiles = sparse.csr_array(table.profiles[:, keep])
    some = np.flatnonzero(np.diff(profiles.indptr))
    cells = {name: getattr(table, name)[keep] for name in ("status", "favourable", "selected")}
    return replace(table, **cells, profiles=sparse.csr_array(profiles[some]), authors=table.authors[some])


def null_sums(table: Contingency, sets: list[tuple[str, ...]], draws: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Group sums [chunk, groups, 4] of ``draws`` tables with demographics dealt anew, in the order of ``Contingency.groups``."""
    statuses, outcomes, blocks = _blocks(table)
    members = memberships(statuses, table.attributes, sets).astype(float)
    random = np.random.default_rng(seed)
    direct = blocks.sum() < HYPERGEOMETRIC_COST * blocks.size
    deal = _shuffled if direct else _drawn
    step = max(1, int(CHUNK_BYTES // (8 * (blocks.sum() if direct else blocks.size))))
    for start in range(0, draws, step):
        by_status = deal(blocks, outcomes, min(step, draws - start), random)
        yield np.einsum("rsq,sg->rgq", by_status, members, optimize=True)


def _blocks(table: Contingency) -> tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.int64]]:
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


def _shuffled(blocks: NDArray[np.int64], outcomes: NDArray[np.float64], draws: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Sums by status [draws, statuses, 4] of statuses shuffled among the authors one by one."""
    status, outcome = (np.repeat(index.ravel(), blocks.ravel()) for index in np.indices(blocks.shape))
    dealt = random.permuted(np.broadcast_to(status, (draws, len(status))), axis=1)
    places = (dealt + np.arange(draws)[:, None] * len(blocks)).ravel()
    sums = np.empty((draws, len(blocks), 4))
    for q in range(4):
        sums[:, :, q] = np.bincount(places, np.tile(outcomes[outcome, q], draws), minlength=draws * len(blocks)).reshape(draws, -1)
    return sums


def _drawn(blocks: NDArray[np.int64], outcomes: NDArray[np.float64], draws: int, random: np.random.Generator) -> NDArray[np.float64]:
    """The same from whole tables with the margins of ``blocks``, drawn cell by cell (hypergeometric given those before)."""
    left = np.tile(blocks.sum(axis=0), (draws, 1))
    sums = np.zeros((draws, len(blocks), 4))
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
