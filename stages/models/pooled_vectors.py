"""The mean of a text's word vectors and a perceptron of one hidden layer, its settings chosen on validation texts (Camara et al. 2022)."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field, NonNegativeFloat, PositiveInt

from stages.contract.bad_input import BadInput
from stages.contract.params import Section
from stages.models import grid, vectors
from stages.models.folds import Lesson
from stages.models.grid import Setting
from stages.models.text_cnn import words_of

if TYPE_CHECKING:
    from torch import Tensor

BASE = "vectors"
SLOW = frozenset({"fit"})


class Params(Section):
    """The authors' settings, of which every combination is tried; ``epochs`` at most, fewer where the training loss stops falling."""

    hidden: tuple[PositiveInt, ...] = Field(default=(128, 256), min_length=1)
    activation: tuple[Literal["tanh", "relu"], ...] = Field(default=("tanh", "relu"), min_length=1)
    solver: tuple[Literal["sgd", "adam"], ...] = Field(default=("sgd", "adam"), min_length=1)
    alpha: tuple[NonNegativeFloat, ...] = Field(default=(1e-4, 1e-3), min_length=1)
    epochs: int = Field(default=200, ge=1)


@dataclass(frozen=True)
class Inputs:
    """``features`` is float64 [texts, dimensions]: the mean over the words that have a vector, zeros where none has one."""

    features: np.ndarray
    notes: dict[str, Any]


def memory(base: Path) -> float:  # noqa: ARG001  (every family's is asked with the base)
    """Bytes that one process takes at most, by measurement; the base's table is cut to the words of the texts."""
    return 0.8e9


def prepare(texts: Sequence[str], base: Path, params: Params) -> Inputs:  # noqa: ARG001  (no setting changes the features)
    """Pool the word vectors of ``texts``. BadInput: ``base`` holds no word vectors, or none for any of the words."""
    split = [words_of(text) for text in texts]
    known = vectors.load(base, {word for words in split for word in words})
    if not known.words:
        raise BadInput(f"{base} has a vector for none of the words of {len(split)} texts; give this model a base in their language.")
    numbers = {word: row for row, word in enumerate(known.words)}
    matrix = known.matrix.astype(np.float64)
    features, empty = np.zeros((len(split), matrix.shape[1])), 0
    for place, words in enumerate(split):
        rows = [numbers[word] for word in words if word in numbers]
        if rows:
            features[place] = matrix[rows].mean(axis=0)
        else:
            empty += 1
    return Inputs(features, {"texts_without_a_vector": empty})


def stored(inputs: Inputs, params: Params) -> int:
    """Bytes of a fitted fold."""
    return 8 * max(params.hidden) * (inputs.features.shape[1] + 2)


def fit(inputs: Inputs, lesson: Lesson, params: Params) -> tuple[dict[str, "Tensor"], dict[str, Any]]:
    """Choose the settings, fit on training and validation texts, and keep the two layers."""
    import torch

    train, both = grid.learned(lesson)
    candidates = grid.settings(hidden=params.hidden, activation=params.activation, solver=params.solver, alpha=params.alpha)
    outputs = []
    if len(lesson.validation):
        tried = (_perceptron(setting, inputs, lesson, train, params.epochs) for setting in candidates)
        outputs = [_answers(inputs.features[lesson.validation], *layers) for layers in tried]
    best, history = grid.best(candidates, outputs, lesson)
    activation, into, bias, out, last = _perceptron(candidates[best], inputs, lesson, both, params.epochs)
    scale = 1 / lesson.deviation
    arrays = {"into": into, "bias": bias, "out": out * scale, "last": (last - lesson.mean) * scale, "relu": np.array(activation == "relu")}
    return {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}, history


def predict(inputs: Inputs, tensors: dict[str, "Tensor"], index: np.ndarray, params: Params) -> np.ndarray:  # noqa: ARG001
    """The stored network's outputs, or logits, for the texts at ``index``."""
    held = {name: tensor.numpy() for name, tensor in tensors.items()}
    activation = "relu" if held["relu"] else "tanh"
    return _answers(inputs.features[index], activation, *(held[name] for name in ("into", "bias", "out", "last")))


Layers = tuple[str, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _perceptron(setting: Setting, inputs: Inputs, lesson: Lesson, index: np.ndarray, epochs: int) -> Layers:
    """scikit-learn's network fitted on the texts at ``index``; that it stops before it converged, as sgd often does, is no error."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier, MLPRegressor

    kind = MLPRegressor if lesson.kind == "regression" else MLPClassifier
    wanted = lesson.labels[index] if lesson.kind == "regression" else lesson.targets[index] > 0.5
    rest = {name: setting[name] for name in ("activation", "solver", "alpha")}
    network = kind(hidden_layer_sizes=(setting["hidden"],), max_iter=epochs, random_state=lesson.seed % 2**32, **rest)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        network.fit(inputs.features[index], wanted, sample_weight=grid.weights_of(lesson, index))
    (into, out), (bias, last) = network.coefs_, network.intercepts_
    return setting["activation"], into, bias, out[:, 0], last[0]


def _answers(features: np.ndarray, activation: str, into: np.ndarray, bias: np.ndarray, out: np.ndarray, last: np.ndarray) -> np.ndarray:
    hidden = features @ into + bias
    found: np.ndarray = (np.maximum(hidden, 0) if activation == "relu" else np.tanh(hidden)) @ out + last
    return found
