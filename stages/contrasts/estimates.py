"""What every method ends in: coefficients, and the standard error and degrees of freedom of any combination of them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
# Weights [combinations, coefficients] -> standard errors and degrees of freedom [combinations]; infinitely many are the normal law's.
Spread = Callable[[Matrix], tuple[Vector, Vector]]


@dataclass(frozen=True)
class Estimates:
    """``coefficients`` [columns of the design], NaN where ``reason`` says why there are none, and their ``spread``."""

    coefficients: Vector
    spread: Spread
    reason: str | None = None


def undefined(columns: int, reason: str) -> Estimates:
    """No estimate of any coefficient, and why."""
    return Estimates(np.full(columns, np.nan), lambda weights: (np.full(len(weights), np.nan), np.full(len(weights), np.nan)), reason)


def spread(covariance: Matrix, degrees: float) -> Spread:
    """root(w V w') for each row w of the weights; a covariance [columns, columns] and one number of degrees of freedom for all."""
    return lambda weights: (
        np.sqrt(np.maximum(np.einsum("ki,ij,kj->k", weights, covariance, weights), 0)),
        np.full(len(weights), degrees),
    )
