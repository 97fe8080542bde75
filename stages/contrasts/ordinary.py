"""Least squares on the scores themselves: what the paper's published "Beta" coefficients are."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class OrdinaryFit:
    """y = X b + e: ``coefficients`` [columns], their ``covariance`` s^2 (X'X)^-1 with s^2 = e'e / ``degrees``, degrees = rows - columns."""

    coefficients: Vector
    covariance: Matrix
    degrees: int


def fit(scores: Vector, matrix: Matrix) -> OrdinaryFit | str:
    """Least squares of ``scores`` [rows], of any range, on ``matrix`` [rows, columns], which holds the intercept.

    With all interactions the coefficients are differences of group means exactly. Reproduces Table 4 of Camara et al. (2022), though
    the paper writes a Beta regression with logit link. Instead of a fit, why there is none.
    """
    rows, columns = matrix.shape
    if rows <= columns:
        return f"{rows} scores are too few for {columns} parameters"
    coefficients = np.asarray(np.linalg.lstsq(matrix, scores, rcond=None)[0], dtype=np.float64)
    residuals = scores - matrix @ coefficients
    return OrdinaryFit(coefficients, np.linalg.inv(matrix.T @ matrix) * (residuals @ residuals) / (rows - columns), rows - columns)
