"""An affine map of an encoder's last hidden states, h -> W h + b, that a debiaser leaves beside the encoder's weights."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput

FILE = "projection.safetensors"


def save(found: tuple[NDArray[Any], NDArray[Any]], folder: Path) -> None:
    """Write W, float32 [width, width], and b, float32 [width]; the same numbers give the same bytes."""
    from safetensors.numpy import save_file

    tensors = {name: np.ascontiguousarray(numbers, dtype=np.float32) for name, numbers in zip(("weight", "bias"), found, strict=True)}
    save_file(tensors, folder / FILE, metadata={"format": "pt"})


def read(folder: Path) -> tuple[NDArray[np.float32], NDArray[np.float32]] | None:
    """W and b of a folder written by ``save``; None when it has no map. BadInput: the file holds something else."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    file = folder / FILE
    if not file.is_file():
        return None
    try:
        found = load_file(file)
    except SafetensorError as error:
        raise BadInput(f"{file} is not a readable safetensors file ({error}); debias the encoder again.") from error
    shapes = {name: tensor.shape for name, tensor in found.items()}
    width = shapes.get("bias", (0,))[0]
    if shapes != {"weight": (width, width), "bias": (width,)}:
        raise BadInput(f"{file} holds {shapes} and no square weight with a bias of its width; debias the encoder again.")
    return found["weight"], found["bias"]


def changes_nothing(folder: Path) -> bool:
    """True when the folder has no map, or one that leaves every vector as it is."""
    found = read(folder)
    return found is None or bool(np.array_equal(found[0], np.eye(len(found[0]))) and not found[1].any())


def follow(network: Any, base: Path) -> Any:
    """``network``, an encoder of ``base`` with or without a head, whose head and callers now see the mapped last hidden states.

    The map is part of neither its parameters nor its state: training leaves it alone (and may learn around it), and stored
    weights are read back by following ``base`` again. It is computed in float32 under any autocast, since a direction that was
    taken out exactly would come back with bf16's rounding. Without a map in ``base`` nothing changes.
    """
    import torch

    found = read(base)
    if found is None:
        return network
    body, width = network.base_model, network.config.hidden_size
    if len(found[1]) != width:
        raise BadInput(f"{base / FILE} maps {len(found[1])} dimensions and the encoder beside it has {width}; debias the encoder again.")
    for name, numbers in zip(("projection_weight", "projection_bias"), found, strict=True):
        body.register_buffer(name, torch.from_numpy(numbers).to(body.device), persistent=False)

    def mapped(states: Any) -> Any:
        with torch.autocast(states.device.type, enabled=False):
            return torch.nn.functional.linear(states.float(), body.projection_weight, body.projection_bias)

    def after_body(_body: Any, _inputs: Any, output: Any) -> Any:
        output.last_hidden_state = mapped(output.last_hidden_state)
        return output

    # A pooler reads the last states inside the body, before the hook on the body's output is called.
    if getattr(body, "pooler", None) is not None:
        body.pooler.register_forward_pre_hook(lambda _, inputs: (mapped(inputs[0]), *inputs[1:]))
    body.register_forward_hook(after_body)
    return network
