"""Groups of names that stand together in a space: which names are read as names, which belong together, and who bears them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.svm import LinearSVC

from stages.probes.spaces import Vectors


@dataclass(frozen=True)
class Group:
    """The ``rows`` of a group's names among all names, the most frequent first; those that stand for it; means of traits over names."""

    rows: NDArray[np.int64]
    illustrative: list[str]
    traits: dict[str, float]


def cleaned(names: Vectors, others: Vectors, share: float) -> NDArray[np.int64]:
    """The rows of ``names`` without the ``share`` that look least like names, as many of them are words or places too.

    A linear support vector machine tells unit vectors of names from those of ``others`` [words, dimensions], drawn at random from the
    frequent words; names with the smallest margins go (Swinger et al. 2019, App. C.3).
    """
    machine = LinearSVC(random_state=0).fit(np.concatenate([names, others]), np.arange(len(names) + len(others)) < len(names))
    margins = machine.decision_function(names)
    return np.sort(np.argsort(margins, kind="stable")[int(share * len(names)) :])


def grouped(names: Sequence[str], vectors: Vectors, traits: pd.DataFrame, number: int, shown: int, seed: int) -> list[Group]:
    """``number`` groups of names by their unit vectors (k-means++), the largest first; each name counts once in a mean of ``traits``."""
    labels = KMeans(number, random_state=seed).fit_predict(vectors)
    found = [np.flatnonzero(labels == label) for label in range(number)]
    found.sort(key=len, reverse=True)
    return [Group(rows, [names[rows[row]] for row in illustrative(vectors[rows], shown)], dict(traits.iloc[rows].mean())) for rows in found]


def illustrative(vectors: Vectors, number: int) -> list[int]:
    """Rows of names that stand for a group of unit vectors: each next one brings the mean of those taken nearest to the group's mean.

    Nearest is the largest cosine, so that the first is the most central name (Swinger et al. 2019, Evaluation).
    """
    centre, total = vectors.mean(axis=0), np.zeros(vectors.shape[1])
    taken: list[int] = []
    for _ in range(min(number, len(vectors))):
        sums = total + vectors
        cosines = (sums @ centre) / np.maximum(np.linalg.norm(sums, axis=1), np.finfo(float).tiny)
        cosines[taken] = -np.inf
        taken.append(int(np.argmax(cosines)))
        total = sums[taken[-1]]
    return taken
