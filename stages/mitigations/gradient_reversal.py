"""The network of ``adversarial``: it learns by the gradient that the model beneath it gets reversed (Ganin and Lempitsky 2015)."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from stages.mitigations.groups import UNKNOWN


class Reversed(torch.autograd.Function):
    """The same numbers forwards; backwards the gradient times ``-strength``."""

    @staticmethod
    def forward(context: Any, states: Tensor, strength: float) -> Tensor:
        context.strength = strength
        return states.view_as(states)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return -context.strength * gradients[0], None


def join(
    group: NDArray[np.int64],
    label: NDArray[np.float32] | None,
    strength: float,
    hidden: int,
    learning_rate: float,
    head: nn.Linear,
    optimiser: torch.optim.Optimizer,
    seed: int,
) -> Callable[[NDArray[np.int64]], Tensor]:
    """Let an adversary read what ``head`` is given and ``optimiser`` train it, at a rate of its own; its loss of the texts just read.

    The loss is the cross-entropy of ``group``, int64 [texts], in nats, summed over texts whose group is not UNKNOWN. ``label``
    float32 [texts] is shown to the adversary beside the representation. Its first weights follow from ``seed`` alone and take
    nothing from torch's random numbers, so that with ``strength`` 0 the model is the one without an adversary.
    """
    device = head.weight.device
    seen: dict[str, Tensor] = {}
    generator = torch.Generator().manual_seed(seed)
    first = _linear(head.in_features + (label is not None), hidden, generator)
    adversary = nn.Sequential(first, nn.Tanh(), _linear(hidden, int(group.max()) + 1, generator)).to(device)
    rates = {"lr": learning_rate, "own_rate": learning_rate, "weight_decay": 0.0}
    optimiser.add_param_group({"params": list(adversary.parameters()), **rates})
    head.register_forward_pre_hook(lambda _, inputs: seen.update(states=inputs[0]))

    def loss(index: NDArray[np.int64]) -> Tensor:
        states = Reversed.apply(seen.pop("states").float(), strength)
        if label is not None:
            states = torch.cat([states, torch.from_numpy(label[index]).to(device)[:, None]], dim=1)
        wanted = torch.from_numpy(group[index]).to(device)
        return functional.cross_entropy(adversary(states), wanted, ignore_index=UNKNOWN, reduction="sum")

    return loss


def _linear(inputs: int, outputs: int, generator: torch.Generator) -> nn.Linear:
    """A layer with Glorot's uniform weights, drawn on the CPU so that they are the same everywhere."""
    layer: nn.Linear = nn.utils.skip_init(nn.Linear, inputs, outputs)
    nn.init.xavier_uniform_(layer.weight, generator=generator)
    nn.init.zeros_(layer.bias)
    return layer
