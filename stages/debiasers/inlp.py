"""INLP: linear classifiers of gender, one after another, each on what the earlier ones cannot see; all their directions go.

Ravfogel, Elazar, Gonen, Twiton and Goldberg 2020, Null It Out: Guarding Protected Attributes by Iterative Nullspace Projection
(doi:10.18653/v1/2020.acl-main.647); for encoders as Liang et al. 2020 and Meade et al. 2022 (doi:10.18653/v1/2022.acl-long.132).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from stages.contract.bad_input import BadInput
from stages.contract.params import Section
from stages.debiasers import gendered_words
from stages.debiasers.projections import Affine, Vectors, away_from, check, span


class Params(Section):
    """At most ``classifiers`` are trained (35 for GloVe's 300 dimensions in the paper; 80 for BERT in Meade et al.).

    Each must tell development examples apart better than ``least_accuracy``; None: than naming the largest class, the paper's
    criterion (its code had 0, so that all ran). ``neutral``: a third class beside feminine and masculine, as in the code.
    ``intercept``: classifiers with one; without, as in the code, a difference along the vectors' common mean may stay.
    ``words_per_class`` of the ``frequent`` first words of a base of vectors, ``sentences`` of each class, pooled over tokens
    or at the first, for an encoder.
    """

    classifiers: int = Field(default=35, ge=1)
    least_accuracy: float | None = Field(default=None, ge=0, le=1)
    neutral: bool = True
    intercept: bool = False
    words_per_class: int = Field(default=7500, ge=1)
    frequent: int = Field(default=150_000, ge=1)
    sentences: int = Field(default=2000, ge=1)
    pooling: Literal["mean", "cls"] = "mean"


def debias_vectors(words: Sequence[str], matrix: NDArray[np.float32], _lexicons: Any, params: Params, seed: int) -> NDArray[np.float32]:
    """All words projected where no classifier of leaning words found gender. BadInput: see ``projection``."""
    examples = gendered_words.examples(words, matrix, params.words_per_class, params.frequent, params.neutral)
    weight = projection(*examples, params, seed)
    return Affine(weight, np.zeros(len(weight))).of(matrix)


def debias_encoder(folder: Path, _lexicons: Any, params: Params, seed: int) -> Affine:
    """The projection of each token's last hidden state, fitted to pooled states of template sentences. BadInput: see ``projection``."""
    from stages.debiasers.gendered_sentences import examples

    vectors, classes = examples(folder, params.sentences, params.pooling, seed, params.neutral)
    weight = projection(vectors, classes, params, seed)
    return Affine(weight, np.zeros(len(weight)))


def projection(vectors: NDArray[Any], classes: NDArray[Any], params: Params, seed: int) -> Vectors:
    """The orthogonal projection P (P P = P = P') onto the intersection of the classifiers' null spaces, [width, width].

    70 % of ``vectors`` [number, width], drawn by ``seed`` evenly over ``classes``, train, the rest are for development.
    BadInput: see ``check``; no classifier was good enough, so that P would change nothing; or all dimensions were taken out.
    """
    check("inlp", vectors, classes)
    train, development = _split(classes, seed)
    least = params.least_accuracy
    if least is None:
        least = float(np.unique(classes[development], return_counts=True)[1].max() / len(development))
    basis, accuracy = np.zeros((0, vectors.shape[1])), 0.0
    for number in range(1, params.classifiers + 1):
        seen = vectors @ away_from(basis)
        directions, accuracy = _classifier(seen, classes, train, development, params.intercept)
        print(f"inlp: classifier {number} is right about {accuracy:.3f} of development examples, and {least:.3f} stops", flush=True)
        wider = span(np.vstack([basis, directions @ away_from(basis)]))
        if accuracy <= least or len(wider) == len(basis):
            break
        basis = wider
        if len(basis) == vectors.shape[1]:
            raise BadInput(f"inlp: {number} classifiers took out all {len(basis)} dimensions: lower classifiers or raise least_accuracy.")
    if not len(basis):
        raise BadInput(
            f"inlp: nothing removed: the first classifier was right about {accuracy:.3f} of the development examples and must be about "
            f"more than {least:.3f}; lower least_accuracy, or the classes do not differ linearly."
        )
    print(f"inlp: {len(basis)} of {vectors.shape[1]} dimensions removed", flush=True)
    return away_from(basis)


def _split(classes: NDArray[Any], seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    from sklearn.model_selection import train_test_split

    train, development = train_test_split(np.arange(len(classes)), test_size=0.3, random_state=seed, stratify=classes)
    return train, development


def _classifier(
    seen: NDArray[Any], classes: NDArray[Any], train: NDArray[Any], development: NDArray[Any], intercept: bool
) -> tuple[Vectors, float]:
    """The directions [1 or classes, width] of a linear support vector classifier, and its accuracy on development examples."""
    from sklearn.svm import LinearSVC

    machine = LinearSVC(fit_intercept=intercept, dual=False, random_state=0).fit(seen[train], classes[train])
    return machine.coef_, float(machine.score(seen[development], classes[development]))
