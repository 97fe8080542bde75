"""The permutation test of two sets of numbers: exact up to forty of them, by seeded draws beyond."""

from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from stages.probes import figures

Numbers = NDArray[np.float64]
# Two halves of so many numbers have 2^20 subsets each.
MOST = 40
CHUNK = 4_000_000


def p_value(x: Numbers, y: Numbers, draws: int, seed: int) -> float:
    """The share of partitions of ``x`` and ``y`` into sets of their sizes whose difference of means is at least that observed.

    One-sided, ties count, the partition observed is one of them: the least value is 1 / C(x + y, x). Exact up to ``MOST`` numbers in
    all; beyond, (1 + draws at least as large) / (1 + draws).
    """
    values = np.concatenate([x, y])
    if len(values) <= MOST:
        return at_least(values, len(x)) / comb(len(values), len(x))
    return figures.p_value(drawn(x, y, draws, seed), float(x.mean() - y.mean()))


def at_least(values: Numbers, size: int) -> int:
    """How many subsets of ``size`` of the values have at least the sum of the first ``size``: none is left out, few are looked at.

    Each subset is one of the first half of the values and one of the second (Horowitz and Sahni 1974, doi:10.1145/321812.321823):
    for every size of the one, its sorted sums are searched for what each sum of the other still needs.
    """
    values = values - values.mean()
    wanted = values[:size].sum() - _tolerance(values)
    (left, in_left), (right, in_right) = (_subsets(half) for half in np.split(values, [len(values) // 2]))
    number = 0
    for count in range(size + 1):
        ordered, needed = np.sort(left[in_left == count]), wanted - right[in_right == size - count]
        number += len(ordered) * len(needed) - int(np.searchsorted(ordered, needed, side="left").sum())
    return number


def drawn(x: Numbers, y: Numbers, draws: int, seed: int) -> Numbers:
    """Differences of means [draws] of random partitions of ``x`` and ``y`` into sets of their sizes."""
    values = np.concatenate([x, y])
    first = values[_dealt(len(values), len(x), draws, seed)].sum(axis=1)
    found: Numbers = first / len(x) - (values.sum() - first) / len(y)
    return found


@lru_cache(maxsize=8)
def _dealt(number: int, size: int, draws: int, seed: int) -> NDArray[np.integer]:
    """Random subsets of ``size`` of ``number`` places [draws, size]; remembered, as tests of one size ask for the same ones."""
    generator, places = np.random.default_rng(seed), np.arange(number, dtype=np.min_scalar_type(number))
    step = max(1, CHUNK // number)
    lengths = (min(step, draws - start) for start in range(0, draws, step))
    dealt = (generator.permuted(np.broadcast_to(places, (length, number)), axis=1)[:, :size] for length in lengths)
    return np.concatenate(list(dealt))


def _subsets(values: Numbers) -> tuple[Numbers, NDArray[np.int8]]:
    """The sum and the size of each of the 2^n subsets of n values."""
    sums, sizes = np.zeros(1), np.zeros(1, dtype=np.int8)
    for value in values:
        sums, sizes = np.concatenate([sums, sums + value]), np.concatenate([sizes, sizes + np.int8(1)])
    return sums, sizes


def _tolerance(values: Numbers) -> float:
    """What sums of the same numbers in another order may differ by, so that ties are ties."""
    return 1e-13 * len(values) * float(np.abs(values).max())
