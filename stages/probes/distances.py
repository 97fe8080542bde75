"""How near words stand to groups of people, in one number: AMAE, ARMSE, RND, MAC, ECT and RIPA.

All but RIPA take ``nearness`` x [..., words, groups], the mean cosine of each word with the terms of each group, for any leading axes of
replicates.
"""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from stages.probes.spaces import Vectors, unit

Numbers = NDArray[np.float64]


def amae(nearness: Numbers) -> Numbers:
    """Average mean absolute error: mean over pairs of groups of mean_j |x_1j - x_2j|, in [0, 2]; 0 is parity (Singh et al. 2021)."""
    return _mean([np.abs(apart).mean(axis=-1) for apart in _apart(nearness)])


def armse(nearness: Numbers) -> Numbers:
    """Average root mean squared error: mean over pairs of groups of sqrt(mean_j (x_1j - x_2j)^2), in [0, 2]; 0 is parity."""
    return _mean([np.sqrt(np.square(apart).mean(axis=-1)) for apart in _apart(nearness)])


def mac(nearness: Numbers) -> Numbers:
    """Mean average cosine: mean over words and groups of 1 - cos, a distance in [0, 2]; 1: orthogonal (Manzini et al. 2019, N19-1062)."""
    found: Numbers = (1 - nearness).mean(axis=(-2, -1))
    return found


def ect(nearness: Numbers) -> Numbers:
    """Embedding coherence: Spearman's correlation over words of nearness to one group and to another, mean over pairs; 1 is parity.

    Dev and Phillips 2019, arXiv:1901.07656, who compare with each group's mean: dividing by its length changes no rank. Ties, as of
    words drawn twice, have mid-ranks; NaN where all words are equally near to a group.
    """
    ranks = _ranks(nearness)
    ranks = ranks - ranks.mean(axis=-2, keepdims=True)
    lengths = np.sqrt(np.square(ranks).sum(axis=-2, keepdims=True))
    ranks = np.divide(ranks, lengths, out=np.full(ranks.shape, np.nan), where=lengths > 0)
    return _mean([(one * other).sum(axis=-1) for one, other in combinations(np.moveaxis(ranks, -1, 0), 2)])


def rnd(nearness: Numbers, lengths: Numbers) -> Numbers:
    """Relative norm distance of two groups: mean over words of |w - g1| - |w - g2|, in [-2, 2]; 0 is parity, above 0: nearer to g2.

    g is the mean of a group's terms, of length ``lengths`` [..., groups]. Garg et al. 2018, doi:10.1073/pnas.1720347115, who sum over
    words; the mean does not grow with the list.
    """
    apart = np.sqrt(np.maximum(1 - 2 * nearness + np.square(lengths)[..., None, :], 0))
    found: Numbers = (apart[..., 0] - apart[..., 1]).mean(axis=-1)
    return found


def ripa(words: Vectors, first: Vectors, second: Vectors) -> Numbers:
    """Relational inner product association [words, pairs]: w . (x - y) / |x - y|; 0 is parity, above 0: towards x.

    ``words`` [words, dimensions], and ``first`` and ``second`` [pairs, dimensions] as they are, of any length, as their lengths are
    part of it (Ethayarajh et al. 2019, doi:10.18653/v1/P19-1166).
    """
    found: Numbers = words @ unit(first - second).T
    return found


def _apart(nearness: Numbers) -> list[Numbers]:
    return [one - other for one, other in combinations(np.moveaxis(nearness, -1, 0), 2)]


def _mean(pairs: list[Numbers]) -> Numbers:
    return np.asarray(np.mean(pairs, axis=0))


def _ranks(values: Numbers) -> Numbers:
    """Mid-ranks along the last but one axis: the mean of where a value would come first and last among all."""
    values = np.moveaxis(values, -2, -1)
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    number = values.shape[-1]
    new = np.concatenate([np.ones((*values.shape[:-1], 1), dtype=bool), np.diff(ordered, axis=-1) > 0], axis=-1)
    first = np.maximum.accumulate(np.where(new, np.arange(number), 0), axis=-1)
    last_new = np.concatenate([new[..., 1:], np.ones((*values.shape[:-1], 1), dtype=bool)], axis=-1)
    last = np.minimum.accumulate(np.where(last_new, np.arange(number), number)[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2, axis=-1)
    return np.moveaxis(ranks, -1, -2)
