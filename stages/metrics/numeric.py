"""Regression outputs of groups as the numbers they are, never cut into bins: means, errors, correlation and quantiles.

Each figure is [..., groups], NaN where undefined; gaps.py compares them (`summary` for differences to a reference or to everyone,
`max_minus_min` for the widest gap, ``worst="highest"`` for errors). Ratios mean something for errors alone, which have a zero.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from stages.contract.bad_input import BadInput
from stages.metrics.fairness import ratio
from stages.metrics.groupwise import Membership

Vector = NDArray[np.float64]
# Rounding leaves about this much of the mean square where a variance is zero.
LEAST_VARIANCE = 1e-12


def figures(y_true: Vector, y_pred: Vector, membership: Membership, weights: Vector | None = None) -> dict[str, Vector]:
    """Eight figures of each group, of labels and outputs [rows]; ``weights`` [..., rows] says how often each row counts.

    n; mean_true and mean_predicted; mean_error = mean(output - label), parity and perfection 0; mae = mean |output - label| and
    mse = mean (output - label)^2, both >= 0; rmse = sqrt(mse); pearson_r in [-1, 1], NaN where either does not vary.
    Labels or outputs that are no numbers are BadInput.
    """
    for name, values in (("labels", y_true), ("outputs", y_pred)):
        if not np.isfinite(values).all():
            raise BadInput(f"{(~np.isfinite(values)).sum()} of {len(values)} {name} are not finite: leave these rows out or mend them")
    counted = _Weighted(membership, weights)
    # Moments about each group's first value: a shift changes no correlation, and a constant column is then exactly zero.
    shifts = [counted.first(values) for values in (y_true, y_pred)]
    true, predicted = (counted.entries(values) - counted.spread(shift) for values, shift in zip((y_true, y_pred), shifts, strict=True))
    error = counted.entries(y_pred - y_true)
    mean_true, mean_predicted = counted.mean(true), counted.mean(predicted)
    squares = counted.mean(true**2), counted.mean(predicted**2)
    variances = [
        np.where(square - mean**2 > LEAST_VARIANCE * square, square - mean**2, np.nan)
        for square, mean in zip(squares, (mean_true, mean_predicted), strict=True)
    ]
    mse = counted.mean(error**2)
    return {
        "n": counted.total,
        "mean_true": mean_true + shifts[0],
        "mean_predicted": mean_predicted + shifts[1],
        "mean_error": counted.mean(error),
        "mae": counted.mean(np.abs(error)),
        "mse": mse,
        "rmse": np.sqrt(mse),
        "pearson_r": np.clip((counted.mean(true * predicted) - mean_true * mean_predicted) / np.sqrt(variances[0] * variances[1]), -1, 1),
    }


def quantiles(values: Vector, membership: Membership, levels: Vector, weights: Vector | None = None) -> Vector:
    """Quantiles [groups, levels] of each group's ``values`` [rows]; NaN for a group without weight, levels outside [0, 1] are BadInput.

    The smallest value with at least that share of the group at or below it (inverse of the empirical distribution), so that
    duplicating all rows changes nothing and whole ``weights`` [rows] equal repeated rows.
    """
    levels = np.asarray(levels, dtype=float)
    if ((levels < 0) | (levels > 1)).any():
        raise BadInput(f"quantile levels {levels.tolist()} must be between 0 and 1")
    weights = np.ones(len(values)) if weights is None else weights
    found = np.full((len(membership.names), len(levels)), np.nan)
    for group in range(len(membership.names)):
        rows = membership.rows(group)
        rows = rows[weights[rows] > 0]
        if len(rows):
            found[group] = np.quantile(values[rows], levels, weights=weights[rows], method="inverted_cdf")
    return found


class _Weighted:
    """Weighted means over the entries of a membership, a value for each (row, group) pair that belongs together."""

    def __init__(self, membership: Membership, weights: Vector | None) -> None:
        self.member = membership.member
        self.weights = np.ones(self.member.shape[0]) if weights is None else weights
        self.total = np.asarray(self.weights @ self.member, dtype=float)

    def entries(self, values: Vector) -> Vector:
        return values[self.member.indices]

    def first(self, values: Vector) -> Vector:
        """The value of each group's first entry, 0 for an empty group."""
        found = np.zeros(self.member.shape[1])
        occupied = np.diff(self.member.indptr) > 0
        found[occupied] = values[self.member.indices[self.member.indptr[:-1][occupied]]]
        return found

    def spread(self, of_groups: Vector) -> Vector:
        return np.repeat(of_groups, np.diff(self.member.indptr))

    def mean(self, entries: Vector) -> Vector:
        spread = sparse.csc_array((entries, self.member.indices, self.member.indptr), shape=self.member.shape)
        return ratio(np.asarray(self.weights @ spread), self.total)
