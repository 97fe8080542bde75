"""The size-matched null of very many people: what their deals come to in the normal limit, in memory that does not grow with them."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from stages.metrics.contingency import Contingency, memberships, sides, with_products
from stages.metrics.fairness import add_up
from stages.metrics.permutation import Seed, blocks_of
from stages.metrics.scoring import Cell, Rules, Sets, sample

Numbers = NDArray[np.float64]
# From so many people on, deals of whole tables follow the limit.
MANY = 200_000
# In a cell of fewer people than this each of them is drawn.
FEW = 1000
CHUNK = 100


def sampled(table: Contingency, sets: Sets, rules: Rules) -> Cell:
    """``scoring.sample``, its null in the normal limit where there are ``MANY`` people."""
    cell = sample(table, sets, rules)
    return cell if table.authors.sum() < MANY else replace(cell, null=_null)


def _null(table: Contingency, sets: Sets, draws: int, seed: Seed) -> Iterator[Numbers]:
    """``permutation.null_sums`` in the limit."""
    statuses, outcomes, blocks = blocks_of(table)
    members, number = sides(memberships(statuses, table.attributes, sets)).astype(float), blocks.sum(axis=0).astype(float)
    for dealt in limit_of(blocks.sum(axis=1).astype(float), with_products(outcomes), number, draws, seed):
        yield np.einsum("rsq,sg->rgq", dealt, members, optimize=True)


def limit_of(sizes: Numbers, outcomes: Numbers, number: Numbers, draws: int, seed: Seed) -> Iterator[Numbers]:
    """Sums [chunk, cells, quantities] of ``number`` [kinds] people with ``outcomes`` [kinds, quantities] dealt to cells of ``sizes``."""
    mean = number @ outcomes / number.sum()
    covariance = (outcomes * number[:, None]).T @ outcomes / number.sum() - np.outer(mean, mean)
    chances = np.cumsum(number) / number.sum()
    pool = outcomes[np.searchsorted(chances, (np.arange(1 << 16) + 0.5) / (1 << 16))]
    return limit(sizes, mean, covariance, pool, draws, seed)


def limit(number: Numbers, mean: Numbers, covariance: Numbers, pool: Numbers, draws: int, seed: Seed) -> Iterator[Numbers]:
    """Sums [chunk, cells, quantities] of people dealt to cells of ``number`` [cells]: normal, of the moments of such deals.

    ``mean`` [quantities] and ``covariance`` are those of all people. In a cell of few, each is drawn from ``pool`` [people, quantities].
    """
    random = np.random.default_rng(seed)
    roots, vectors = np.linalg.eigh(covariance)
    spread = (vectors * np.sqrt(np.maximum(roots, 0))).T
    few = np.flatnonzero((number > 0) & (number < FEW))
    owner = np.repeat(np.arange(len(few)), number[few].astype(np.int64))
    for start in range(0, draws, CHUNK):
        step = min(CHUNK, draws - start)
        noise = (random.standard_normal((step, len(number), len(mean))) @ spread) * np.sqrt(number)[:, None]
        noise -= noise.sum(axis=1, keepdims=True) * (number / number.sum())[:, None]
        dealt = number[:, None] * mean + noise
        for draw in range(step) if len(few) else ():
            taken = pool[random.integers(0, len(pool), len(owner))]
            dealt[draw, few] = np.stack([add_up(owner, part, len(few)) for part in taken.T], axis=1)
        yield dealt
