"""How sure an AUC is: the variance of its placements, with the texts of a person together (DeLong et al. 1988, Obuchowski 1997)."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from stages.metrics.fairness import add_up, ratio
from stages.metrics.groupwise import Membership
from stages.metrics.ranking import Ranks, Vector, aucs_of


class Side(NamedTuple):
    """The texts of one label in some groups, the people's sums of texts^2, and the people who have such a text."""

    texts: Vector
    squares: Vector
    people: Vector

    @classmethod
    def of(cls, texts: Vector) -> "Side":
        """Of one group whose people have so many ``texts`` [people]."""
        return cls(*(np.asarray(part.sum(), dtype=float) for part in (texts, texts**2, texts > 0)))

    def effective(self) -> Vector:
        """How many people with equally many of these texts are worth as much (Kish 1965)."""
        return ratio(self.texts**2, self.squares)

    def without(self, part: "Side") -> "Side":
        return Side(*(whole - inside for whole, inside in zip(self, part, strict=True)))

    def corrected(self) -> Vector:
        """The square root of (people - 1) / people, of the jackknife."""
        return np.sqrt(ratio(self.people - 1, self.people))


class Everyone(NamedTuple):
    """Of everyone's AUC: the independent texts it is worth to an effective person, both sides, and how often a text counts on each.

    ``across`` is ``each`` had nobody texts of both labels, as between a group and its background. ``repeated`` is by how much more
    the mean placement of favourable (unfavourable) texts varies than if no author had two.
    """

    each: float
    across: float
    sides: tuple[Side, Side]
    repeated: tuple[float, float]


def auc_worth(
    score: Vector, favourable: NDArray[np.bool_], membership: Membership, authors: NDArray[np.int64], everyone: Everyone | None = None
) -> dict[str, tuple[Vector, Vector]]:
    """The three AUCs [groups] of ``auc_by_group``, each with the independent texts it is worth: AUC (1 - AUC) / its variance.

    The variance is that of the placements (DeLong et al. 1988) with the texts of an author, ``authors`` [rows] from 0 on, together
    (Obuchowski 1997), over one minus the author's share of the texts of that label: the jackknife. In the background's part of BPSN and
    BNSP texts count as often as among everyone. An AUC of 0 or 1 is worth the effective people of the smaller side. ``everyone`` is what
    ``of_everyone`` finds, where it is known already.
    """
    ranks, mirrored = (Ranks.of(sign * score, side, membership, np.ones(len(score))) for sign, side in ((1, favourable), (-1, ~favourable)))
    found = aucs_of(ranks)
    person, owner = _people(ranks, authors)
    sides = _sides(ranks, favourable, person, owner)
    own = np.sum(_own_parts(ranks, found["subgroup_auc"], favourable, person, owner, sides), axis=0)
    whole = everyone or of_everyone(score, favourable, authors)
    others = tuple(all_of.without(side) for all_of, side in zip(whole.sides, sides, strict=True))
    variances = {
        "subgroup_auc": (add_up(owner, own**2, len(membership.names)), *sides),
        "bpsn_auc": (
            _background_variance(ranks, found["bpsn_auc"], ~favourable, authors, sides[1], whole.repeated[0]),
            others[0],
            sides[1],
        ),
        "bnsp_auc": (
            _background_variance(mirrored, found["bnsp_auc"], favourable, authors, sides[0], whole.repeated[1]),
            sides[0],
            others[1],
        ),
    }
    each = {name: whole.each if name == "subgroup_auc" else whole.across for name in variances}
    return {name: (found[name], worth_of(found[name], *parts, each[name])) for name, parts in variances.items()}


def worth_of(auc: Vector, variance: Vector, positives: Side, negatives: Side, each: float | None = None) -> Vector:
    """Independent texts; a person is worth no more than people are among everyone, as the placements of a few vary too little."""
    varies = (variance > 1e-12) & (auc * (1 - auc) > 1e-12)
    fewest = np.minimum(positives.effective(), negatives.effective())
    worth = np.where(varies, auc * (1 - auc) / np.where(varies, variance, 1), fewest)
    return worth if each is None else np.minimum(worth, each * harmonic(positives, negatives))


def of_everyone(score: Vector, favourable: NDArray[np.bool_], authors: NDArray[np.int64]) -> Everyone:
    """What the AUCs of groups take from everyone's."""
    alone = Membership(("everyone",), sparse.csc_array(np.ones((len(score), 1), dtype=bool)))
    ranks = Ranks.of(score, favourable, alone, np.ones(len(score)))
    auc = aucs_of(ranks)["subgroup_auc"]
    person, owner = _people(ranks, authors)
    sides = _sides(ranks, favourable, person, owner)
    parts = _own_parts(ranks, auc, favourable, person, owner, sides)
    of_texts = _placed(ranks, auc, favourable) ** 2
    texts = [float(of_texts[of].sum()) for of in (favourable[ranks.rows], ~favourable[ranks.rows])]
    repeated = [repeats(float(part @ part), alone, side) for part, alone, side in zip(parts, texts, sides, strict=True)]
    together, apart = (np.array([squares.sum()]) for squares in (np.sum(parts, axis=0) ** 2, np.square(parts)))
    return Everyone(each_of(auc, together, sides), each_of(auc, apart, sides), sides, (repeated[0], repeated[1]))


