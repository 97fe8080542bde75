"""How well scores rank, within groups and across them (Dixon et al. 2018, Borkan et al. 2019).

Rows are texts: ``score`` [rows], ``favourable`` [rows] the label, ``weights`` [rows] how often each counts (by default once).
Everything is [groups], NaN where one side of a comparison is empty.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from stages.contract.bad_input import BadInput
from stages.metrics.fairness import add_up, ratio
from stages.metrics.groupwise import Membership

Vector = NDArray[np.float64]


# What everyone's AUC is worth to a person, and how many people have favourable and other texts.
Everyone = tuple[float, float, float]


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
    return _aucs(Ranks.of(score, favourable, membership, np.ones(len(score)) if weights is None else weights))


def _aucs(ranks: Ranks) -> dict[str, Vector]:
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


def auc_worth(
    score: Vector, favourable: NDArray[np.bool_], membership: Membership, authors: NDArray[np.int64], everyone: Everyone | None = None
) -> dict[str, tuple[Vector, Vector]]:
    """The three AUCs [groups] of ``auc_by_group``, each with the independent texts it is worth: AUC (1 - AUC) / its variance.

    The variance is that of the placements (DeLong et al. 1988) with the texts of an author, ``authors`` [rows] from 0 on, together
    (Obuchowski 1997); the background's part of BPSN and BNSP counts texts as if authors there wrote the mean number of alike texts.
    An AUC of 0 or 1 is worth the people of the smaller side. ``everyone`` is what ``of_everyone`` finds, where it is known already.
    """
    ranks, mirrored = (Ranks.of(sign * score, side, membership, np.ones(len(score))) for sign, side in ((1, favourable), (-1, ~favourable)))
    texts_each = len(score) / (authors.max() + 1)
    found = _aucs(ranks)
    own, positives, negatives = _own_variance(ranks, found["subgroup_auc"], favourable, authors)
    each, all_positives, all_negatives = everyone or of_everyone(score, favourable, authors)
    sides = {
        "subgroup_auc": (own, positives, negatives),
        "bpsn_auc": (
            _background_variance(ranks, found["bpsn_auc"], ~favourable, authors, texts_each),
            all_positives - positives,
            negatives,
        ),
        "bnsp_auc": (
            _background_variance(mirrored, found["bnsp_auc"], favourable, authors, texts_each),
            positives,
            all_negatives - negatives,
        ),
    }
    return {name: (found[name], _worth(found[name], *side, each)) for name, side in sides.items()}


def _worth(auc: Vector, variance: Vector, positives: Vector, negatives: Vector, each: float | None = None) -> Vector:
    """Independent texts; a person is worth no more than people are among everyone, as the placements of a few vary too little."""
    varies = (variance > 1e-12) & (auc * (1 - auc) > 1e-12)
    worth = np.where(varies, auc * (1 - auc) / np.where(varies, variance, 1), np.minimum(positives, negatives))
    return worth if each is None else np.minimum(worth, each * _harmonic(positives, negatives))


def of_everyone(score: Vector, favourable: NDArray[np.bool_], authors: NDArray[np.int64]) -> Everyone:
    """How many independent texts everyone's AUC is worth to a person (harmonic mean), and people with favourable and other texts."""
    alone = Membership(("everyone",), sparse.csc_array(np.ones((len(score), 1), dtype=bool)))
    ranks = Ranks.of(score, favourable, alone, np.ones(len(score)))
    auc = _aucs(ranks)["subgroup_auc"]
    variance, positives, negatives = _own_variance(ranks, auc, favourable, authors)
    worth = _worth(auc, variance, positives, negatives)
    return float(ratio(worth, _harmonic(positives, negatives))[0]), float(positives[0]), float(negatives[0])


def _harmonic(positives: Vector, negatives: Vector) -> Vector:
    return 2 * ratio(positives * negatives, positives + negatives)


def _own_variance(ranks: Ranks, auc: Vector, favourable: NDArray[np.bool_], authors: NDArray[np.int64]) -> tuple[Vector, Vector, Vector]:
    """The variance [groups] of AUCs within groups, and how many people have favourable and unfavourable texts there."""
    group, side = ranks.group[ranks.place], favourable[ranks.rows]
    p, n = ranks.positives[group], ranks.negatives[group]
    won = np.where(side, ratio(ranks.under[ranks.place], n), ratio(p - ranks.above[ranks.place], p))
    person, owner = _people(ranks, authors)
    positives, negatives = (add_up(owner, np.bincount(person, part) > 0, len(auc)) for part in (side, ~side))
    # The variance of a mean of m people has m - 1 below; without it two people seem half as uncertain as they are.
    people = np.where(side, positives[group], negatives[group])
    of_person = np.bincount(person, np.sqrt(ratio(people, people - 1)) * ratio(won - auc[group], np.where(side, p, n)))
    return add_up(owner, np.nan_to_num(of_person) ** 2, len(auc)), positives, negatives


def _background_variance(ranks: Ranks, auc: Vector, side: NDArray[np.bool_], authors: NDArray[np.int64], texts_each: float) -> Vector:
    """The variance [groups] of P(a favourable text of the background scores above an unfavourable one of the group, ``side`` [rows])."""
    background, own = ranks.all_positives - ranks.positives, ranks.negatives
    group = ranks.group[ranks.place]
    won = ratio((background[ranks.group] - (ranks.all_above - ranks.above))[ranks.place], background[group])
    person, owner = _people(ranks, authors)
    of_person = np.bincount(person, np.where(side[ranks.rows], ratio(won - auc[group], own[group]), 0))
    # The background's placements are constant at and between the group's scores.
    upto = np.concatenate([[0.0], np.cumsum(ranks.everyone[:, 0])])
    last = np.append(ranks.group[1:] != ranks.group[:-1], True)
    following = np.where(last, ranks.all_positives, upto[np.append(ranks.rank[1:], 0)])
    at, between = ranks.everyone[ranks.rank, 0] - ranks.above_at, following - upto[ranks.rank + 1]
    first = np.append(True, last[:-1])
    below, level = ratio(ranks.under, own[ranks.group]), ratio(ranks.under_at, 2 * own[ranks.group])
    centre = auc[ranks.group]
    squares = at * (below - centre) ** 2 + between * (below + level - centre) ** 2 + np.where(first, upto[ranks.rank], 0) * centre**2
    return add_up(owner, of_person**2, len(auc)) + texts_each * ratio(ranks.add_up(squares), background**2)


def _people(ranks: Ranks, authors: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which person of which group each entry is [entries], and the group of each such person."""
    group = ranks.group[ranks.place]
    if authors.max() + 1 == len(authors):
        return np.arange(len(group)), group
    person, keys = pd.factorize(authors[ranks.rows] * len(ranks.positives) + group)
    return person, keys % len(ranks.positives)
