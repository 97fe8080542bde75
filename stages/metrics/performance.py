"""How well a model predicts, with intervals from resampling authors."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Vector = NDArray[np.float64]
METRICS = ("accuracy", "f1", "auc", "mse", "pearson_r")
CHUNK = 200


def performance(
    y_true: Vector, y_score: Vector, favourable: NDArray[np.bool_], selected: NDArray[np.bool_], weights: Vector
) -> dict[str, Vector]:
    """The five figures for each row of ``weights`` [replicates, texts]; NaN where undefined.

    accuracy = P(decision = label), f1 of the favourable class = 2TP / (2TP + FP + FN), auc = P(score of a favourable text > of an
    unfavourable one) + half of ties, mse = mean (score - y)^2, pearson_r between score and y; ranges [0,1] but mse >= 0 and r in [-1,1].
    """
    hit = weights @ (favourable & selected).astype(float)
    favourables, selecteds, total = weights @ favourable.astype(float), weights @ selected.astype(float), weights.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        # Correlation ignores a shift; with one value taken off all, a constant column is exactly zero and not nearly so.
        y, s = y_true - y_true[0], y_score - y_score[0]
        mean_y, mean_s = weights @ y / total, weights @ s / total
        covariance = weights @ (y * s) / total - mean_y * mean_s
        variances = (weights @ y**2 / total - mean_y**2) * (weights @ s**2 / total - mean_s**2)
        return {
            "accuracy": weights @ (favourable == selected).astype(float) / total,
            "f1": 2 * hit / (favourables + selecteds),
            "auc": _auc(y_score, favourable, weights),
            "mse": weights @ (y_score - y_true) ** 2 / total,
            "pearson_r": covariance / np.sqrt(np.where(variances > 0, variances, np.nan)),
        }


def _auc(score: Vector, favourable: NDArray[np.bool_], weights: Vector) -> Vector:
    values, place = np.unique(score, return_inverse=True)
    spread = sparse.csr_array((np.ones(len(score)), (np.arange(len(score)), place.ravel())), shape=(len(score), len(values)))
    above = (weights * favourable) @ spread
    below = (weights * ~favourable) @ spread
    wins = (above * (np.cumsum(below, axis=1) - below / 2)).sum(axis=1)
    return wins / (above.sum(axis=1) * below.sum(axis=1))


def author_weights(authors: NDArray[np.object_], replicates: int, seed: int) -> Iterator[Vector]:
    """How often each text is drawn when authors are resampled with replacement: [chunk, texts] arrays until ``replicates`` are drawn."""
    _, author = np.unique(authors.astype(str), return_inverse=True)
    number = author.max() + 1
    random = np.random.default_rng(seed)
    for start in range(0, replicates, CHUNK):
        drawn = random.integers(0, number, (min(CHUNK, replicates - start), number))
        counts = np.stack([np.bincount(row, minlength=number) for row in drawn]).astype(float)
        yield counts[:, author.ravel()]
