"""Linear mixed model with crossed random effects by REML, from cross-products alone: thousands of sentences in milliseconds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from stages.contrasts.estimates import Matrix, Vector

STEPS, HALVINGS = 100, 30
LEAST_GAIN = 1e-9  # a step that promises less of -2 log-likelihood is the last
LEAST_PROMISE = 1e-5  # a step that promises less and gains nothing is stopped by rounding alone
LEAST_RESIDUAL = 1e-12  # of the residual variance beside that of the outcome: below it is rounding
LEAST_INFORMATION = 1e-8  # about variances together, beside what there would be about each alone
DIVERGED = "the mixed model does not converge"


@dataclass(frozen=True)
class MixedFit:
    """y = X b + sum of Z u + e, u ~ N(0, variance of its effect), e ~ N(0, the last of ``variances``), at the restricted maximum.

    ``coefficients`` [columns], their ``covariance`` (X' V^-1 X)^-1 [columns, columns]; ``variances`` [effects + 1] in units of y^2,
    their inverse information ``uncertainty`` [effects + 1, effects + 1], 0 for variances of 0; ``slopes`` [effects + 1, columns,
    columns] of the covariance by each variance; ``log_likelihood`` is the restricted one.
    """

    coefficients: Vector
    covariance: Matrix
    variances: Vector
    uncertainty: Matrix
    slopes: NDArray[np.float64]
    log_likelihood: float

    def spread(self, weights: Matrix) -> tuple[Vector, Vector]:
        """Standard errors and Satterthwaite's degrees of freedom, 2 v^2 / var(v) for v the variance of each combination."""
        variance = np.einsum("ki,ij,kj->k", weights, self.covariance, weights)
        slopes = np.einsum("ki,eij,kj->ke", weights, self.slopes, weights)
        return np.sqrt(variance), 2 * variance**2 / np.einsum("ke,ef,kf->k", slopes, self.uncertainty, slopes)


def fit(outcome: Vector, matrix: Matrix, effects: Sequence[NDArray[np.int64]]) -> MixedFit | str:
    """Fit ``outcome`` [rows] on ``matrix`` [rows, columns] with a random intercept for every group of each of ``effects`` [rows].

    Groups may be crossed, nested or unbalanced. The restricted likelihood is profiled over the residual variance (Bates et al. 2015,
    eq. 41) and maximised by Fisher's scoring over variances in units of it, which may end at 0. Instead of a fit, why there is none.
    """
    if len(outcome) <= matrix.shape[1]:
        return f"{len(outcome)} scores are too few for {matrix.shape[1]} parameters"
    products = _Products(outcome, matrix, effects)
    if products.confounded():
        return "the variances of clusters, groups and sentences cannot be told apart"
    solved, least = products.solve(np.ones(len(effects))), LEAST_RESIDUAL * outcome.var()
    for _ in range(STEPS):
        if solved.residual <= least:
            return "nothing is left of the scores beyond what their groups and clusters have in common"
        step, gain = products.step(solved)
        if gain < LEAST_GAIN:
            return _measured(products, solved)
        trials = (products.solve(np.maximum(solved.variances + step / 2**halving, 0)) for halving in range(HALVINGS))
        better = next((trial for trial in trials if trial.deviance < solved.deviance), None)
        if better is None:  # by rounding, where little is left to gain
            return _measured(products, solved) if gain < LEAST_PROMISE else DIVERGED
        solved = better
    return DIVERGED


@dataclass(frozen=True)
class _Solved:
    """At given ``variances`` [effects], all in units of the residual's: P = V^-1 - V^-1 X (X' V^-1 X)^-1 X' V^-1."""

    variances: Vector
    deviance: float
    residual: float  # y' P y / (rows - columns)
    coefficients: Vector
    bread: Matrix  # (X' V^-1 X)^-1
    moved: Matrix  # Z' V^-1 X
    groups: Matrix  # Z' P Z
    outcome: Vector  # Z' P y


class _Products:
    """X'X, Z'X, Z'Z and so on: all that the likelihood needs."""

    def __init__(self, outcome: Vector, matrix: Matrix, effects: Sequence[NDArray[np.int64]]) -> None:
        rows = len(outcome)
        blocks = [sparse.csr_array((np.ones(rows), (np.arange(rows), np.unique(codes, return_inverse=True)[1]))) for codes in effects]
        groups = sparse.hstack(blocks, format="csr")
        self.owner = np.repeat(np.arange(len(effects)), [block.shape[1] for block in blocks])
        self.starts = np.searchsorted(self.owner, np.arange(len(effects)))
        self.least_squares = np.linalg.lstsq(matrix, outcome, rcond=None)[0]  # the rest is small, and so are rounding errors
        both = np.column_stack([matrix, outcome - matrix @ self.least_squares])
        self.groups, self.cross, self.own = (groups.T @ groups).toarray(), groups.T @ both, both.T @ both
        self.free = rows - matrix.shape[1]

    def confounded(self) -> bool:
        """Whether some mixture of variances changes nothing that the covariates leave: a name a group, an effect given twice."""
        squares = np.add.reduceat(np.add.reduceat(self.groups**2, self.starts, axis=0), self.starts, axis=1)
        worth = np.sqrt(np.r_[np.diag(squares), self.free] / 2)
        information = self.information(self.solve(np.zeros(len(self.starts))))
        return bool(np.linalg.eigvalsh(information / worth / worth[:, None])[0] < LEAST_INFORMATION)

    def solve(self, variances: Vector) -> _Solved:
        scale, columns = np.sqrt(variances)[self.owner], self.cross.shape[1]
        factor = linalg.cholesky(np.eye(len(scale)) + scale[:, None] * self.groups * scale, lower=True, check_finite=False)
        halves = linalg.solve_triangular(factor, scale[:, None] * np.hstack([self.cross, self.groups]), lower=True, check_finite=False)
        first, second = halves[:, :columns], halves[:, columns:]
        own, cross, groups = self.own - first.T @ first, self.cross - second.T @ first, self.groups - second.T @ second
        bread, moved = np.linalg.inv(own[:-1, :-1]), cross[:, :-1]
        coefficients = bread @ own[:-1, -1]
        residual = max((own[-1, -1] - own[-1, :-1] @ coefficients) / self.free, np.finfo(float).tiny)
        deviance = 2 * np.log(np.diag(factor)).sum() - np.linalg.slogdet(bread)[1] + self.free * np.log(residual)
        inner, outcome = groups - moved @ bread @ moved.T, cross[:, -1] - moved @ coefficients
        return _Solved(variances, deviance, residual, coefficients, bread, moved, inner, outcome)

    def step(self, solved: _Solved) -> tuple[Vector, float]:
        """Of Fisher's scoring, for variances that are not held at 0, and how much of the deviance it promises to gain."""
        traces, squares = (self._sums(values) for values in (np.diag(solved.groups), solved.outcome**2))
        slope = traces - squares / solved.residual
        free = np.flatnonzero((solved.variances > 0) | (slope < 0))
        information = self.information(solved)
        profiled = information - np.outer(information[-1], information[-1]) / information[-1, -1]
        worth = np.sqrt(np.maximum(np.diag(profiled)[free], np.finfo(float).tiny))  # variances differ by many powers of ten
        step = np.zeros(len(slope))
        step[free] = (
            -np.linalg.lstsq(profiled[np.ix_(free, free)] / worth / worth[:, None], slope[free] / worth, rcond=1e-10)[0] / worth / 2
        )
        return step, float(-slope @ step)

    def information(self, solved: _Solved) -> Matrix:
        """tr(P V_j P V_k) / 2 of the variances, the residual's last (Searle et al. 1992, p. 252), in its units, by P = P V P."""
        squares = np.add.reduceat(np.add.reduceat(solved.groups**2, self.starts, axis=0), self.starts, axis=1)
        traces = self._sums(np.diag(solved.groups))
        mixed = traces - squares @ solved.variances
        last = self.free - solved.variances @ (traces + mixed)
        return np.block([[squares, mixed[:, None]], [mixed, np.array([last])]]) / 2

    def slopes(self, solved: _Solved) -> NDArray[np.float64]:
        """C X' V^-1 Z Z' V^-1 X C for each effect, and C X' V^-1 V^-1 X C for the residual by V^-1 = V^-1 V V^-1."""
        moved = solved.moved @ solved.bread
        parts = np.stack([part.T @ part for part in np.split(moved, self.starts[1:])])
        return np.concatenate([parts, [solved.bread - np.tensordot(solved.variances, parts, 1)]])

    def _sums(self, values: Vector) -> Vector:
        return np.add.reduceat(values, self.starts)


def _measured(products: _Products, solved: _Solved) -> MixedFit:
    information = products.information(solved)
    variances = np.r_[solved.variances, 1.0] * solved.residual
    free = np.flatnonzero(variances > 0)
    uncertainty = np.zeros_like(information)
    uncertainty[np.ix_(free, free)] = np.linalg.inv(information[np.ix_(free, free)]) * solved.residual**2
    likelihood = -(solved.deviance + products.free * (np.log(2 * np.pi) + 1)) / 2
    covariance = solved.bread * solved.residual
    return MixedFit(solved.coefficients + products.least_squares, covariance, variances, uncertainty, products.slopes(solved), likelihood)
