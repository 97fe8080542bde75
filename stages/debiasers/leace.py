"""LEACE: the smallest affine edit after which no linear classifier can tell feminine from masculine better than a constant.

Belrose, Schneider-Joseph, Ravfogel, Cotterell, Raff and Biderman 2023, LEACE: Perfect linear concept erasure in closed form
(arXiv:2306.03819). The closed form is below rather than taken from the authors' package: that warns on import under torch 2.13
(a torch.jit call that torch is removing), has had no release since January 2024, and would bring torch into ten lines of NumPy.
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
from stages.debiasers.projections import Affine, check


class Params(Section):
    """``words_per_class`` of the ``frequent`` first words of a base of vectors, ``sentences`` of each gender for an encoder.

    ``shrinkage``: the covariance after Ledoit and Wolf, as in the authors' code, rather than the sample's; without it directions in
    which the examples hardly vary are amplified. What the examples show of gender is erased either way. ``pooling``: what of
    a sentence the classifier would see, its tokens' mean or its first token.
    """

    words_per_class: int = Field(default=7500, ge=1)
    frequent: int = Field(default=150_000, ge=1)
    sentences: int = Field(default=2000, ge=1)
    pooling: Literal["mean", "cls"] = "mean"
    shrinkage: bool = True


def debias_vectors(words: Sequence[str], matrix: NDArray[np.float32], _lexicons: Any, params: Params, seed: int) -> NDArray[np.float32]:  # noqa: ARG001
    """All words after the map fitted to those that lean most to she and to he; nothing is drawn at random."""
    examples = gendered_words.examples(words, matrix, params.words_per_class, params.frequent, neutral=False)
    return eraser(*examples, params.shrinkage).of(matrix)


def debias_encoder(folder: Path, _lexicons: Any, params: Params, seed: int) -> Affine:
    """The map for each token's last hidden state, fitted to pooled states of template sentences about women and about men."""
    from stages.debiasers.gendered_sentences import examples

    vectors, classes = examples(folder, params.sentences, params.pooling, seed, neutral=False)
    return eraser(vectors, classes, params.shrinkage)


def eraser(vectors: NDArray[Any], classes: NDArray[Any], shrinkage: bool) -> Affine:
    """x -> x - W+ U U' W (x - mean), where W = S^-1/2 whitens and U spans the columns of W Cov(x, z), z the class as one-hot.

    S is the covariance of ``vectors`` [number, width]. After it all classes have one mean, the mean of all, and of all such maps
    it moves the vectors least (mean squared distance, where S is their covariance).
    BadInput: see ``check``, or the classes' means do not differ.
    """
    check("leace", vectors, classes)
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    one_hot = (classes[:, None] == np.unique(classes)).astype(np.float64)
    values, axes = np.linalg.eigh(covariance(centred, shrinkage))
    held = values > values[-1] * len(values) * np.finfo(np.float64).eps
    deviations = np.sqrt(np.where(held, values, 0))
    whiten = axes * np.divide(1, deviations, out=np.zeros_like(values), where=held) @ axes.T
    left, strengths, _ = np.linalg.svd(whiten @ centred.T @ (one_hot - one_hot.mean(axis=0)) / len(vectors), full_matrices=False)
    basis = left[:, strengths > 1e-9]  # correlations: their size does not depend on the vectors' scale
    if not basis.shape[1]:
        raise BadInput(f"leace: the {one_hot.shape[1]} classes have one mean already, so there is nothing to erase.")
    print(f"leace: {basis.shape[1]} of {len(mean)} dimensions erased", flush=True)
    weight = np.eye(len(mean)) - (axes * deviations @ axes.T) @ basis @ basis.T @ whiten
    return Affine(weight, mean - weight @ mean)


def covariance(centred: NDArray[Any], shrinkage: bool) -> NDArray[np.float64]:
    from sklearn.covariance import ledoit_wolf

    found: NDArray[np.float64] = ledoit_wolf(centred, assume_centered=True)[0] if shrinkage else centred.T @ centred / len(centred)
    return found
