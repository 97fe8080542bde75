"""How well scores rank and how well they are calibrated, within groups and across them (Borkan et al. 2019; Kleinberg et al. 2017).

Rows are texts: ``score`` [rows], ``favourable`` [rows] the label, ``weights`` [rows] how often each counts (by default once).
Everything is [groups], NaN where one side of a comparison is empty.
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
class Ranked:
    """Scores in ascending order with the weight before each: ``below`` looks up in them without comparing every pair."""

    scores: Vector
    before: Vector

    @classmethod
    def of(cls, scores: Vector, weights: Vector) -> "Ranked":
        order = np.argsort(scores, kind="stable")
        return cls(scores[order], np.concatenate([[0.0], np.cumsum(weights[order])]))

    @property
    def weight(self) -> float:
        return float(self.before[-1])

    def below(self, scores: Vector) -> Vector:
        """The weight below each of ``scores`` and half of that equal to it."""
        return (self.before[np.searchsorted(self.scores, scores, "left")] + self.before[np.searchsorted(self.scores, scores, "right")]) / 2


def auc(score: Vector, favourable: NDArray[np.bool_], weights: Vector | None = None) -> float:
    """P(score of a favourable text > of an unfavourable one) + half of P(equal), in [0, 1], chance 1/2 (Mann-Whitney U / n1 n2)."""
    everyone = Membership(("everyone",), sparse.csc_array(np.ones((len(score), 1), dtype=bool)))
    return float(auc_by_group(score, favourable, everyone, weights)["subgroup_auc"][0])


def auc_by_group(score: Vector, favourable: NDArray[np.bool_], membership: Membership, weights: Vector | None = None) -> dict[str, Vector]:
    """Five comparisons of each group; the background is everyone outside it (Dixon et al. 2018, Borkan et al. 2019).

    subgroup_auc: favourable against unfavourable texts of the group; bpsn_auc: background favourable against the group's
    unfavourable; bnsp_auc: the group's favourable against background unfavourable; all in [0, 1], 1 is perfect, 1/2 chance.
    positive_aeg and negative_aeg = 1/2 - P(score in the group > in the background) - half of ties, among favourable and among
    unfavourable texts: in [-1/2, 1/2], parity 0, above 0 where the group's scores are lower. Scores that are no numbers are BadInput.
    """
    if not np.isfinite(score).all():
        raise BadInput(f"{(~np.isfinite(score)).sum()} of {len(score)} scores are not finite: leave these rows out or mend them")
    weights = np.ones(len(score)) if weights is None else weights
    upper, lower = (Ranked.of(score[side], weights[side]) for side in (favourable, ~favourable))
    found = [_compare(score, favourable, weights, upper, lower, membership.rows(group)) for group in range(len(membership.names))]
    names = ("subgroup_auc", "bpsn_auc", "bnsp_auc", "positive_aeg", "negative_aeg")
    return dict(zip(names, np.array(found).reshape(-1, 5).T, strict=True))


def _compare(
    score: Vector, favourable: NDArray[np.bool_], weights: Vector, upper: Ranked, lower: Ranked, rows: NDArray[np.int64]
) -> list[float]:
    """The five figures of the group of ``rows``: pairs with everyone less the pairs inside the group are pairs with the background."""
    above, under = rows[favourable[rows]], rows[~favourable[rows]]
    own_upper, own_lower = (Ranked.of(score[side], weights[side]) for side in (above, under))
    p, n = own_upper.weight, own_lower.weight
    background_p, background_n = upper.weight - p, lower.weight - n
    own = weights[above] @ own_lower.below(score[above])
    over_background = weights[above] @ lower.below(score[above]) - own
    under_background = weights[under] @ (upper.weight - upper.below(score[under])) - own
    # Within one group every pair is won once or tied twice: half of all pairs.
    positive = weights[above] @ upper.below(score[above]) - p * p / 2
    negative = weights[under] @ lower.below(score[under]) - n * n / 2
    wins = np.array([own, under_background, over_background, positive, negative])
    shares = ratio(wins, np.array([p * n, background_p * n, p * background_n, p * background_p, n * background_n]))
    return [*shares[:3], *(0.5 - shares[3:])]


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
