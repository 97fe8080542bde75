"""Texts as rows of token numbers of unequal length, and batches of texts of similar length, so that little is padded."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

# Sorting inside windows of so many batches keeps the order of training close to random and the padding close to none.
WINDOW = 50


@dataclass(frozen=True)
class Rows:
    """Rows of int32 numbers laid end to end: row i is ``numbers[starts[i] : starts[i + 1]]``."""

    numbers: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(cls, rows: Iterable[list[int]]) -> Self:
        listed = list(rows)
        starts = np.concatenate([[0], np.cumsum([len(row) for row in listed], dtype=np.int64)])
        return cls(np.fromiter((number for row in listed for number in row), np.int32, count=int(starts[-1])), starts)

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.starts)

    def padded(self, index: np.ndarray, fill: int) -> tuple[np.ndarray, np.ndarray]:
        """The rows at ``index`` as int64 [rows, longest], ends filled with ``fill``; and bool of that shape: True = of the row.

        An empty row counts as one ``fill``, so that every row has something to look at.
        """
        lengths = self.lengths[index]
        columns = np.arange(max(int(lengths.max()), 1))
        held = columns < lengths[:, None]
        numbers = np.full(held.shape, fill, dtype=np.int64)
        numbers[held] = self.numbers[(self.starts[index][:, None] + columns)[held]]
        return numbers, columns < np.maximum(lengths, 1)[:, None]


def shuffled(index: np.ndarray, lengths: np.ndarray, batch: int, generator: np.random.Generator) -> list[np.ndarray]:
    """``index`` cut into batches for one epoch: shuffled, sorted by ``lengths`` inside windows, the batches shuffled again."""
    mixed = generator.permutation(index)
    window = WINDOW * batch
    batches = []
    for start in range(0, len(mixed), window):
        part = mixed[start : start + window]
        batches += cut(part[np.argsort(-lengths[part], kind="stable")], batch)
    return [batches[position] for position in generator.permutation(len(batches))]


def by_length(index: np.ndarray, lengths: np.ndarray, batch: int) -> list[np.ndarray]:
    """``index`` cut into batches for prediction, the longest texts first: what does not fit in memory fails at once."""
    return cut(index[np.argsort(-lengths[index], kind="stable")], batch)


def cut(index: np.ndarray, batch: int) -> list[np.ndarray]:
    return [index[start : start + batch] for start in range(0, len(index), batch)]
