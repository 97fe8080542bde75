"""Where a probe finds the vectors of words: word vectors as they are, or an encoder's states made into one vector a word."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float64]


@dataclass(frozen=True)
class Space:
    """One way to get vectors of words; ``rows`` gives those of the words it knows.

    ``pooling`` and ``casing`` say how, for the record. ``frequent``: the words it holds, the most frequent first, where it is a list.
    """

    name: str
    pooling: str
    casing: str
    rows: Callable[[Collection[str]], Mapping[str, Vectors]]
    frequent: Sequence[str] = ()


def static(words: Sequence[str], matrix: NDArray[np.floating]) -> Space:
    """Word vectors [words, dimensions]; a word is looked up as it is written and, where that fails, in lower case."""
    held, places = np.asarray(matrix), {word: row for row, word in enumerate(words)}

    def rows(asked: Collection[str]) -> Mapping[str, Vectors]:
        found = ((word, places.get(word, places.get(word.lower()))) for word in asked)
        return {word: held[row].astype(np.float64) for word, row in found if row is not None}

    return Space("static", "none", "as written, else lower case", rows, words)


def gathered(space: Space, sets: Mapping[str, Sequence[str]]) -> tuple[dict[str, Vectors], str | None]:
    """The vectors [words, dimensions] of each set, and in words which are lost: no vector, or one of length 0, which has no direction."""
    known = space.rows({word for words in sets.values() for word in words})
    known = {word: row for word, row in known.items() if row.any()}
    lost = {name: [word for word in words if word not in known] for name, words in sets.items()}
    told = "; ".join(f"{name}: {', '.join(words)}" for name, words in lost.items() if words)
    return {name: stacked(known[word] for word in words if word in known) for name, words in sets.items()}, told or None


def stacked(rows: Iterable[Vectors]) -> Vectors:
    """[vectors, dimensions]; of none, [0, 0]."""
    listed = list(rows)
    return np.stack(listed) if listed else np.empty((0, 0))


def unit(rows: Vectors) -> Vectors:
    """``rows`` [vectors, dimensions] at length 1."""
    found: Vectors = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
    return found
