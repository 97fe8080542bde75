"""Hard debiasing: the gender direction taken out of all words but gendered ones, whose pairs are set equally far from the rest.

Bolukbasi, Chang, Zou, Saligrama and Kalai 2016, Man is to Computer Programmer as Woman is to Homemaker? (arXiv:1607.06520). For
an encoder the method is sentence_debias: it has no list of words to spare or to equalise.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from stages.contract.bad_input import BadInput
from stages.contract.params import Section
from stages.debiasers.projections import Vectors, away_from, principal, unit

# The authors' ten pairs, lower-cased as the words of most bases are.
DEFINING = (
    ("woman", "man"),
    ("girl", "boy"),
    ("she", "he"),
    ("mother", "father"),
    ("daughter", "son"),
    ("gal", "guy"),
    ("female", "male"),
    ("her", "his"),
    ("herself", "himself"),
    ("mary", "john"),
)


class Params(Section):
    """``equalise``: the second step, which makes the words of a gendered pair differ in gender alone.

    ``defining_pairs``: how many of the ten pairs that define the direction the base must know.
    """

    equalise: bool = True
    defining_pairs: int = Field(default=5, ge=1, le=len(DEFINING))


def debias_vectors(
    words: Sequence[str],
    matrix: NDArray[np.float32],
    lexicons: Mapping[str, list[tuple[str, ...]]],
    params: Params,
    seed: int,  # noqa: ARG001
) -> NDArray[np.float32]:
    """All words at length 1, as in the paper: w - (w.g) g for neutral words; gendered ones (gender_pairs) as they are or equalised.

    g is the first principal direction of the defining pairs. Nothing is drawn at random. BadInput: the base knows too few pairs,
    or has one dimension.
    """
    rows = {word: row for row, word in enumerate(words)}
    vectors = unit(matrix)
    defining = known(DEFINING, rows)
    if len(defining) < params.defining_pairs:
        raise BadInput(
            f"hard_debias: the base knows {len(defining)} of the {len(DEFINING)} pairs that define the direction and "
            f"{params.defining_pairs} are needed: take a larger vocabulary, or a base of English words."
        )
    direction = principal(vectors[defining], 1)
    pairs = known(lexicons.get("gender_pairs", []), rows)
    neutral = np.ones(len(vectors), dtype=bool)
    neutral[[row for pair in pairs for row in pair]] = False
    vectors[neutral] = unit(vectors[neutral] @ away_from(direction))
    if params.equalise:
        equal = once(pairs)
        print(f"{neutral.sum()} words neutralised, {len(equal)} pairs of {len(pairs)} known equalised", flush=True)
        equalise(vectors, equal, direction[0])
    return vectors.astype(np.float32)


def known(pairs: Sequence[tuple[str, ...]], rows: Mapping[str, int]) -> list[list[int]]:
    """Rows of the pairs of which the base has both words."""
    return [[rows[word] for word in pair] for pair in pairs if all(word in rows for word in pair)]


def once(pairs: list[list[int]]) -> list[list[int]]:
    """The pairs without those one of whose words an earlier pair has: to be equalised twice would undo the first (her, him, his)."""
    taken: set[int] = set()
    kept = []
    for pair in pairs:
        if not taken & set(pair):
            taken |= set(pair)
            kept.append(pair)
    return kept


def equalise(vectors: Vectors, pairs: list[list[int]], direction: Vectors) -> None:
    """Set each pair of unit vectors, in place, to v +- sqrt(1 - |v|^2) g, where v is the pair's mean without its part along g.

    Both then have length 1, the same part outside g, and thus the same distance to every vector that is orthogonal to g.
    """
    if not pairs:
        return
    first, second = np.array(pairs).T
    shared = (vectors[first] + vectors[second]) / 2 @ away_from(direction)
    height = np.sqrt(np.clip(1 - np.square(shared).sum(axis=1, keepdims=True), 0, None))
    side = np.where((vectors[first] - vectors[second]) @ direction < 0, -1.0, 1.0)[:, None]
    vectors[first] = shared + side * height * direction
    vectors[second] = shared - side * height * direction
