"""Beta regression of scores in (0, 1): logit link of the mean, log link of the precision (Ferrari and Cribari-Neto 2004)."""

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import expit, logit

from stages.contract.bad_input import BadInput

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
# A fit has converged when a further Newton step would add less than this to the log-likelihood.
LEAST_GAIN = 1e-8
LEAST_VARIANCE = 1e-12  # of the logits around their fit, beside their variance: below it is rounding


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
    """Fit by statsmodels' BetaModel, quasi-Newton steps (BFGS) and then Newton's.

    ``scores`` [rows] lie in (0, 1), else BadInput; ``matrix`` [rows, columns] holds the covariates of the mean, ``precision``
    [rows, columns] those of the precision (by default constant). BFGS alone may stop early; Newton alone may run away. Instead of a
    fit, why there is none: too few scores, no variance, no maximum.
    """
    if not ((scores > 0) & (scores < 1)).all():
        raise BadInput(f"{(~((scores > 0) & (scores < 1))).sum()} of {len(scores)} scores are not between 0 and 1: squeeze them first.")
    from statsmodels.othermod.betareg import BetaModel

    precision = np.ones((len(scores), 1)) if precision is None else precision
    logits = logit(scores)
    beta = np.linalg.lstsq(matrix, logits, rcond=None)[0]
    reason = _degenerate(logits, logits - matrix @ beta, matrix.shape[1] + precision.shape[1])
    if reason:
        return reason
    model = BetaModel(scores, matrix, exog_precision=precision)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # whether the fit converged is checked below
        found = model.fit(_start(scores, matrix, beta, precision), method="bfgs", skip_hessian=True).params
        found = model.fit(found, method="newton", maxiter=100, skip_hessian=True).params
        slope, hessian = model.score(found), model.hessian(found, observed=True)
    if not (np.isfinite(hessian).all() and np.linalg.eigvalsh(hessian)[-1] < 0 and -slope @ np.linalg.solve(hessian, slope) < LEAST_GAIN):
        return "the fit does not converge: the likelihood has no maximum"
    return _measured(model, found, logits)


def likelihood_ratio(larger: BetaFit, smaller: BetaFit) -> tuple[float, int, float]:
    """2 (logL - logL'), the number of parameters that ``smaller`` lacks, and p by chi squared (Wilks).

    The models must be nested and of the same scores, which the caller sees to. Rows count as independent: not so within templates.
    """
    degrees = larger.parameters - smaller.parameters
    if degrees < 1:
        raise BadInput(f"the larger model has {larger.parameters} parameters and the smaller {smaller.parameters}: swap them.")
    statistic = max(2 * (larger.log_likelihood - smaller.log_likelihood), 0.0)
    return statistic, degrees, float(stats.chi2.sf(statistic, degrees))


def _degenerate(logits: Vector, residuals: Vector, parameters: int) -> str | None:
    if len(logits) <= parameters:
        return f"{len(logits)} scores are too few for {parameters} parameters"
    if np.ptp(logits) == 0:
        return f"all {len(logits)} scores are the same"
    if residuals.var() < LEAST_VARIANCE * logits.var():
        return "scores do not vary within groups, so that their precision has no bound"
    return None


def _start(scores: Vector, matrix: Matrix, beta: Vector, precision: Matrix) -> Vector:
    """Least squares on the logits, and the precision of their spread (Ferrari and Cribari-Neto 2004, p. 805)."""
    mean = expit(matrix @ beta)
    variance = (logit(scores) - matrix @ beta).var() * (mean * (1 - mean)) ** 2
    phi = np.maximum(np.mean(mean * (1 - mean) / variance) - 1, 0.1)
    return np.r_[beta, np.linalg.lstsq(precision, np.full(len(scores), np.log(phi)), rcond=None)[0]]


def _measured(model: Any, found: Vector, logits: Vector) -> BetaFit:
    columns = model.exog.shape[1]
    expected, observed = (np.linalg.inv(-model.hessian(found, observed=kind)) for kind in (False, True))
    linear = model.exog @ found[:columns]
    r2 = np.corrcoef(linear, logits)[0, 1] ** 2 if np.ptp(linear) > 0 else np.nan
    return BetaFit(
        found[:columns],
        found[columns:],
        expected,
        observed,
        model.score_obs(found),
        _informations(model, found),
        float(model.loglike(found)),
        float(r2),
    )


def _informations(model: Any, found: Vector) -> NDArray[np.float64]:
    """Minus the second derivatives of each row's log-likelihood [rows, both, both]."""
    mean, both, precision = (-factor[:, None, None] for factor in model.hessian_factor(found, observed=True))
    left, right = model.exog[:, :, None], model.exog_precision[:, :, None]
    across = both * left * right.swapaxes(1, 2)
    upper = np.concatenate([mean * left * left.swapaxes(1, 2), across], axis=2)
    return np.concatenate([upper, np.concatenate([across.swapaxes(1, 2), precision * right * right.swapaxes(1, 2)], axis=2)], axis=1)
