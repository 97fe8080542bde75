"""Where a probe finds the vectors of words: word vectors as they are, or an encoder's states made into one vector a word."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float64]
Row = NDArray[np.floating]
BLOCK = 1000


@dataclass(frozen=True)
class Space:
    """One way to get vectors of words; ``rows`` gives those of the words it knows, in the precision in which it holds them.

    ``pooling`` and ``casing`` say how, for the record. ``frequent``: the words it holds, the most frequent first, where it is a list.
    """

    name: str
    pooling: str
    casing: str
    rows: Callable[[Collection[str]], Mapping[str, Row]]
    frequent: Sequence[str] = ()


def static(words: Sequence[str], matrix: NDArray[np.floating]) -> Space:
    """Word vectors [words, dimensions]; a word is looked up as it is written and, where that fails, in lower case."""
    held, places = np.asarray(matrix), {word: row for row, word in enumerate(words)}

    def rows(asked: Collection[str]) -> Mapping[str, Row]:
        found = ((word, places.get(word, places.get(word.lower()))) for word in asked)
        return {word: held[row] for word, row in found if row is not None}

    return Space("static", "none", "as written, else lower case", rows, words)


def gathered(space: Space, sets: Mapping[str, Sequence[str]]) -> tuple[dict[str, Vectors], str | None]:
    """The vectors [words, dimensions] of each set, and in words which are lost: no vector, or one of length 0, which has no direction."""
    known = space.rows({word for words in sets.values() for word in words})
    known = {word: row for word, row in known.items() if row.any()}
    lost = {name: [word for word in words if word not in known] for name, words in sets.items()}
    told = "; ".join(f"{name}: {', '.join(words)}" for name, words in lost.items() if words)
    return {name: stacked(known[word] for word in words if word in known) for name, words in sets.items()}, told or None


def in_both(space: Space, before: Space, asked: Sequence[str]) -> tuple[list[str], Vectors, Vectors]:
    """The words that have a direction in both spaces, and their unit vectors before and now [words, dimensions]."""
    now = space.rows(asked)
    then = now if before is space else before.rows(asked)
    known = [word for word in asked if word in now and word in then and now[word].any() and then[word].any()]
    units = directions(now[word] for word in known)
    return known, units if then is now else directions(then[word] for word in known), units


def stacked(rows: Iterable[Row]) -> Vectors:
    """[vectors, dimensions], float64; of none, [0, 0]."""
    listed = list(rows)
    return np.stack(listed, dtype=np.float64) if listed else np.empty((0, 0))


def directions(rows: Iterable[Row]) -> Vectors:
    """``stacked`` at length 1: in place and a block at a time, as there may be as many as a file of word vectors holds."""
    found = stacked(rows)
    for start in range(0, len(found), BLOCK):
        found[start : start + BLOCK] = unit(found[start : start + BLOCK])
    return found


def unit(rows: Vectors) -> Vectors:
    """``rows`` [vectors, dimensions] at length 1."""
    found: Vectors = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
    return found
