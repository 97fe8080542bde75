"""A text as words that can be taken out and the signs between them, which stay."""

import functools
import itertools
import unicodedata
from dataclasses import dataclass

import numpy as np

JOINERS = "\u200c\u200d"


@dataclass(frozen=True)
class Words:
    """``pieces`` joined are the text; ``number`` [pieces] says which of the distinct ``tokens`` each is, -1 for what is no word."""

    pieces: tuple[str, ...]
    number: np.ndarray
    tokens: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Words":
        """Words are runs of letters, digits, _ and the marks on them, alike in any case: LIME's rule, with vowel signs kept in words."""
        numbers: dict[str, int] = {}
        pieces, number = [], []
        for is_word, run in itertools.groupby(text, _in_word):
            piece = "".join(run)
            pieces.append(piece)
            number.append(numbers.setdefault(piece.casefold(), len(numbers)) if is_word else -1)
        return cls(tuple(pieces), np.array(number, dtype=np.int64), tuple(numbers))

    def kept(self, held: np.ndarray) -> list[str]:
        """The text once for each row of ``held``, bool [texts, tokens]: tokens that are not held are left out wherever they stand."""
        stays = np.concatenate([held, np.ones((len(held), 1), dtype=bool)], axis=1)[:, self.number]  # number -1: the column of ones
        return ["".join(itertools.compress(self.pieces, row)) for row in stays.tolist()]


@functools.cache
def _in_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_" or sign in JOINERS or unicodedata.category(sign).startswith("M")
