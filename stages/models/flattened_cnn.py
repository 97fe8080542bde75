"""The convolutional network that Singh et al. (2021) assess: wide windows, the maximum over a few positions, all of these side by side."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field, model_validator

from stages.contract.params import Section
from stages.models.folds import Lesson
from stages.models.text_cnn import Inputs, looked_up

if TYPE_CHECKING:
    from torch import Tensor, nn

    from stages.models.training import Learner

BASE = "vectors"
SLOW = frozenset({"fit"})


class Params(Section):
    """Filters, width, pool and dense as published; ``max_words`` and how to train are not, and are ours.

    As all positions stay apart every text has ``max_words`` words, cut or followed by zeros.
    """

    filters: int = Field(default=32, ge=1)
    width: int = Field(default=17, ge=1)
    pool: int = Field(default=4, ge=1)
    dense: int = Field(default=25, ge=1)
    max_words: int = Field(default=64, ge=1)
    epochs: int = Field(default=4, ge=1)
    batch: int = Field(default=32, ge=1)
    learning_rate: float = Field(default=1e-3, gt=0)

    @model_validator(mode="after")
    def _long_enough(self) -> "Params":
        if self.max_words < self.width + self.pool - 1:
            raise ValueError(f"max_words must be at least width + pool - 1 = {self.width + self.pool - 1}, or no window is left")
        return self


def memory(base: Path) -> float:  # noqa: ARG001  (every family's is asked with the base)
    """Bytes that one process takes at most; the base's table is cut to the words of the texts."""
    return 0.8e9


def prepare(texts: Sequence[str], base: Path, params: Params) -> Inputs:
    """Look the words of ``texts`` up in ``base``, as ``text_cnn`` does. BadInput: it holds no word vectors, or none for any word."""
    return looked_up(texts, base, params.max_words)


def stored(inputs: Inputs, params: Params) -> int:
    """Bytes of a fitted fold."""
    return sum(tensor.nbytes for tensor in _network(inputs, params).state_dict().values())


def fit(inputs: Inputs, lesson: Lesson, params: Params) -> tuple[dict[str, "Tensor"], dict[str, Any]]:
    """Train on the lesson with Adam; the word vectors stay as they are and in the base."""
    import torch

    from stages.models import training

    torch.manual_seed(lesson.seed)
    network = _network(inputs, params)
    optimiser = torch.optim.Adam(network.parameters(), lr=params.learning_rate, fused=True)
    course = training.Course(params.epochs, params.batch)
    history = training.train(_learner(network, inputs, params), optimiser, lesson, course)
    return {name: tensor.cpu() for name, tensor in network.state_dict().items()}, history


def predict(inputs: Inputs, tensors: dict[str, "Tensor"], index: np.ndarray, params: Params) -> np.ndarray:
    """Outputs for the texts at ``index``."""
    from stages.models import training

    network = _network(inputs, params)
    network.load_state_dict(tensors)
    return training.answers(_learner(network, inputs, params), index, 256)


def _network(inputs: Inputs, params: Params) -> "nn.Sequential":
    """[texts, dimensions, max_words] -> convolution, relu, maximum over each ``pool`` positions, two dense layers -> [texts, 1]."""
    from torch import nn

    from stages.models.training import device

    pooled = (params.max_words - params.width + 1) // params.pool
    layers = [
        nn.Conv1d(inputs.table.shape[1], params.filters, params.width),
        nn.ReLU(),
        nn.MaxPool1d(params.pool),
        nn.Flatten(),
        nn.Linear(params.filters * pooled, params.dense),
        nn.ReLU(),
        nn.Linear(params.dense, 1),
    ]
    for layer in layers:
        if isinstance(layer, nn.Conv1d | nn.Linear):
            nn.init.xavier_uniform_(layer.weight)  # as Keras begins
            nn.init.zeros_(layer.bias)  # type: ignore[arg-type]
    return nn.Sequential(*layers).to(device())


def _learner(network: "nn.Sequential", inputs: Inputs, params: Params) -> "Learner":
    import torch
    from torch.nn import functional

    from stages.models.training import Learner, device

    where = device()
    table = torch.from_numpy(inputs.table).to(where)

    def outputs(index: np.ndarray) -> "Tensor":
        numbers = torch.from_numpy(inputs.rows.padded(index, fill=0)[0]).to(where)
        words = functional.pad(functional.embedding(numbers, table), (0, 0, 0, params.max_words - numbers.shape[1]))
        found: Tensor = network(words.transpose(1, 2)).squeeze(1)
        return found

    # Every text costs the same, so none is sorted by length.
    return Learner(network, outputs, np.ones(len(inputs.rows.lengths)), network[-1])
