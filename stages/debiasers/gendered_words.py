"""Words that lean to she or to he the most, and words that lean to neither: the labelled examples of Ravfogel et al. 2020."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput
from stages.debiasers.projections import Vectors, unit

FEMININE, MASCULINE, NEUTRAL = 0, 1, 2
LEAST = 10


def examples(words: Sequence[str], matrix: NDArray[Any], per_class: int, frequent: int, neutral: bool) -> tuple[Vectors, NDArray[np.int64]]:
    """Vectors [examples, dimensions] and their classes: ``per_class`` words of each by their cosine with he - she.

    Only the ``frequent`` first words of the base are looked at. Feminine have the lowest cosine, masculine the highest; neutral,
    if asked for, are those nearest to 0 (the authors' code draws them among |cos| < .03, which a small base has too few of).
    BadInput: the base lacks she or he, or has too few words.
    """
    rows = {word: row for row, word in enumerate(words)}
    missing = [word for word in ("she", "he") if word not in rows]
    if missing:
        raise BadInput(f"the base has no vector for {' and '.join(missing)}, by which words are told apart; take a base of English words.")
    seen, wanted = min(len(words), frequent), per_class * (3 if neutral else 2)
    if seen < wanted or per_class < LEAST:
        raise BadInput(
            f"words_per_class: {per_class} of each class are {wanted} words and the base has {seen}; "
            f"take a larger vocabulary, or fewer of each class ({LEAST} at least)."
        )
    leaning = unit(matrix[:seen]) @ unit(np.asarray(matrix[rows["he"]] - matrix[rows["she"]])[None])[0]
    ordered = np.argsort(leaning, kind="stable")
    chosen = [ordered[:per_class], ordered[-per_class:]]
    if neutral:
        middle = ordered[per_class:-per_class]
        chosen.append(middle[np.argsort(np.abs(leaning[middle]), kind="stable")[:per_class]])
    print(f"{per_class} words of each of {len(chosen)} classes among {seen}", flush=True)
    return matrix[np.concatenate(chosen)].astype(np.float64), np.repeat(np.arange(len(chosen)), per_class)
