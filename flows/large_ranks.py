"""AUCs and performance of big predictions: exact in the levels of scores, their spread between people from a third pass.

Everything of ranks is read from tables [groups, levels] of how many favourable and other texts of a group have which score. With at
most as many different scores as levels that is exact; else neighbouring scores count as ties, which moves no AUC by more than
``most_apart`` says. ``stages.metrics.placements`` says the same of texts in memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from flows.large_counts import Layout
from flows.large_spill import lot_of
from stages.metrics import placements
from stages.metrics.fairness import add_up, ratio
from stages.metrics.performance import METRICS

Numbers = NDArray[np.float64]
Index = NDArray[np.int64]
AUCS = ("subgroup_auc", "bpsn_auc", "bnsp_auc")


@dataclass(frozen=True)
class Ranked:
    """The AUCs [3, groups + 1] of all groups, everyone last; ``constant`` [3, groups + 1], what the background's placements add to their
    variance; ``most_apart``: how far neighbouring scores taken for ties can move an AUC of a group."""

    value: Numbers
    constant: Numbers
    most_apart: float


@dataclass(frozen=True)
class Everyone:
    """The figures of performance and what an author's influence on them is made of."""

    point: dict[str, float]
    texts: int
    favourable: int
    selected: int
    score: tuple[float, float]
    label: tuple[float, float]
    corrected: Numbers


def rank(histogram: Numbers, layout: Layout, people: Numbers, texts_each: float, file: Path) -> Ranked:
    """AUCs from ``histogram`` [cells, 2, levels]; what a text adds to a person's placements is left in ``file``.

    The file holds, within groups and against others, [2, groups + 1, 2, levels].
    ``people`` [groups + 1, 2]: with unfavourable and with favourable texts.
    """
    whole = histogram.sum(axis=0)
    tables = np.lib.format.open_memmap(file, "w+", np.float64, (2, layout.groups + 1, 2, layout.levels))
    value, constant = np.full((3, layout.groups + 1), np.nan), np.full((3, layout.groups + 1), np.nan)
    apart = np.zeros(layout.groups + 1)
    for group in range(layout.groups + 1):
        own = whole if group == layout.groups else histogram[(layout.cells == group).any(axis=1)].sum(axis=0)
        value[:, group], constant[:, group], tables[:, group] = _of_group(own, whole, people[group], texts_each)
        if not layout.exact:
            apart[group] = np.nanmax([0.0, *_apart(own, whole)])
    tables.flush()
    return Ranked(value, constant, float(apart.max()))


def _of_group(own: Numbers, whole: Numbers, people: Numbers, texts_each: float) -> tuple[Numbers, Numbers, Numbers]:
    """The three AUCs, the background's part of their variance, and the tables [2, 2, levels]: within the group, and against others."""
    (n, p), (negatives, positives), (all_n, all_p) = own.sum(axis=1), own, whole
    under, above = (np.cumsum(side) - side / 2 for side in own)
    back_n, back_p = all_n - negatives, all_p - positives
    others_under, others_above = np.cumsum(back_n) - back_n / 2, back_p.sum() - (np.cumsum(back_p) - back_p / 2)
    totals = back_n.sum(), back_p.sum()
    auc = np.array([_over(positives @ under, p * n), _over(negatives @ others_above, totals[1] * n)])
    auc = np.append(auc, _over(positives @ others_under, p * totals[0]))
    placed = [_over(p - above, p), _over(under, n)]  # of an unfavourable and of a favourable text within the group
    corrected = np.sqrt(ratio(people, people - 1))
    within = np.stack([corrected[side] * _over(placed[side] - auc[0], (n, p)[side]) for side in (0, 1)])
    against = np.stack([_over(_over(others_above, totals[1]) - auc[1], n), _over(_over(others_under, totals[0]) - auc[2], p)])
    squares = (back_p @ (placed[1] - auc[1]) ** 2, back_n @ (placed[0] - auc[2]) ** 2)
    constant = np.array([0.0, *(texts_each * _over(part, total**2) for part, total in zip(squares, totals[::-1], strict=True))])
    return auc, constant, np.stack([within, against])


def _apart(own: Numbers, whole: Numbers) -> list[float]:
    """Half of the pairs that are taken for ties, in each AUC's own pairs."""
    back = whole - own
    pairs = ((own[1], own[0]), (back[1], own[0]), (own[1], back[0]))
    return [float(_over(one @ other / 2, one.sum() * other.sum())) for one, other in pairs]


def _over(above: Numbers | float, below: Numbers | float) -> Numbers:
    return ratio(np.asarray(above, dtype=float), np.asarray(below, dtype=float))


