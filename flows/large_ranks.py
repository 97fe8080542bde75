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

from flows import large_figures
from flows.large_counts import Layout
from flows.large_spill import lot_of
from stages.metrics import placements
from stages.metrics.fairness import add_up, ratio
from stages.metrics.performance import METRICS

Numbers = NDArray[np.float64]
Index = NDArray[np.int64]
Sides = tuple[placements.Side, placements.Side]
AUCS = ("subgroup_auc", "bpsn_auc", "bnsp_auc")


@dataclass(frozen=True)
class Ranked:
    """The AUCs [3, groups + 1] of all groups, everyone last; ``constant`` [3, groups + 1], what the background's placements add to their
    variance were no text by the author of another, and ``by_text`` [2] what everyone's unfavourable and favourable ones add;
    ``most_apart``: how far neighbouring scores taken for ties can move an AUC of a group."""

    value: Numbers
    constant: Numbers
    by_text: Numbers
    most_apart: float


def rank(histogram: Numbers, layout: Layout, sides: Sides, file: Path) -> Ranked:
    """AUCs from ``histogram`` [cells, 2, levels]; what a text adds to a person's placements is left in ``file``.

    The file holds, within groups and against others, [2, groups + 1, 2, levels]. Everyone has no others: there, what is within.
    ``sides`` [groups + 1]: unfavourable and favourable texts.
    """
    whole = histogram.sum(axis=0)
    tables = np.lib.format.open_memmap(file, "w+", np.float64, (2, layout.groups + 1, 2, layout.levels))
    value, constant = np.full((3, layout.groups + 1), np.nan), np.full((3, layout.groups + 1), np.nan)
    apart = np.zeros(layout.groups + 1)
    for group in range(layout.groups + 1):
        own = whole if group == layout.groups else histogram[(layout.cells == group).any(axis=1)].sum(axis=0)
        value[:, group], constant[:, group], tables[:, group] = _of_group(own, whole, [side.corrected()[group] for side in sides])
        if group == layout.groups:
            tables[1, group] = tables[0, group]
        if not layout.exact:
            apart[group] = np.nanmax([0.0, *_apart(own, whole)])
    corrected = np.array([side.corrected()[-1] for side in sides])
    by_text = np.asarray((whole * _over(tables[0, -1], corrected[:, None]) ** 2).sum(axis=1))
    tables.flush()
    return Ranked(value, constant, by_text, float(apart.max()))


def _of_group(own: Numbers, whole: Numbers, corrected: list[Numbers]) -> tuple[Numbers, Numbers, Numbers]:
    """The three AUCs, the background's part of their variance, and the tables [2, 2, levels]: within the group, and against others."""
    (n, p), (negatives, positives), (all_n, all_p) = own.sum(axis=1), own, whole
    under, above = (np.cumsum(side) - side / 2 for side in own)
    back_n, back_p = all_n - negatives, all_p - positives
    others_under, others_above = np.cumsum(back_n) - back_n / 2, back_p.sum() - (np.cumsum(back_p) - back_p / 2)
    totals = back_n.sum(), back_p.sum()
    auc = np.array([_over(positives @ under, p * n), _over(negatives @ others_above, totals[1] * n)])
    auc = np.append(auc, _over(positives @ others_under, p * totals[0]))
    placed = [_over(p - above, p), _over(under, n)]  # of an unfavourable and of a favourable text within the group
    within = np.stack([corrected[side] * _over(placed[side] - auc[0], (n, p)[side]) for side in (0, 1)])
    others = [_over(_over(others_above, totals[1]) - auc[1], n), _over(_over(others_under, totals[0]) - auc[2], p)]
    against = np.stack([factor * part for factor, part in zip(corrected, others, strict=True)])
    squares = (back_p @ (placed[1] - auc[1]) ** 2, back_n @ (placed[0] - auc[2]) ** 2)
    constant = np.array([0.0, *(_over(part, total**2) for part, total in zip(squares, totals[::-1], strict=True))])
    return auc, constant, np.stack([within, against])


def _apart(own: Numbers, whole: Numbers) -> list[float]:
    """Half of the pairs that are taken for ties, in each AUC's own pairs."""
    back = whole - own
    pairs = ((own[1], own[0]), (back[1], own[0]), (own[1], back[0]))
    return [float(_over(one @ other / 2, one.sum() * other.sum())) for one, other in pairs]


def _over(above: Numbers | float, below: Numbers | float) -> Numbers:
    return ratio(np.asarray(above, dtype=float), np.asarray(below, dtype=float))


def spread(
    slices: Sequence[tuple[Path, int, int]], layout: Layout, everyone: large_figures.Everyone, sides: Sides, file: Path
) -> tuple[Numbers, Numbers]:
    """The third pass over a lot, which adds squares of how far people move AUCs [3, groups + 1] and the figures of performance [5].

    Of everyone, AUCs against others are those of unfavourable and of favourable texts alone.
    """
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
        own, other = (_moved(table[group, side, level], label, place, person, sides) for table in (within, against))
        placed = own[0] + own[1]
        squares += [add_up(person, part**2, layout.groups + 1) for part in (placed, *other)]
    linear = large_figures.moved(rows["score"], label, decision, owner, len(start), everyone)
    linear.insert(METRICS.index("auc"), placed)  # everyone is the last of the sets
    return squares, np.array([part @ part for part in linear])


def _moved(parts: Numbers, label: NDArray[np.bool_], place: Index, person: Index, sides: Sides) -> list[Numbers]:
    """By how much AUCs move without the unfavourable and without the favourable texts of each person [persons], from ``parts`` [rows]."""
    moved = []
    for mine, side in zip((~label, label), sides, strict=True):
        texts, placed = (add_up(place, part, len(person)) for part in (mine, np.where(mine, parts, 0)))
        moved.append(placements.left_out(placed, texts, side.texts[person]))
    return moved


def worths(ranked: Ranked, squares: Numbers, sides: Sides, starts: Index) -> tuple[list[dict[str, tuple[Numbers, Numbers]]], float]:
    """The AUCs of each set's groups with the texts they are worth, and everyone's AUC, as ``Groups.aucs`` has them."""
    unfavourable, favourable = sides
    whole = placements.Side(*(part[-1:] for part in favourable)), placements.Side(*(part[-1:] for part in unfavourable))
    auc, by_person = ranked.value[0, -1:], squares[:, -1]
    each = placements.each_of(auc, by_person[:1], whole)
    across = placements.each_of(auc, by_person[1:].sum(keepdims=True), whole)
    # The background of BPSN is favourable, that of BNSP unfavourable.
    repeated = [placements.repeats(by_person[side + 1], ranked.by_text[side], whole[1 - side]) for side in (1, 0)]
    variance = squares + np.array([0.0, *repeated])[:, None] * ranked.constant
    others = [side.without(part) for side, part in zip(whole, (favourable, unfavourable), strict=True)]
    pairs = ((favourable, unfavourable, each), (others[0], unfavourable, across), (favourable, others[1], across))
    worth = [placements.worth_of(value, part, *pair) for value, part, pair in zip(ranked.value, variance, pairs, strict=True)]
    sets = [
        {name: (value[begin:end], part[begin:end]) for name, value, part in zip(AUCS, ranked.value, worth, strict=True)}
        for begin, end in pairwise(starts)
    ]
    return sets, float(ranked.value[0, -1])
