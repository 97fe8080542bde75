"""Kinds of people: who has equally many texts of each category, label and decision is alike, whoever it is."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flows.large_spill import mixed

Index = NDArray[np.int64]


@dataclass(frozen=True)
class Profiles:
    """Kinds of people: ``codes`` and ``texts`` of kind ``k`` from ``starts[k]`` to ``starts[k + 1]``, ``number`` and ``first`` row of
    each, and ``hashed``, 64 bits that stand for the kind."""

    starts: Index
    codes: Index
    texts: Index
    number: Index
    first: Index
    hashed: NDArray[np.uint64]

    @property
    def kind(self) -> Index:
        """Which kind each of ``codes`` is of."""
        return np.repeat(np.arange(len(self.number)), np.diff(self.starts))


def start_of_records(author: NDArray[np.uint64], place: Index) -> NDArray[np.bool_]:
    """Which rows, sorted by author and place, are the first of an author in a place."""
    fresh = (author[1:] != author[:-1]) | (place[1:] != place[:-1])
    return np.append(np.ones(min(1, len(author)), bool), fresh)


def profiles_of(rows: NDArray[Any], start: Index) -> Profiles:
    """The kinds of people of a lot; two people are alike with equally many texts of each code."""
    if not len(rows):
        nothing = np.empty(0, np.int64)
        return Profiles(np.zeros(1, np.int64), nothing, nothing, nothing, nothing, nothing.astype(np.uint64))
    entry = np.flatnonzero(start_of_records(rows["author"], rows["code"]))
    texts, codes = np.diff(np.append(entry, len(rows))), rows["code"][entry]
    of_person = np.searchsorted(entry, start)
    with np.errstate(over="ignore"):
        hashed = np.add.reduceat(mixed(mixed(codes.astype(np.uint64)) + texts.astype(np.uint64)), of_person)
    alike, one, kind, number = np.unique(hashed, return_index=True, return_inverse=True, return_counts=True)
    first = np.full(len(alike), np.iinfo(np.int64).max)
    np.minimum.at(first, kind, np.minimum.reduceat(rows["row"], start))
    ends = np.append(of_person[1:], len(entry))
    starts, codes, texts = _taken(of_person, ends, one, codes, texts)
    return Profiles(starts, codes, texts, number, first, alike)


def _taken(begin: Index, end: Index, chosen: Index, *parts: Index) -> list[Index]:
    """Starts and parts of the chosen runs, one after another."""
    lengths = (end - begin)[chosen]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    place = np.repeat(begin[chosen] - starts[:-1], lengths) + np.arange(starts[-1])
    return [starts, *(part[place] for part in parts)]


def added(one: Profiles, other: Profiles) -> Profiles:
    """The kinds of people of two lots."""
    codes, texts, number, first, hashed = (
        np.concatenate([getattr(lot, name) for lot in (one, other)]) for name in ("codes", "texts", "number", "first", "hashed")
    )
    lengths = np.concatenate([np.diff(lot.starts) for lot in (one, other)])
    end = np.cumsum(lengths)
    alike, chosen, kind = np.unique(hashed, return_index=True, return_inverse=True)
    earliest = np.full(len(alike), np.iinfo(np.int64).max)
    np.minimum.at(earliest, kind, first)
    starts, codes, texts = _taken(end - lengths, end, chosen, codes, texts)
    return Profiles(starts, codes, texts, np.bincount(kind, number).astype(np.int64), earliest, alike)


def by_first_row(people: Profiles) -> Profiles:
    """The kinds in the order of their first rows, as they are met in memory."""
    order = np.argsort(people.first, kind="stable")
    starts, codes, texts = _taken(people.starts[:-1], people.starts[1:], order, people.codes, people.texts)
    return Profiles(starts, codes, texts, people.number[order], people.first[order], people.hashed[order])
