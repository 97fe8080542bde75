"""How well scores rank, within groups and across them (Dixon et al. 2018, Borkan et al. 2019).

Rows are texts: ``score`` [rows], ``favourable`` [rows] the label, ``weights`` [rows] how often each counts (by default once).
Everything is [groups], NaN where one side of a comparison is empty.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from stages.contract.bad_input import BadInput
from stages.metrics.fairness import add_up, ratio
from stages.metrics.groupwise import Membership

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Ranks:
    """Each score that occurs in a group once, in ascending order within the group.

    ``rows`` [entries] are the members of the groups, ``place`` [entries] where each one's score is.
    ``group`` and ``rank`` [scores] say whose and which it is. ``above_at`` and ``under_at`` are the weights of favourable and of
    unfavourable texts with exactly this score, ``above`` and ``under`` those with lower ones and half of these; ``all_above`` and
    ``all_under`` the same of everyone, ``everyone`` [ranks, 2] everyone's weights at each rank. ``positives`` and ``negatives`` are
    the totals of groups [groups], the last two numbers those of everyone.
    """

    rows: NDArray[np.int64]
    place: NDArray[np.int64]
    group: NDArray[np.int64]
    rank: NDArray[np.int64]
    above_at: Vector
    under_at: Vector
    above: Vector
    under: Vector
    all_above: Vector
    all_under: Vector
    everyone: Vector
    positives: Vector
    negatives: Vector
    all_positives: float
    all_negatives: float

    @classmethod
    def of(cls, score: Vector, favourable: NDArray[np.bool_], membership: Membership, weights: Vector) -> "Ranks":
        order = np.argsort(score, kind="stable")
        rank = np.cumsum(np.append(0, np.diff(score[order]) != 0))
        # Rows in the order of their scores make entries in the order of groups and, within each, of scores: nothing else to sort.
        member = sparse.csc_array(sparse.csr_array(membership.member)[order])
        groups, owner = len(membership.names), np.repeat(np.arange(len(membership.names)), np.diff(member.indptr))
        of_entry = rank[member.indices]
        place = np.cumsum(np.append(0, (np.diff(owner) != 0) | (np.diff(of_entry) != 0))[: len(owner)])
        scores = int(place[-1]) + 1 if len(place) else 0
        group, of_score = np.zeros(scores, dtype=np.int64), np.zeros(scores, dtype=np.int64)
        group[place], of_score[place] = owner, of_entry
        sides = [(weights * favourable)[order], (weights * ~favourable)[order]]
        at = [add_up(place, side[member.indices], scores) for side in sides]
        totals = [add_up(group, weight, groups) for weight in at]
        before = [np.cumsum(weight) - weight / 2 - (np.cumsum(total) - total)[group] for weight, total in zip(at, totals, strict=True)]
        everyone = np.stack([add_up(rank, side, int(rank[-1]) + 1) for side in sides], axis=1)
        below = (np.cumsum(everyone, axis=0) - everyone / 2)[of_score]
        rows = order[member.indices]
        positives, negatives = (float(total) for total in everyone.sum(axis=0))
        return cls(
            rows,
            place,
            group,
            of_score,
            at[0],
            at[1],
            before[0],
            before[1],
            below[:, 0],
            below[:, 1],
            everyone,
            totals[0],
            totals[1],
            positives,
            negatives,
        )

    def add_up(self, values: Vector) -> Vector:
        """Sums [groups] of ``values`` [scores]."""
        return add_up(self.group, values, len(self.positives))


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
    return aucs_of(Ranks.of(score, favourable, membership, np.ones(len(score)) if weights is None else weights))


def aucs_of(ranks: Ranks) -> dict[str, Vector]:
    p, n = ranks.positives, ranks.negatives
    background_p, background_n = ranks.all_positives - p, ranks.all_negatives - n
    over, under = ranks.all_under - ranks.under, background_p[ranks.group] - (ranks.all_above - ranks.above)
    wins = {
        "subgroup_auc": (ranks.above_at * ranks.under, p * n),
        "bpsn_auc": (ranks.under_at * under, background_p * n),
        "bnsp_auc": (ranks.above_at * over, p * background_n),
        "positive_aeg": (ranks.above_at * (ranks.all_above - ranks.above), p * background_p),
        "negative_aeg": (ranks.under_at * over, n * background_n),
    }
    found = {name: ratio(ranks.add_up(won), pairs) for name, (won, pairs) in wins.items()}
    return {name: 0.5 - share if name.endswith("aeg") else share for name, share in found.items()}
