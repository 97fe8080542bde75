"""Which words of each category lean to which group of names, and what a random turn of all words against all names gives.

The rotational null of Swinger et al. 2019: words come about as they do, but how they lie to the names is chance, so that any orthogonal
matrix U may stand between the two. Only what U does to the names' means matters: it takes them to random ones of the same lengths and
angles, so that a frame of as many random orthonormal vectors as there are groups is all that is drawn.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from stages.probes.frequent_words import Categories
from stages.probes.generalised import parts
from stages.probes.spaces import Vectors

Numbers = NDArray[np.float64]
Nearest = Literal["euclid", "inner_product"]
# Rotations of one matrix product: 26 MB of products of 30,000 words with 12 groups and their mean.
AT_ONCE = 8
# Leans of unit vectors lie within [-2, 2]: cells that are so far apart do not mix when leans are sorted together.
APART = 4.0


def chosen(centres: Vectors, categories: Categories, each: int, nearest: Nearest) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of the words A_ij [groups, categories, each], -1 where there are too few, and how many there are to choose from, |V_ij|.

    V_ij: the words of category j that are nearer to the mean X_i of group i than to any other; A_ij: those of them with the largest
    (X_i - mu) . w. ``nearest``: by distance, or by inner product. ``centres`` [groups, dimensions].
    """
    products = categories.rows @ centres.T
    owner = np.argmax(products - heights(centres, nearest), axis=1)
    lean = products[np.arange(len(owner)), owner] - products.mean(axis=1)
    shape = len(centres), len(categories.lengths)
    cell = owner * shape[1] + categories.of
    order, numbers = np.lexsort((-lean, cell)), np.bincount(cell, minlength=shape[0] * shape[1])
    places = (np.cumsum(numbers) - numbers)[:, None] + np.arange(each)
    rows = np.where(numbers[:, None] >= each, order[np.minimum(places, len(order) - 1)], -1)
    return rows.reshape(*shape, each), numbers.reshape(shape)


def scores(centres: Vectors, categories: Categories, rows: NDArray[np.int64]) -> tuple[Numbers, Vectors]:
    """sigma_ij = (X_i - mu) . (A_ij - A_j), the mean of A_ij against that of its category, NaN without words; and the means A_ij.

    In [-4, 4]; 0: the words lean to the group no more than their category does.
    """
    means = categories.rows[rows].mean(axis=2)
    means[(rows < 0).any(axis=2)] = np.nan
    return parts(centres, means, categories.means), means


def heights(centres: Vectors, nearest: Nearest) -> Numbers:
    """Half the squared lengths [groups], which make inner products with centres order as distances to them do; by product zeros."""
    found: Numbers = np.square(centres).sum(axis=-1) / 2 * (nearest == "euclid")
    return found


def p_values(
    sigma: Numbers, centres: Vectors, categories: Categories, each: int, nearest: Nearest, rotations: int, seed: int, threads: int = 1
) -> tuple[Numbers, NDArray[np.int64]]:
    """(1 + rotations of the words with a score of at least sigma_ij) / (1 + rotations) [groups, categories], and the rotations counted.

    Words are chosen anew in each rotation. One that leaves a group fewer than ``each`` words of a category gives no score there and is
    not counted: the null is that of the cells that can be tested, as the one observed is (NaN where it cannot). To count it as a low score
    would make a category significant only for lying between the groups. Each rotation has a seed of its own, so that neither
    ``threads`` nor how many are done at once changes a number.
    """
    blocks = [range(start, min(start + AT_ONCE, rotations)) for start in range(0, rotations, AT_ONCE)]
    extended = np.hstack([categories.rows, np.ones((len(categories.rows), 1))]).T

    def counts(block: range) -> NDArray[np.int64]:
        turned = rotated(centres, seed, block)
        drawn = np.stack(list(_scores_of(turned, heights(centres, nearest), categories, extended, each)))
        return np.stack([(drawn >= sigma - 1e-12).sum(axis=0), np.isfinite(drawn).sum(axis=0)])

    with threadpool_limits(1), ThreadPoolExecutor(threads) as pool:
        larger, counted = sum(pool.map(counts, blocks), np.zeros((2, *sigma.shape), dtype=np.int64))
    return np.where(np.isnan(sigma), np.nan, (1 + larger) / (1 + counted)), counted


def rotated(centres: Vectors, seed: int, numbers: range) -> Vectors:
    """``centres`` under random rotations [rotations, groups, dimensions]: L Q for centres = L B, B of orthonormal rows, and Haar Q."""
    dimensions = centres.shape[1]
    basis, lower = np.linalg.qr(centres.T)
    shape = (dimensions, basis.shape[1])
    frames, upper = np.linalg.qr(np.stack([np.random.default_rng([seed, number]).normal(size=shape) for number in numbers]))
    frames *= np.sign(np.einsum("rii->ri", upper))[:, None, :]
    found: Vectors = np.einsum("kg,rdk->rgd", lower, frames)
    return found


def _scores_of(turned: Vectors, high: Numbers, categories: Categories, extended: Vectors, each: int) -> Iterator[Numbers]:
    """sigma [groups, categories] of each of ``turned`` [rotations, groups, dimensions], NaN where there are too few words.

    ``extended`` [dimensions + 1, words]: unit vectors and ones, whose product with -``high`` makes the products comparable.
    """
    number, groups, dimensions = turned.shape
    asked = np.zeros((number, groups + 1, dimensions + 1))
    asked[:, :groups, :dimensions], asked[:, groups, :dimensions], asked[:, :groups, dimensions] = turned, turned.mean(axis=1), -high
    products = (asked.reshape(-1, dimensions + 1) @ extended).reshape(number, groups + 1, -1)
    middles = (turned - turned.mean(axis=1, keepdims=True)) @ categories.means.T
    category = categories.of
    for one, middle in zip(products, middles, strict=True):
        yield _largest(one, high, category, middle.shape, each) - middle


def _largest(products: Numbers, high: Numbers, category: NDArray[np.int64], shape: tuple[int, ...], each: int) -> Numbers:
    """Means of the ``each`` largest leans in each cell [groups, categories], from one sort of all leans, set apart by cell."""
    best, owner = products[0].copy(), np.zeros(products.shape[1], dtype=np.int64)
    for group in range(1, shape[0]):
        np.copyto(owner, group, where=products[group] > best)
        np.maximum(best, products[group], out=best)
    cell = owner * shape[1] + category
    numbers = np.bincount(cell, minlength=shape[0] * shape[1])
    ordered = cell * APART - (best + high[owner] - products[-1])
    ordered.sort()
    places = (np.cumsum(numbers) - numbers)[:, None] + np.arange(each)
    means = np.arange(len(numbers)) * APART - ordered[np.minimum(places, len(ordered) - 1)].mean(axis=1)
    return np.where(numbers >= each, means, np.nan).reshape(shape)
