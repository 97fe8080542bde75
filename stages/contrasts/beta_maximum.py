"""The maximum of a Beta regression's likelihood, in whatever units covariates are and however little scores vary."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from stages.contract.bad_input import BadInput
from stages.contrasts import beta_likelihood
from stages.contrasts.beta_likelihood import Rows
from stages.contrasts.estimates import Matrix, Vector

STEPS, HALVINGS = 300, 60
# Where a further Newton step promises to add less than this to the log-likelihood, whole steps double the digits.
LEAST_GAIN, LAST = 1e-8, 3
LEAST_APART = 1e-9  # of a covariate of length 1, apart from the others: below it is rounding
ROUNDING = 100  # scores vary where their logits differ by this many times what the last binary digit is worth
MOST_DIGIT = 1e-8  # of a score next to 1, whose logit has hardly any digits
SCALES = 1e-100, 1e100  # of covariates whose squares can be computed


@dataclass(frozen=True)
class Maximum:
    """At the maximum: least squares on the logits plus ``moved``, all on the bases; ``rows`` are the law's; ``both`` the informations."""

    start: Vector
    moved: Vector
    rows: Rows
    both: tuple[Matrix, Matrix]  # expected, observed


def basis(matrix: Matrix, of: str) -> tuple[Matrix, Matrix] | str:
    """Orthogonal columns [rows, columns] of mean square 1, and what turns their coefficients into those of ``matrix``."""
    if not np.isfinite(matrix).all():
        raise BadInput(f"{(~np.isfinite(matrix)).sum()} covariates of the {of} are no numbers: leave these rows out or give their values.")
    size = np.abs(matrix).max(axis=0)
    if (size == 0).any():
        return f"{(size == 0).sum()} of {len(size)} covariates of the {of} are 0 in every row"
    if size.min() < SCALES[0] or size.max() > SCALES[1]:
        return f"covariates of the {of} are of sizes {size.min():.0e} to {size.max():.0e}: give them in other units"
    length = np.linalg.norm(matrix / size, axis=0) * size
    rank = _rank(matrix / length)
    if rank < len(size):
        return f"the {len(size)} covariates of the {of} say what {rank} of them say, so that their effects cannot be told apart"
    columns, back = np.linalg.qr(matrix / length)
    root = np.sqrt(len(matrix))
    return columns * root, np.linalg.inv(back) * root / length[:, None]


def _rank(matrix: Matrix) -> int:
    return int((np.linalg.svd(matrix, compute_uv=False) > LEAST_APART).sum())


def _unbound(rows: NDArray[np.bool_]) -> str:
    return f"scores do not vary within groups in {rows.sum()} of {len(rows)} rows, so that their precision has no bound"


def maximum(scores: Vector, logits: Vector, left: Matrix, right: Matrix) -> Maximum | str:
    """Coefficients of the mean are moved from least squares, so that differences of logits keep all digits that the scores have."""
    start = np.asarray(np.linalg.lstsq(left, logits, rcond=None)[0], dtype=np.float64)
    residuals, columns = logits - left @ start, left.shape[1]
    digit = np.minimum(np.spacing(scores) / (scores * (1 - scores)), MOST_DIGIT) + np.spacing(np.abs(logits))
    flat = np.abs(residuals) < ROUNDING * digit
    if _rank(right[~flat]) < right.shape[1]:  # some mixture of precisions is that of fitted rows alone
        return _unbound(flat)
    # The precision of least squares' spread (Ferrari and Cribari-Neto 2004, p. 805), by the variance of a logit near its mean.
    variance = np.exp(-np.logaddexp(0, left @ start) - np.logaddexp(0, -left @ start))
    phi = np.full(len(scores), np.log(max(np.mean(1 / variance) / residuals.var() - 1, 0.1)))
    at = np.r_[np.zeros(columns), np.linalg.lstsq(right, phi, rcond=None)[0]]

    def parts(at: Vector) -> tuple[Vector, Vector, Vector]:
        return logits, residuals - left @ at[:columns], right @ at[columns:]

    height, last = beta_likelihood.log_likelihood(*parts(at)).sum(), 0
    for _ in range(STEPS):
        rows = beta_likelihood.rows(*parts(at))
        unbound = 1 / np.sqrt(rows.expected[0]) < ROUNDING * digit
        if unbound.any():
            return _unbound(unbound)
        slope = np.r_[left.T @ rows.mean, right.T @ rows.precision]
        expected, observed = (_information(factors, left, right) for factors in (rows.expected, rows.observed))
        concave = _step(observed, slope)
        step = concave if concave is not None else _step(expected, slope)
        if step is None:
            return "rows differ too much in their precision to be fitted together: the scores of some hardly vary around their mean"
        if concave is not None and slope @ step < LEAST_GAIN:
            if last == LAST:
                return Maximum(start, at, rows, (expected, observed))
            at, last = at + step, last + 1
            continue
        trials = (at + step / 2**halving for halving in range(HALVINGS))
        heights = ((trial, beta_likelihood.log_likelihood(*parts(trial)).sum()) for trial in trials)
        better = next(((trial, found) for trial, found in heights if found > height), None)
        if better is None:
            return "the fit does not converge: no step adds to the likelihood"
        at, height = better
    return f"the fit does not converge in {STEPS} steps"


def _step(information: Matrix, slope: Vector) -> Vector | None:
    """information^-1 slope; None where the information is not positive definite."""
    size = np.sqrt(np.diag(information))
    try:
        factor = linalg.cho_factor(information / size / size[:, None])
    except (linalg.LinAlgError, ValueError):  # a negative, or no, information
        return None
    found: Vector = linalg.cho_solve(factor, slope / size) / size
    return found


def _information(factors: NDArray[np.float64], left: Matrix, right: Matrix) -> Matrix:
    mean, mixed, precision = factors[:, :, None]
    across = left.T @ (mixed * right)
    return np.block([[left.T @ (mean * left), across], [across.T, right.T @ (precision * right)]])


def inverse(information: Matrix) -> Matrix:
    """Of a positive definite matrix whose rows are of any size."""
    size = np.sqrt(np.diag(information))
    return np.linalg.inv(information / size / size[:, None]) / size / size[:, None]
