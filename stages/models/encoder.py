"""What the families on pretrained encoders share: the folder's check, its tokens, the precision, quiet loading."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
import transformers
from torch import Tensor
from transformers import AutoConfig, AutoTokenizer

from stages.contract.bad_input import BadInput
from stages.models import projection
from stages.models.batches import Rows
from stages.models.training import device

Precision = Literal["auto", "bf16", "fp32"]

transformers.logging.set_verbosity_error()  # new heads are reported as missing weights
transformers.utils.logging.disable_progress_bar()


@dataclass(frozen=True)
class Tokens:
    """Token numbers of texts, each at most ``limit`` long with its special tokens, and the number that pads."""

    rows: Rows
    padding: int
    limit: int

    def batch(self, index: np.ndarray) -> dict[str, Tensor]:
        """The texts at ``index`` as the encoder takes them: input_ids and attention_mask, int64 [texts, longest]."""
        numbers, held = self.rows.padded(index, self.padding)
        arrays = {"input_ids": numbers, "attention_mask": held.astype(np.int64)}
        return {name: torch.from_numpy(array).to(device()) for name, array in arrays.items()}

    @property
    def notes(self) -> dict[str, Any]:
        return {"max_tokens": self.limit, "texts_at_max_tokens": int((self.rows.lengths == self.limit).sum())}


def tokenise(texts: Sequence[str], base: Path, max_tokens: int | None) -> Tokens:
    """Tokens of ``texts`` by the tokenizer in ``base``, cut at ``max_tokens`` (None: all that the encoder takes).

    BadInput: ``base`` is no encoder, its tokenizer cannot be read or pad, or the encoder takes fewer than ``max_tokens``.
    """
    config = config_of(base)
    try:
        tokenizer = AutoTokenizer.from_pretrained(base, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise BadInput(f"{base}: its tokenizer cannot be loaded: {' '.join(str(error).split())}.") from error
    if tokenizer.pad_token_id is None:
        raise BadInput(f"{base}: its tokenizer has no padding token, so it is no encoder that reads batches of texts; use another base.")
    most = _most_tokens(config, tokenizer)
    if max_tokens is not None and max_tokens > most:
        raise BadInput(f"max_tokens: {max_tokens} is more than the {most} tokens that the encoder in {base} takes; lower it.")
    limit = max_tokens or most
    numbers = tokenizer(list(texts), truncation=True, max_length=limit, return_attention_mask=False)["input_ids"]
    return Tokens(Rows.of(numbers), tokenizer.pad_token_id, limit)


def config_of(base: Path) -> Any:
    """The encoder's configuration; BadInput when ``base`` holds word vectors, no weights, or a configuration that cannot be read."""
    if not (base / "config.json").is_file():
        held = "word vectors" if (base / "vectors.npy").is_file() else "no encoder (config.json is missing)"
        raise BadInput(f"{base} holds {held}; the families transformer and frozen_encoder need a base that is an encoder.")
    if not (base / "model.safetensors").is_file():
        raise BadInput(f"{base}: model.safetensors is missing; save the encoder's weights as one safetensors file.")
    try:
        return AutoConfig.from_pretrained(base, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise BadInput(f"{base}/config.json cannot be used: {' '.join(str(error).split())}.") from error


def load(kind: Any, base: Path, **options: Any) -> Any:
    """The network of ``base`` as ``kind`` (an Auto class of transformers), in float32 on the device, with its debiaser's projection."""
    network = kind.from_pretrained(
        base, local_files_only=True, trust_remote_code=False, use_safetensors=True, dtype=torch.float32, **options
    )
    return projection.follow(network.to(device()), base)


def precision_of(asked: Precision) -> Literal["bf16", "fp32"]:
    """``auto`` is bf16 where the machine multiplies it in hardware (avx512_bf16, CUDA from Ampere on), else fp32."""
    if asked != "auto":
        return asked
    if torch.cuda.is_available():
        return "bf16" if torch.cuda.get_device_capability() >= (8, 0) else "fp32"
    return "bf16" if torch.cpu._is_avx512_bf16_supported() else "fp32"


def autocast(precision: Literal["bf16", "fp32"]) -> AbstractContextManager[Any]:
    return torch.autocast(device().type, dtype=torch.bfloat16, enabled=precision == "bf16")


def _most_tokens(config: Any, tokenizer: Any) -> int:
    positions = getattr(config, "max_position_embeddings", tokenizer.model_max_length)
    if "roberta" in config.model_type:
        positions -= config.pad_token_id + 1  # RoBERTa counts positions from the padding token's number on
    return int(min(positions, tokenizer.model_max_length))
