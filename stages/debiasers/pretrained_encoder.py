"""A pretrained encoder's folder for the debiasers that train it: loaded whole, and saved as it was but for the changed numbers."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal

import torch
import transformers
from safetensors.torch import load_file, save_file
from torch import nn
from transformers import AutoTokenizer

from stages.contract.bad_input import BadInput

Precision = Literal["fp32", "bf16"]

transformers.logging.set_verbosity_error()  # new heads are reported as missing weights
transformers.utils.logging.disable_progress_bar()


def device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def autocast(precision: Precision) -> AbstractContextManager[Any]:
    return torch.autocast(device().type, dtype=torch.bfloat16, enabled=precision == "bf16")


def load(kind: Any, folder: Path, **options: Any) -> Any:
    """The network in ``folder`` as ``kind`` (an Auto class of transformers), in float32; BadInput: the class does not know it."""
    try:
        return kind.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False, use_safetensors=True, dtype=torch.float32, **options
        )
    except (OSError, ValueError, KeyError) as error:
        raise BadInput(f"{folder} is no encoder that {kind.__name__} can load: {' '.join(str(error).split())}.") from error


def tokenizer_of(folder: Path) -> Any:
    """The folder's tokenizer. BadInput: it cannot be read, does not say where in the text its tokens stand, or cannot pad."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError, KeyError) as error:
        raise BadInput(f"{folder}: its tokenizer cannot be loaded: {' '.join(str(error).split())}.") from error
    if not tokenizer.is_fast or tokenizer.pad_token_id is None:
        raise BadInput(f"{folder}: debiasing needs a tokenizer.json that pads and tells where tokens stand; save a fast tokenizer there.")
    return tokenizer


def most_tokens(network: Any, tokenizer: Any) -> int:
    """As many tokens as the encoder takes in a text."""
    config = network.config
    positions = getattr(config, "max_position_embeddings", tokenizer.model_max_length)
    if "roberta" in config.model_type:
        positions -= config.pad_token_id + 1  # RoBERTa counts positions from the padding token's number on
    return int(min(positions, tokenizer.model_max_length))


def save(folder: Path, network: nn.Module) -> None:
    """Write the network's numbers over those in the folder's file, under the file's own names and in its types.

    Tensors that the network lacks (a pooler, another head) stay as they are, and a head or pooler that the file lacks is not added:
    the folder stays an encoder of the same format. BadInput: the file lacks a weight of the encoder's layers.
    """
    file = folder / "model.safetensors"
    tensors, held, prefix = network.state_dict(), load_file(file), f"{getattr(network, 'base_model_prefix', '')}."
    written = set()
    for name, tensor in held.items():
        modern = name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")
        for mine in (modern, prefix + modern, modern.removeprefix(prefix)):
            if mine in tensors and mine not in written:
                held[name] = tensors[mine].detach().to("cpu", tensor.dtype, copy=True).contiguous()
                written.add(mine)
                break
    base = getattr(network, "base_model", network)
    whole = "" if base is network else prefix
    missing = {whole + name for name, _ in base.named_parameters() if not name.startswith("pooler.")} - written
    if missing:
        raise BadInput(f"{file} lacks {len(missing)} of the encoder's weights (such as {min(missing)}); save the whole encoder there.")
    save_file(held, file, metadata={"format": "pt"})
