"""How well probabilities are calibrated within groups (Kleinberg et al. 2017), and their Brier score.

Rows are texts: ``score`` [rows], ``favourable`` [rows] the label, ``weights`` [rows] how often each counts (by default once).
Everything is [groups], NaN where nobody is counted.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from stages.contract.bad_input import BadInput
from stages.metrics.fairness import ratio
from stages.metrics.groupwise import Membership

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Calibration:
    """What probabilities promise and what came true: ``texts``, ``mean_score`` and ``base_rate`` [groups, bins]; NaN in empty bins."""

    texts: Vector
    mean_score: Vector
    base_rate: Vector

    def expected_error(self) -> Vector:
        """ECE = sum over bins of share x |base rate - mean score|, in [0, 1], 0 if calibrated; small groups exceed 0 by chance."""
        apart = np.nan_to_num(np.abs(self.base_rate - self.mean_score))
        return ratio((self.texts * apart).sum(axis=1), self.texts.sum(axis=1))

    def in_the_large(self) -> Vector:
        """Mean score - base rate of the whole group, in [-1, 1], 0 if calibrated, above 0 if the scores promise too much."""
        apart = np.nan_to_num(self.mean_score - self.base_rate)
        return ratio((self.texts * apart).sum(axis=1), self.texts.sum(axis=1))


def calibration(
    score: Vector, favourable: NDArray[np.bool_], membership: Membership, bins: int = 10, weights: Vector | None = None
) -> Calibration:
    """Calibration within groups in ``bins`` intervals of equal width of the probabilities ``score``; others are BadInput."""
    _refuse_no_probability(score)
    weights = np.ones(len(score)) if weights is None else weights
    place = np.minimum((score * bins).astype(int), bins - 1)
    sums = []
    for quantity in (weights, weights * score, weights * favourable):
        spread = sparse.csr_array((quantity, (np.arange(len(score)), place)), shape=(len(score), bins))
        sums.append((membership.member.T @ spread).toarray())
    return Calibration(sums[0], ratio(sums[1], sums[0]), ratio(sums[2], sums[0]))


def brier(score: Vector, favourable: NDArray[np.bool_], membership: Membership, weights: Vector | None = None) -> Vector:
    """Mean (score - label)^2 of each group's probabilities, in [0, 1], 0 is perfect (Brier 1950); other scores are BadInput."""
    _refuse_no_probability(score)
    weights = np.ones(len(score)) if weights is None else weights
    return ratio((weights * (score - favourable) ** 2) @ membership.member, weights @ membership.member)


def _refuse_no_probability(score: Vector) -> None:
    outside = int((~((score >= 0) & (score <= 1))).sum())
    if outside:
        raise BadInput(f"{outside} of {len(score)} scores are no probabilities in [0, 1]: calibration and Brier score need them to be")
