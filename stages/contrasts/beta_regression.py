"""Beta regression of scores in (0, 1): logit link of the mean, log link of the precision (Ferrari and Cribari-Neto 2004)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, stats
from scipy.special import expit, logit

from stages.contract.bad_input import BadInput
from stages.contrasts.beta_maximum import Maximum, basis, inverse, maximum
from stages.contrasts.estimates import Matrix, Vector

LEAST_RANGE = 1e-13  # of the fitted logits beside their size: below it is rounding


@dataclass(frozen=True)
class BetaFit:
    """y ~ Beta(mu phi, (1 - mu) phi) with logit mu = X b and log phi = Z c, at the maximum of the likelihood.

    ``mean`` [X's columns] is b, ``precision`` [Z's columns] is c; ``expected`` and ``observed`` are the inverse informations
    [both, both]; ``contributions`` [rows, both] and ``informations`` [rows, both, both] are each row's score and observed information.
    ``pseudo_r2`` in [0, 1] is the squared correlation of X b and logit y, NaN without covariates.
    """

    mean: Vector
    precision: Vector
    expected: Matrix
    observed: Matrix
    contributions: Matrix
    informations: NDArray[np.float64]
    log_likelihood: float
    pseudo_r2: float

    def standard_errors(self, information: Literal["expected", "observed"]) -> Vector:
        """[both]; expected information is the default of R's betareg, observed that of statsmodels."""
        return np.sqrt(np.diag(getattr(self, information)))

    @property
    def parameters(self) -> int:
        return len(self.mean) + len(self.precision)


def squeeze(scores: Vector) -> tuple[Vector, int]:
    """Scores within (0, 1), and how many were not.

    If any is <= 0 or >= 1, all are clipped to [0, 1] and become (y (n - 1) + 1/2) / n (Smithson and Verkuilen 2006, p. 55), so that
    order is kept and 0 and 1 end 1 / 2n from the border; otherwise scores are left as they are.
    """
    if not np.isfinite(scores).all():
        raise BadInput(f"{(~np.isfinite(scores)).sum()} of {len(scores)} scores are no numbers: leave these sentences out or predict anew.")
    outside = int(((scores <= 0) | (scores >= 1)).sum())
    return ((np.clip(scores, 0, 1) * (len(scores) - 1) + 0.5) / len(scores) if outside else scores), outside


def fit(scores: Vector, matrix: Matrix, precision: Matrix | None = None) -> BetaFit | str:
    """Maximum likelihood by Newton's steps (Fisher's where the likelihood is not concave), halved until it grows.

    ``scores`` [rows] lie in (0, 1), else BadInput; ``matrix`` [rows, columns] holds the covariates of the mean, ``precision``
    [rows, columns] those of the precision (by default constant), in any unit: steps are taken on orthogonal columns of equal length.
    Instead of a fit, why there is none: too few scores, covariates that say the same, no variance, a precision without bound.
    """
    if not ((scores > 0) & (scores < 1)).all():
        raise BadInput(f"{(~((scores > 0) & (scores < 1))).sum()} of {len(scores)} scores are not between 0 and 1: squeeze them first.")
    precision = np.ones((len(scores), 1)) if precision is None else precision
    parameters, logits = matrix.shape[1] + precision.shape[1], logit(scores)
    if len(scores) <= parameters:
        return f"{len(scores)} scores are too few for {parameters} parameters"
    if np.ptp(scores) == 0:
        return f"all {len(scores)} scores are the same"
    left, right = basis(matrix, "mean"), basis(precision, "precision")
    if isinstance(left, str) or isinstance(right, str):
        return left if isinstance(left, str) else str(right)
    with np.errstate(all="ignore"):  # a step too far gives infinity or nothing, and is halved
        found = maximum(scores, logits, left[0], right[0])
        return found if isinstance(found, str) else _measured(found, logits, (matrix, precision), (left, right))


def likelihood_ratio(larger: BetaFit, smaller: BetaFit) -> tuple[float, int, float]:
    """2 (logL - logL'), the number of parameters that ``smaller`` lacks, and p by chi squared (Wilks).

    The models must be nested and of the same scores, which the caller sees to. Rows count as independent: not so within templates.
    """
    degrees = larger.parameters - smaller.parameters
    if degrees < 1:
        raise BadInput(f"the larger model has {larger.parameters} parameters and the smaller {smaller.parameters}: swap them.")
    statistic = max(2 * (larger.log_likelihood - smaller.log_likelihood), 0.0)
    return statistic, degrees, float(stats.chi2.sf(statistic, degrees))


def _measured(found: Maximum, logits: Vector, covariates: tuple[Matrix, Matrix], bases: tuple[tuple[Matrix, Matrix], ...]) -> BetaFit:
    """What was found, in terms of the covariates as they were given."""
    (left, back), (_, back_precision) = bases
    columns = left.shape[1]
    at = found.moved + np.r_[found.start, np.zeros(len(back_precision))]
    turned = linalg.block_diag(back, back_precision)
    expected, observed = (turned @ inverse(information) @ turned.T for information in found.both)
    linear = left @ at[:columns]
    mean, precision = covariates
    return BetaFit(
        back @ at[:columns],
        back_precision @ at[columns:],
        expected,
        observed,
        np.hstack([found.rows.mean[:, None] * mean, found.rows.precision[:, None] * precision]),
        _informations(found.rows.observed, mean, precision),
        float((found.rows.log_likelihood - np.log(expit(logits)) - np.log(expit(-logits))).sum()),
        float(np.corrcoef(linear, logits)[0, 1] ** 2) if np.ptp(linear) > LEAST_RANGE * np.abs(linear).max() else np.nan,
    )


def _informations(factors: NDArray[np.float64], mean: Matrix, precision: Matrix) -> NDArray[np.float64]:
    """Minus the second derivatives of each row's log-likelihood [rows, both, both]."""
    by_mean, mixed, by_precision = factors[:, :, None, None]
    left, right = mean[:, :, None], precision[:, :, None]
    across = mixed * left * right.swapaxes(1, 2)
    upper = np.concatenate([by_mean * left * left.swapaxes(1, 2), across], axis=2)
    return np.concatenate([upper, np.concatenate([across.swapaxes(1, 2), by_precision * right * right.swapaxes(1, 2)], axis=2)], axis=1)
