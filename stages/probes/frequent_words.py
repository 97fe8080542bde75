"""Frequent lower-case words of a space and the categories that they fall into."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from stages.probes.spaces import Vectors

# Letters alone, and in vectors of phrases what joins their words.
LETTERS = re.compile("[a-z]+(?:[ _][a-z]+)*")
# How tokenizers mark what is inside a word (WordPiece), or its beginning (byte-level BPE, SentencePiece).
INSIDE = "##"
MARKS = (INSIDE, "Ġ", "▁")


@dataclass(frozen=True)
class Categories:
    """Words by category, the largest first: ``rows`` are their unit vectors [words, dimensions], ``lengths`` how many each has."""

    words: list[str]
    rows: Vectors
    lengths: NDArray[np.int64]

    @property
    def of(self) -> NDArray[np.int64]:
        """The category of each word, from 0."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @property
    def means(self) -> Vectors:
        """The mean of each category's unit vectors [categories, dimensions]."""
        found: Vectors = np.add.reduceat(self.rows, np.cumsum(self.lengths) - self.lengths) / self.lengths[:, None]
        return found

    def central(self, number: int) -> list[list[str]]:
        """The ``number`` words of each category nearest to its mean."""
        nearness = np.einsum("wd,wd->w", self.rows, self.means[self.of])
        ordered = np.split(np.lexsort((-nearness, self.of)), np.cumsum(self.lengths)[:-1])
        return [[self.words[row] for row in rows[:number]] for rows in ordered]


def candidates(frequent: Sequence[str], names: Collection[str]) -> tuple[list[str], bool]:
    """The lower-case words of ``frequent``, in its order, and whether letters' case tells names and places from words.

    A word is left out when the same letters stand earlier, and so are more frequent, with a capital (john, as John is). Where no word
    has a capital that cannot be seen: then at least the ``names``, lower-cased, are left out.
    """
    cased = any(word != word.lower() for word in frequent)
    first: dict[str, str] = {}
    for word in frequent:
        first.setdefault(word.lower(), word)
    barred = frozenset() if cased else frozenset(name.lower() for name in names)
    return [word for lower, word in first.items() if word == lower and word not in barred and LETTERS.fullmatch(word)], cased


def whole_words(tokenizer: Any) -> list[str]:
    """The words that are one token, in the tokenizer's order, by frequency where it was made so (WordPiece, BPE, SentencePiece)."""
    special, numbers = set(tokenizer.all_special_tokens), tokenizer.get_vocab()
    tokens = sorted(numbers.keys() - special, key=numbers.__getitem__)
    mark = max(MARKS, key=lambda mark: sum(token.startswith(mark) for token in tokens))
    if mark == INSIDE:
        return [token for token in tokens if not token.startswith(mark)]
    return [token.removeprefix(mark) for token in tokens if token.startswith(mark) and token != mark]


def categorised(vectors: Vectors, number: int, seed: int) -> NDArray[np.int64]:
    """The category of each word by its unit vector (k-means++), from 0, the largest category first."""
    labels = KMeans(number, random_state=seed).fit_predict(vectors)
    ranks = np.argsort(np.argsort(-np.bincount(labels, minlength=number), kind="stable"), kind="stable")
    found: NDArray[np.int64] = ranks[labels]
    return found


def by_category(words: Sequence[str], vectors: Vectors, category: NDArray[np.int64]) -> Categories:
    """Words and unit vectors in the order of their ``category``."""
    order = np.argsort(category, kind="stable")
    return Categories([words[row] for row in order], vectors[order], np.bincount(category))
