"""A pretrained encoder as it is, read once, and a small network fitted on its features of each text."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from stages.contract.params import Section
from stages.models.folds import Lesson

if TYPE_CHECKING:
    from torch import Tensor, nn

    from stages.models.training import Learner

# Neither is: once the features are there a fold takes a second.
BASE = "encoder"
SLOW: frozenset[str] = frozenset()
KEPT = ContextVar("features are kept", default=True)


class Params(Section):
    """``pooling``: the first token's last hidden state (cls) or their mean over the text's tokens. ``max_tokens`` None: all.

    With ``decay`` the learning rate falls linearly to 0. Camara et al. (2022): cls, 64 tokens, 128 hidden units, adamw (weight decay
    .01) with decay from 2e-5, batches of 8, 10 epochs at most; they stopped by the training loss, and we keep the best validation loss.
    """

    pooling: Literal["cls", "mean"] = "mean"
    max_tokens: int | None = Field(default=None, ge=3)
    precision: Literal["auto", "bf16", "fp32"] = "auto"
    hidden: int = Field(default=128, ge=1)
    epochs: int = Field(default=30, ge=1)
    batch: int = Field(default=32, ge=1)
    learning_rate: float = Field(default=1e-3, gt=0)
    optimiser: Literal["adam", "adamw"] = "adam"
    decay: bool = False


@dataclass(frozen=True)
class Inputs:
    """``features`` is float32 [texts, the encoder's hidden size]."""

    features: np.ndarray
    notes: dict[str, Any]


def memory(base: Path) -> float:
    """Bytes that one process takes at most: code, the encoder and one batch."""
    return 1.0e9 + 2 * (base / "model.safetensors").stat().st_size


def prepare(texts: Sequence[str], base: Path, params: Params) -> Inputs:
    """The features of ``texts``, from the cache where it has them. BadInput: ``base`` is no encoder or takes fewer tokens."""
    from stages.models import encoder, features

    tokens = encoder.tokenise(texts, base, params.max_tokens)
    precision = encoder.precision_of(params.precision)
    compute = features.of if KEPT.get() else features.compute
    return Inputs(compute(tokens, base, params.pooling, precision), {"precision": precision} | tokens.notes)


@contextmanager
def unkept() -> Iterator[None]:
    """What is prepared inside is not put in the cache: texts by the hundred thousand that nobody asks about again."""
    before = KEPT.set(False)
    try:
        yield
    finally:
        KEPT.reset(before)


def stored(inputs: Inputs, params: Params) -> int:
    """Bytes of a fitted fold."""
    return sum(tensor.nbytes for tensor in _head(inputs, params).state_dict().values())


def fit(inputs: Inputs, lesson: Lesson, params: Params) -> tuple[dict[str, "Tensor"], dict[str, Any]]:
    """Train the head on the lesson."""
    import torch

    from stages.models import training

    torch.manual_seed(lesson.seed)
    head = _head(inputs, params)
    method = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[params.optimiser]
    optimiser = method(head.parameters(), lr=params.learning_rate, fused=True)
    course = training.Course(params.epochs, params.batch, decay=params.decay)
    history = training.train(_learner(head, inputs), optimiser, lesson, course)
    return {name: tensor.cpu() for name, tensor in head.state_dict().items()}, history


def predict(inputs: Inputs, tensors: dict[str, "Tensor"], index: np.ndarray, params: Params) -> np.ndarray:
    """The head's outputs for the texts at ``index``."""
    from stages.models import training

    head = _head(inputs, params)
    head.load_state_dict(tensors)
    return training.answers(_learner(head, inputs), index, 1024)


def _head(inputs: Inputs, params: Params) -> "nn.Sequential":
    from torch import nn

    from stages.models.training import device

    width = inputs.features.shape[1]
    return nn.Sequential(nn.Linear(width, params.hidden), nn.ReLU(), nn.Linear(params.hidden, 1)).to(device())


def _learner(head: "nn.Sequential", inputs: Inputs) -> "Learner":
    import torch

    from stages.models.training import Learner, device

    where = device()
    features = torch.from_numpy(inputs.features).to(where)

    def outputs(index: np.ndarray) -> "Tensor":
        found: Tensor = head(features[torch.from_numpy(index).to(where)]).squeeze(1)
        return found

    return Learner(head, outputs, np.ones(len(inputs.features)), head[-1])
