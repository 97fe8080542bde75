"""A pretrained encoder fine-tuned whole, with its own classification head, on batches of texts of similar length.

A projection that a debiaser left beside the encoder follows it as a fixed layer before the head; fine-tuning the layers below may
bring back what it took out, since it only guarantees what the head can see along the removed directions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from stages.contract.params import Section
from stages.models.folds import Lesson

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from stages.models.encoder import Tokens
    from stages.models.training import Learner

BASE = "encoder"
SLOW = frozenset({"fit", "predict"})


class Params(Section):
    """Settings of the paper (Lalor et al. 2022) with the linear decay and gradient clip of its trainer.

    ``max_tokens`` None: as many as the encoder takes. ``precision`` auto: bf16 where the hardware has it. ``store`` is the
    format of the fitted weights, which predictions are made from.
    """

    epochs: int = Field(default=5, ge=1)
    batch: int = Field(default=32, ge=1)
    accumulation: int = Field(default=1, ge=1)
    learning_rate: float = Field(default=1e-5, gt=0)
    weight_decay: float = Field(default=0.01, ge=0)
    clip: float = Field(default=1.0, gt=0)
    max_tokens: int | None = Field(default=None, ge=3)
    precision: Literal["auto", "bf16", "fp32"] = "auto"
    store: Literal["bf16", "fp32"] = "bf16"


@dataclass(frozen=True)
class Inputs:
    """Texts as the encoder in ``base`` reads them."""

    tokens: "Tokens"
    base: Path
    notes: dict[str, Any]


def memory(base: Path) -> float:
    """Bytes that one process takes at most: code and activations, then weights, gradients and Adam's two moments."""
    return 2.2e9 + 4 * (base / "model.safetensors").stat().st_size


def prepare(texts: Sequence[str], base: Path, params: Params) -> Inputs:
    """Tokenise ``texts``. BadInput: ``base`` is no encoder, or takes fewer tokens than ``max_tokens``."""
    from stages.models import encoder

    tokens = encoder.tokenise(texts, base, params.max_tokens)
    return Inputs(tokens, base, {"precision": encoder.precision_of(params.precision)} | tokens.notes)


def stored(inputs: Inputs, params: Params) -> int:
    """Bytes of a fitted fold."""
    import torch

    with torch.device("meta"):
        network = _blank(inputs.base)
    return sum(tensor.numel() for tensor in network.state_dict().values()) * (2 if params.store == "bf16" else 4)


def fit(inputs: Inputs, lesson: Lesson, params: Params) -> tuple[dict[str, "Tensor"], dict[str, Any]]:
    """Fine-tune on the lesson with AdamW; the tensors are the best epoch's weights in the format ``store``."""
    import torch
    from transformers import AutoModelForSequenceClassification

    from stages.models import encoder, training

    torch.manual_seed(lesson.seed)
    network = encoder.load(AutoModelForSequenceClassification, inputs.base, num_labels=1)
    optimiser = torch.optim.AdamW(_groups(network, params.weight_decay), lr=params.learning_rate, fused=True)
    course = training.Course(params.epochs, params.batch, params.accumulation, params.clip, decay=True)
    history = training.train(_learner(network, inputs), optimiser, lesson, course)
    return {name: _stored(tensor, params.store) for name, tensor in network.state_dict().items()}, history


def predict(inputs: Inputs, tensors: dict[str, "Tensor"], index: np.ndarray, params: Params) -> np.ndarray:  # noqa: ARG001
    """Outputs for the texts at ``index`` of the stored weights."""
    from stages.models import projection, training

    network = _blank(inputs.base)
    network.load_state_dict(tensors)
    projection.follow(network.to(training.device()), inputs.base)
    return training.answers(_learner(network, inputs), index, 64)


def _blank(base: Path) -> Any:
    """The network of ``base`` with its head, its numbers yet to be filled in."""
    from transformers import AutoModelForSequenceClassification

    from stages.models import encoder

    config = encoder.config_of(base)
    config.num_labels = 1
    return AutoModelForSequenceClassification.from_config(config).float()


def _groups(network: "torch.nn.Module", weight_decay: float) -> list[dict[str, Any]]:
    """Parameters with weight decay (matrices) and without (biases and LayerNorm's, which are vectors)."""
    parameters = list(network.parameters())
    return [
        {"params": [parameter for parameter in parameters if parameter.ndim > 1], "weight_decay": weight_decay},
        {"params": [parameter for parameter in parameters if parameter.ndim <= 1], "weight_decay": 0.0},
    ]


def _stored(tensor: "Tensor", store: str) -> "Tensor":
    import torch

    kind = torch.bfloat16 if store == "bf16" and tensor.is_floating_point() else tensor.dtype
    return tensor.detach().to("cpu", kind, copy=True).contiguous()


def _learner(network: Any, inputs: Inputs) -> "Learner":
    from stages.models import encoder
    from stages.models.training import Learner

    def outputs(index: np.ndarray) -> "Tensor":
        with encoder.autocast(inputs.notes["precision"]):
            found: Tensor = network(**inputs.tokens.batch(index)).logits.squeeze(1)
        return found

    return Learner(network, outputs, inputs.tokens.rows.lengths, _head(network))


def _head(network: "torch.nn.Module") -> "torch.nn.Linear":
    """The linear layer that gives the one output: the last of the classification head, whatever the architecture calls it."""
    import torch

    return [layer for layer in network.modules() if isinstance(layer, torch.nn.Linear) and layer.out_features == 1][-1]
