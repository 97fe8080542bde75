"""How well a model predicts, with intervals from resampling authors."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

Vector = NDArray[np.float64]
METRICS = ("accuracy", "f1", "auc", "mse", "pearson_r")
CHUNK = 200
# From so many people on, the replicates of a figure lie as its linear approximation says, and drawing people takes minutes.
MANY = 20_000
# ... so long as neither label is so rare that few people decide.
RARE = 200


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


def replicates(
    y_true: Vector,
    y_score: Vector,
    favourable: NDArray[np.bool_],
    selected: NDArray[np.bool_],
    authors: NDArray[np.object_],
    number: int,
    seed: int,
) -> dict[str, Vector]:
    """``number`` bootstrap replicates of each figure, authors resampled; for very many authors drawn from their normal limit."""
    data = (y_true, y_score, favourable, selected)
    codes, names = pd.factorize(authors)
    if len(names) >= MANY and RARE <= favourable.sum() <= len(favourable) - RARE:
        return _from_limit(data, codes, len(names), number, seed)
    chunks = [performance(*data, weights) for weights in author_weights(authors, number, seed)]
    return {metric: np.concatenate([chunk[metric] for chunk in chunks]) for metric in METRICS}


def _from_limit(
    data: tuple[Vector, Vector, NDArray[np.bool_], NDArray[np.bool_]], codes: NDArray[np.int64], people: int, number: int, seed: int
) -> dict[str, Vector]:
    """Normal draws around each figure with the covariance of the authors' influence on the figures, cut to their ranges."""
    point = performance(*data, np.ones((1, len(codes))))
    linear = {metric: values for metric, values in influence(*data).items() if np.isfinite(point[metric][0])}
    of_author = np.column_stack([np.bincount(codes, weights=values, minlength=people) for values in linear.values()])
    centre = [point[metric][0] for metric in linear]
    drawn = np.random.default_rng(seed).multivariate_normal(centre, of_author.T @ of_author, number)
    limits = {"mse": (0, np.inf), "pearson_r": (-1, 1)}
    found = {metric: np.clip(drawn[:, i], *limits.get(metric, (0, 1))) for i, metric in enumerate(linear)}
    return {metric: found.get(metric, np.full(number, np.nan)) for metric in METRICS}


def influence(y_true: Vector, y_score: Vector, favourable: NDArray[np.bool_], selected: NDArray[np.bool_]) -> dict[str, Vector]:
    """How much one more weight on each text would change each figure, to first order; each adds up to 0 over all texts.

    For auc these are the components of DeLong, DeLong and Clarke-Pearson (1988), without their correction for small samples.
    """
    number, hit = len(y_true), favourable & selected
    point = {metric: value[0] for metric, value in performance(y_true, y_score, favourable, selected, np.ones((1, number))).items()}
    y, s = (y_true - y_true.mean()), (y_score - y_score.mean())
    with np.errstate(divide="ignore", invalid="ignore"):
        y, s = y / y.std(), s / s.std()
        return {
            "accuracy": ((favourable == selected) - point["accuracy"]) / number,
            "f1": (2 * hit - point["f1"] * (favourable.astype(float) + selected)) / (favourable.sum() + selected.sum()),
            "auc": (_placement(y_score, favourable) - point["auc"]) / np.where(favourable, favourable.sum(), (~favourable).sum()),
            "mse": ((y_score - y_true) ** 2 - point["mse"]) / number,
            "pearson_r": (y * s - point["pearson_r"] * (y**2 + s**2) / 2) / number,
        }


def _placement(score: Vector, favourable: NDArray[np.bool_]) -> Vector:
    """For a favourable text the share of unfavourable ones with a lower score, for an unfavourable one of favourable ones with a
    higher score; half of ties."""
    values, place = np.unique(score, return_inverse=True)
    above, below = (np.bincount(place, weights=side.astype(float), minlength=len(values)) for side in (favourable, ~favourable))
    lower, higher = np.cumsum(below) - below / 2, above.sum() - np.cumsum(above) + above / 2
    return np.where(favourable, lower[place] / below.sum(), higher[place] / above.sum())


def author_weights(authors: NDArray[np.object_], replicates: int, seed: int) -> Iterator[Vector]:
    """How often each text is drawn when authors are resampled with replacement: [chunk, texts] arrays until ``replicates`` are drawn."""
    author, names = pd.factorize(authors, sort=True)
    number = len(names)
    random = np.random.default_rng(seed)
    for start in range(0, replicates, CHUNK):
        drawn = random.integers(0, number, (min(CHUNK, replicates - start), number))
        counts = np.stack([np.bincount(row, minlength=number) for row in drawn]).astype(float)
        yield counts[:, author]
