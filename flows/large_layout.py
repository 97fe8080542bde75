"""From the first pass over big predictions: which groups and which levels of scores there are, and where every row belongs."""

import functools
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from flows import large_files, large_scores, large_spill
from flows.audit_options import Options
from flows.large_coding import Coding
from flows.large_counts import Layout
from flows.large_workers import each
from stages.metrics.lattice import lattice
from stages.metrics.scoring import Sets

Numbers = NDArray[np.float64]
Index = NDArray[np.int64]
Slices = list[tuple[Path, int, int]]
# How many numbers a table of groups or cells x labels x levels of scores may hold, and the most levels.
TABLE, MOST_LEVELS = 1 << 24, 1 << 16


@dataclass(frozen=True)
class Spill:
    """What the first pass left: the slices of each lot, which combinations of categories occur, the scores' levels; rows without author.

    ``counts`` and ``values`` [bins]: how many scores a bin has, and the lowest; ``single``: whether none has two different ones.
    """

    slices: list[Slices]
    codes: Index
    counts: Index
    values: Numbers
    single: bool
    nobody: int


def spill(pool: Executor, files: list[Path], options: Options, coding: Coding, lots: int, folder: Path) -> Spill:
    """Code all rows and leave them in ``folder``, in ``lots`` of people."""
    parts = large_files.parts(files)
    starts = np.cumsum([0, *each(pool, functools.partial(large_files.rows, options=options), parts)])
    tasks = [(part, folder / f"{number}.npy", int(starts[number]), lots) for number, part in enumerate(parts)]
    work = functools.partial(large_spill.spill, coding=coding, options=options)
    slices: list[Slices] = [[] for _ in range(lots)]
    codes: set[int] = set()
    counts, values = np.zeros(large_spill.BINS, np.int64), np.full(large_spill.BINS, np.nan)
    single, nobody = True, 0
    for part in each(pool, work, tasks):
        for lot in range(lots):
            slices[lot].append((part.file, part.starts[lot], part.starts[lot + 1]))
        codes.update(part.codes.tolist())
        before = values[part.bins]
        single &= part.single and bool((np.isnan(before) | (before == part.values)).all())
        values[part.bins], counts[part.bins] = np.fmin(before, part.values), counts[part.bins] + part.in_bin
        nobody += part.nobody
    return Spill(slices, np.array(sorted(codes)), counts, values, single, nobody)


def layout_of(coding: Coding, sets: Sets, spilt: Spill) -> Layout:
    """Which groups there are, and where rows belong."""
    combinations = np.unique(spilt.codes >> 2)
    attributes = sorted({name for chosen in sets for name in chosen})
    place, status = large_scores.categories(coding, combinations), large_scores.statuses(coding, combinations)
    values = {one.name: np.array(one.values, dtype=object)[place[one.name]] for one in coding.attributes.values()}
    found = lattice(pd.DataFrame({name: values[name] for name in attributes}), sets)
    reference = np.zeros(len(found.names), dtype=bool)
    for index, chosen in enumerate(found.sets):
        inside = np.all([status[name] == 1 for name in chosen], axis=0)
        reference[found.group[found.cell[inside], index]] = True
    level, exact = _levels(spilt, min(MOST_LEVELS, TABLE // (2 * (len(found.names) + 1)), TABLE // (2 * len(found.group))))
    ranks = not (spilt.single and np.isin(spilt.values[spilt.counts > 0], (0, 1)).all())
    probable = ranks and coding.ends[0] >= 0 and coding.ends[1] <= 1
    levels = int(level.max()) + 1
    return Layout(combinations, found.cell, found, reference, level, levels, coding.ends, exact, ranks, probable)


def _levels(spilt: Spill, most: int) -> tuple[NDArray[np.int32], bool]:
    """The level [bins] of each bin of scores: one each where they are few enough, else neighbours together, about equally many texts."""
    occupied = np.flatnonzero(spilt.counts)
    upto = np.cumsum(spilt.counts[occupied])
    place = np.arange(len(occupied)) if len(occupied) <= most else (upto - 1) * most // upto[-1]
    level = np.zeros(len(spilt.counts), dtype=np.int32)
    level[occupied] = np.unique(place, return_inverse=True)[1]
    return level, spilt.single and len(occupied) <= most
