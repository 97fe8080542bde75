"""How sure an AUC is: the variance of its placements, with the texts of a person together (DeLong et al. 1988, Obuchowski 1997)."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from stages.metrics.fairness import add_up, ratio
from stages.metrics.groupwise import Membership
from stages.metrics.ranking import Ranks, Vector, aucs_of

# What everyone's AUC is worth to a person, and how many people have favourable and other texts.
Everyone = tuple[float, float, float]


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
    found = aucs_of(ranks)
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
    return {name: (found[name], worth_of(found[name], *side, each)) for name, side in sides.items()}


def worth_of(auc: Vector, variance: Vector, positives: Vector, negatives: Vector, each: float | None = None) -> Vector:
    """Independent texts; a person is worth no more than people are among everyone, as the placements of a few vary too little."""
    varies = (variance > 1e-12) & (auc * (1 - auc) > 1e-12)
    worth = np.where(varies, auc * (1 - auc) / np.where(varies, variance, 1), np.minimum(positives, negatives))
    return worth if each is None else np.minimum(worth, each * harmonic(positives, negatives))


def of_everyone(score: Vector, favourable: NDArray[np.bool_], authors: NDArray[np.int64]) -> Everyone:
    """How many independent texts everyone's AUC is worth to a person (harmonic mean), and people with favourable and other texts."""
    alone = Membership(("everyone",), sparse.csc_array(np.ones((len(score), 1), dtype=bool)))
    ranks = Ranks.of(score, favourable, alone, np.ones(len(score)))
    auc = aucs_of(ranks)["subgroup_auc"]
    variance, positives, negatives = _own_variance(ranks, auc, favourable, authors)
    worth = worth_of(auc, variance, positives, negatives)
    return float(ratio(worth, harmonic(positives, negatives))[0]), float(positives[0]), float(negatives[0])


def harmonic(positives: Vector, negatives: Vector) -> Vector:
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