def each_of(auc: Vector, variance: Vector, sides: tuple[Side, Side]) -> float:
    """How many independent texts everyone's AUC [1] is worth to an effective person (harmonic mean of both sides)."""
    return float(ratio(worth_of(auc, variance, *sides), harmonic(*sides))[0])


def repeats(by_person: float, by_text: float, side: Side) -> float:
    """A variance by people over that by texts, at least 1; where there is none, as if all texts of a person were alike (Kish 1965)."""
    found = by_person / by_text if by_text > 0 else np.nan
    return max(1.0, found if np.isfinite(found) else float(ratio(side.squares, side.texts)[0]))


def harmonic(positives: Side, negatives: Side) -> Vector:
    p, n = positives.effective(), negatives.effective()
    return 2 * ratio(p * n, p + n)


def left_out(parts: Vector, texts: Vector, of: Vector) -> Vector:
    """What people's ``parts`` of a mean move it by when they are left out, who have ``texts`` of the texts ``of`` their group."""
    return ratio(parts, 1 - ratio(texts, of))


def _sides(ranks: Ranks, favourable: NDArray[np.bool_], person: NDArray[np.int64], owner: NDArray[np.int64]) -> tuple[Side, Side]:
    """Favourable and unfavourable texts of each group."""
    found, groups = [], len(ranks.positives)
    for side in (favourable[ranks.rows], ~favourable[ranks.rows]):
        texts = add_up(person, side, len(owner))
        found.append(Side(*(add_up(owner, part, groups) for part in (texts, texts**2, texts > 0))))
    return found[0], found[1]


def _placed(ranks: Ranks, auc: Vector, favourable: NDArray[np.bool_]) -> Vector:
    """What each entry adds to its group's AUC [entries], about 0."""
    group, side = ranks.group[ranks.place], favourable[ranks.rows]
    p, n = ranks.positives[group], ranks.negatives[group]
    won = np.where(side, ratio(ranks.under[ranks.place], n), ratio(p - ranks.above[ranks.place], p))
    return np.asarray(ratio(won - auc[group], np.where(side, p, n)))


def _own_parts(
    ranks: Ranks,
    auc: Vector,
    favourable: NDArray[np.bool_],
    person: NDArray[np.int64],
    owner: NDArray[np.int64],
    sides: tuple[Side, Side],
) -> list[Vector]:
    """By how much the AUCs within groups move without each person's [persons] favourable and unfavourable texts."""
    placed, parts = _placed(ranks, auc, favourable), []
    for of, side in zip((favourable[ranks.rows], ~favourable[ranks.rows]), sides, strict=True):
        texts, moved = (add_up(person, part, len(owner)) for part in (of, np.where(of, placed, 0)))
        parts.append(side.corrected()[owner] * left_out(moved, texts, side.texts[owner]))
    return parts


def _background_variance(
    ranks: Ranks, auc: Vector, side: NDArray[np.bool_], authors: NDArray[np.int64], own_side: Side, repeated: float
) -> Vector:
    """The variance [groups] of P(a favourable text of the background scores above an unfavourable one of the group, ``side`` [rows])."""
    background, own = ranks.all_positives - ranks.positives, ranks.negatives
    group = ranks.group[ranks.place]
    won = ratio((background[ranks.group] - (ranks.all_above - ranks.above))[ranks.place], background[group])
    person, owner = _people(ranks, authors)
    mine = side[ranks.rows]
    texts, placed = (add_up(person, part, len(owner)) for part in (mine, np.where(mine, ratio(won - auc[group], own[group]), 0)))
    of_person = own_side.corrected()[owner] * left_out(placed, texts, own_side.texts[owner])
    # The background's placements are constant at and between the group's scores.
    upto = np.concatenate([[0.0], np.cumsum(ranks.everyone[:, 0])])
    last = np.append(ranks.group[1:] != ranks.group[:-1], True)
    following = np.where(last, ranks.all_positives, upto[np.append(ranks.rank[1:], 0)])
    at, between = ranks.everyone[ranks.rank, 0] - ranks.above_at, following - upto[ranks.rank + 1]
    first = np.append(True, last[:-1])
    below, level = ratio(ranks.under, own[ranks.group]), ratio(ranks.under_at, 2 * own[ranks.group])
    centre = auc[ranks.group]
    squares = at * (below - centre) ** 2 + between * (below + level - centre) ** 2 + np.where(first, upto[ranks.rank], 0) * centre**2
    return add_up(owner, of_person**2, len(auc)) + repeated * ratio(ranks.add_up(squares), background**2)


def _people(ranks: Ranks, authors: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which person of which group each entry is [entries], and the group of each such person."""
    group = ranks.group[ranks.place]
    if authors.max() + 1 == len(authors):
        return np.arange(len(group)), group
    person, keys = pd.factorize(authors[ranks.rows] * len(ranks.positives) + group)
    return person, keys % len(ranks.positives)
