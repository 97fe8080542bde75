"""First pass over big predictions: every row as four numbers on disk, in as many lots as fit into memory one at a time by author."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from flows.audit_options import Options
from flows.large_coding import Coding
from flows.large_files import Part, batches
from flows.large_survey import known_values, scores_of
from stages.metrics import decisions

# author: 64 bits of its name's hash; code: 4 x (categories, mixed radix) + 2 x label + decision; row: its number in all files.
ROW = np.dtype([("author", "u8"), ("code", "i8"), ("score", "f8"), ("row", "i8")])
LOT = 1_000_000  # rows of a lot, about
BINS = 1 << 20  # of equal width, from the lowest score to the highest
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Spilt:
    """What a part left on disk: rows in the order of lots, lot ``i`` being ``starts[i]`` to ``starts[i + 1]``; and what it holds.

    ``bins`` and ``in_bin``: which bins of scores occur and how often; ``single``: whether no bin has two different scores;
    ``codes``: which codes occur; ``nobody``: rows without an author.
    """

    file: Path
    starts: NDArray[np.int64]
    bins: NDArray[np.int64]
    in_bin: NDArray[np.int64]
    values: NDArray[np.float64]
    single: bool
    codes: NDArray[np.int64]
    nobody: int


def spill(task: tuple[Part, Path, int, int], coding: Coding, options: Options) -> Spilt:
    """Code the rows that have a label and an output, and leave them on disk by the lot of their author.

    ``task``: the part, the file to write, the number of the first row, and how many lots there are.
    """
    part, file, first_row, lots = task
    found, nobody = [], 0
    for batch in batches(part, coding.columns, options):
        rows, without = _coded(batch, first_row, coding, options)
        first_row += batch.num_rows
        found.append(rows)
        nobody += without
    rows = np.concatenate(found) if found else np.empty(0, ROW)
    lot = (mixed(rows["author"]) % np.uint64(lots)).astype(np.int64)
    np.save(file, rows[np.argsort(lot, kind="stable")])
    bins, in_bin, values, single = _bins(rows["score"], coding.ends)
    starts = np.concatenate([[0], np.cumsum(np.bincount(lot, minlength=lots))])
    return Spilt(file, starts, bins, in_bin, values, single, np.unique(rows["code"]), nobody)


def lot_of(spilt: Sequence[tuple[Path, int, int]]) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """The rows of a lot by author and by code within, in one order whatever the split into files; and where each author begins."""
    rows = np.concatenate([np.load(file, mmap_mode="r")[start:stop] for file, start, stop in spilt])
    rows = rows[np.lexsort((rows["row"], rows["code"], rows["author"]))]
    fresh = np.append(np.ones(min(1, len(rows)), dtype=bool), rows["author"][1:] != rows["author"][:-1])
    return rows, np.flatnonzero(fresh)


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers without any pattern from numbers with one, one to one (SplitMix64)."""
    with np.errstate(over="ignore"):
        z = numbers + GOLDEN
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(z ^ (z >> np.uint64(31)))


def bin_of(score: NDArray[np.float64], ends: tuple[float, float]) -> NDArray[np.int64]:
    """Which of ``BINS`` bins of equal width between ``ends`` a score lies in."""
    low, high = ends
    return np.minimum((score - low) / ((high - low) or 1.0) * BINS, BINS - 1).astype(np.int64)


def _bins(score: NDArray[np.float64], ends: tuple[float, float]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], bool]:
    """Which bins occur, how often, the lowest score in each, and whether that is the only one there."""
    if not len(score):
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), True
    ordered = np.sort(score)
    place = bin_of(ordered, ends)
    first = np.flatnonzero(np.append(True, np.diff(place) > 0))
    last = np.append(first[1:], len(place)) - 1
    return place[first], last - first + 1, ordered[first], bool((ordered[first] == ordered[last]).all())


def _coded(batch: pa.Table, first_row: int, coding: Coding, options: Options) -> tuple[NDArray[np.void], int]:
    number = first_row + np.arange(batch.num_rows)
    kept, score = np.ones(batch.num_rows, dtype=bool), None
    if options.score:
        score = scores_of(batch.column(options.score), options)
        kept &= ~np.isnan(score)
    label = coding.look_up(batch, options.label)
    kept &= label >= 0
    if options.decision:
        selected = coding.look_up(batch, options.decision)
        kept &= selected >= 0
    elif score is not None:
        selected = decisions.decide(score, coding.cut, coding.direction).astype(np.int64)
    rows = np.empty(int(kept.sum()), ROW)
    cell = np.zeros(batch.num_rows, dtype=np.int64)
    for name, categories in coding.attributes.items():
        cell = cell * len(categories.values) + coding.look_up(batch, name)
    rows["code"], rows["row"] = (4 * cell + 2 * label + selected)[kept], number[kept]
    rows["score"] = selected[kept] if score is None else coding.turned(score[kept])
    author, nobody = _authors(batch, number, options)
    rows["author"] = author[kept]
    return rows, int(nobody[kept].sum())


def _authors(batch: pa.Table, number: NDArray[np.int64], options: Options) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """The author of each row as a number, and who has none: each of these is another person."""
    alone = mixed(number.astype(np.uint64))
    if options.author is None:
        return alone, np.zeros(len(number), dtype=bool)
    column = pc.dictionary_encode(batch.column(options.author).combine_chunks())
    names = known_values(column.dictionary, options)
    nobody = names.isna().to_numpy()
    hashed = pd.util.hash_array(names.where(~nobody, "").to_numpy(dtype=object), categorize=False)
    place = column.indices.to_numpy()
    return np.where(nobody[place], alone, hashed[place]), nobody[place]