def spread(slices: Sequence[tuple[Path, int, int]], layout: Layout, everyone: Everyone, file: Path) -> tuple[Numbers, Numbers, Numbers]:
    """The third pass over a lot, which adds squares [3, groups + 1] of people's placements, and products [5, 5] and cubes [5] of their
    influence on each figure of performance."""
    rows, start = lot_of(slices)
    cell, label, decision, level = layout.places(rows)
    within, against = np.load(file, mmap_mode="r")
    squares, side = np.zeros((3, layout.groups + 1)), label.astype(np.int64)
    first, owner = np.append(True, cell[1:] != cell[:-1]), np.zeros(len(rows), dtype=np.int64)
    owner[start[1:]] = 1
    owner = np.cumsum(owner)
    alone = np.bincount(owner[first | np.isin(np.arange(len(rows)), start)], minlength=len(start)) == 1
    for of_set in (*layout.cells.T, np.full(len(layout.cells), layout.groups)):
        group = of_set[cell]
        if len(start) == len(rows):
            place, person = np.arange(len(rows)), group
        elif alone.all() or of_set[0] == layout.groups:
            place, person = owner, group[start]
        else:
            keys, place = np.unique(owner * (layout.groups + 1) + group, return_inverse=True)
            person = keys % (layout.groups + 1)
        own, other = within[group, side, level], against[group, side, level]
        parts = (own, np.where(label, 0, other), np.where(label, other, 0))
        of_person = [add_up(place, part, len(person)) for part in parts]
        of_person[0] = np.nan_to_num(of_person[0])
        squares += [add_up(person, part**2, layout.groups + 1) for part in of_person]
    placed = (np.asarray(within[layout.groups]) / everyone.corrected[:, None])[side, level]
    linear = np.stack([add_up(owner, part, len(start)) for part in _influence(rows["score"], label, decision, placed, everyone)])
    return squares, linear @ linear.T, (linear**3).sum(axis=1)


def _influence(score: Numbers, label: NDArray[np.bool_], decision: NDArray[np.bool_], placed: Numbers, of: Everyone) -> list[Numbers]:
    """As ``performance.influence``, in the order of its ``METRICS``; ``placed``: what a text adds to everyone's AUC."""
    hit = label & decision
    y, s = ((values - mean) / (deviation or np.nan) for values, (mean, deviation) in ((label, of.label), (score, of.score)))
    return [
        ((label == decision) - of.point["accuracy"]) / of.texts,
        _over(2 * hit - of.point["f1"] * (label.astype(float) + decision), of.favourable + of.selected),
        placed,
        ((score - label) ** 2 - of.point["mse"]) / of.texts,
        (y * s - of.point["pearson_r"] * (y**2 + s**2) / 2) / of.texts,
    ]


def figures(texts: Numbers, scores: Numbers, auc: float, people: Numbers) -> Everyone:
    """Performance from ``texts`` [label, decision] and sums of score, its square, score x label and squared error; ``people`` [2]."""
    number, favourable, selected, hit = texts.sum(), texts[1].sum(), texts[:, 1].sum(), texts[1, 1]
    total, squares, product, errors = scores
    base, mean = favourable / number, total / number
    variances = base * (1 - base), max(0.0, squares / number - mean**2)
    point = {
        "accuracy": (texts[0, 0] + hit) / number,
        "f1": float(_over(2 * hit, favourable + selected)),
        "auc": auc,
        "mse": errors / number,
        "pearson_r": float(_over(product / number - base * mean, np.sqrt(variances[0] * variances[1]))),
    }
    ends = (mean, float(np.sqrt(variances[1]))), (base, float(np.sqrt(variances[0])))
    return Everyone(
        {metric: float(point[metric]) for metric in METRICS},
        int(number),
        int(favourable),
        int(selected),
        *ends,
        np.sqrt(ratio(people, people - 1)),
    )


def worths(ranked: Ranked, squares: Numbers, people: Numbers, starts: Index) -> tuple[list[dict[str, tuple[Numbers, Numbers]]], float]:
    """The AUCs of each set's groups with the texts they are worth, and everyone's AUC, as ``Groups.aucs`` has them."""
    variance, unfavourable, favourable = squares + ranked.constant, people[:, 0], people[:, 1]
    last = slice(-1, None)
    of_all = placements.worth_of(ranked.value[0, last], variance[0, last], favourable[last], unfavourable[last])
    each = float(ratio(of_all, placements.harmonic(favourable[last], unfavourable[last]))[0])
    others = favourable[-1] - favourable, unfavourable[-1] - unfavourable
    sides = ((favourable, unfavourable), (others[0], unfavourable), (favourable, others[1]))
    worth = [placements.worth_of(value, part, *side, each) for value, part, side in zip(ranked.value, variance, sides, strict=True)]
    sets = [
        {name: (value[begin:end], part[begin:end]) for name, value, part in zip(AUCS, ranked.value, worth, strict=True)}
        for begin, end in pairwise(starts)
    ]
    return sets, float(ranked.value[0, -1])
