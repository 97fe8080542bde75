"""How well a model predicts, and how far each author moves that."""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from stages.metrics.fairness import add_up
from stages.metrics.intervals import Scale
from stages.metrics.placements import Side, left_out

Vector = NDArray[np.float64]
METRICS = ("accuracy", "f1", "auc", "mse", "pearson_r")
SCALES: dict[str, Scale] = {"accuracy": "share", "f1": "share", "auc": "share", "mse": "size", "pearson_r": "correlation"}


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


def moved(
    y_true: Vector,
    y_score: Vector,
    favourable: NDArray[np.bool_],
    selected: NDArray[np.bool_],
    codes: NDArray[np.int64],
) -> dict[str, tuple[Vector, float]]:
    """By how much each figure moves without each author [people], and how many people with equally much are worth as many (Kish 1965).

    To first order, times the square root of (people - 1) / people, so that the squares add up to the jackknife's variance: an author's
    ``influence`` over one minus the author's share of what the figure counts (texts; for f1 favourable and selected ones; for auc the
    texts of each label apart). ``codes`` [texts] are authors from 0 on.
    """
    people, ones = int(codes.max()) + 1, np.ones(len(codes))
    counted = dict.fromkeys(METRICS, (ones,)) | {"f1": (favourable * 1.0 + selected,), "auc": (favourable * 1.0, ~favourable * 1.0)}
    found = {}
    for metric, values in influence(y_true, y_score, favourable, selected).items():
        parts, effective = np.zeros(people), np.inf
        for counting in counted[metric]:
            texts = add_up(codes, counting, people)
            side = Side.of(texts)
            parts += side.corrected() * left_out(add_up(codes, np.where(counting > 0, values, 0), people), texts, side.texts)
            effective = min(effective, float(side.effective()))
        found[metric] = parts, effective
    return found


def _placement(score: Vector, favourable: NDArray[np.bool_]) -> Vector:
    """For a favourable text the share of unfavourable ones with a lower score, for an unfavourable one of favourable ones with a
    higher score; half of ties."""
    values, place = np.unique(score, return_inverse=True)
    above, below = (np.bincount(place, weights=side.astype(float), minlength=len(values)) for side in (favourable, ~favourable))
    lower, higher = np.cumsum(below) - below / 2, above.sum() - np.cumsum(above) + above / 2
    return np.where(favourable, lower[place] / below.sum(), higher[place] / above.sum())
