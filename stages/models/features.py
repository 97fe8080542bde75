"""An encoder's features of texts, computed once and kept under a name that says everything they depend on."""

import hashlib
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from transformers import AutoModel

from stages.contract import tables
from stages.models import encoder, projection
from stages.models.batches import by_length
from stages.models.training import device

CACHE = Path(".cache/features")
BATCH = 64


def of(tokens: encoder.Tokens, base: Path, pooling: Literal["cls", "mean"], precision: Literal["bf16", "fp32"]) -> np.ndarray:
    """Features float32 [texts, hidden size] of the encoder in ``base``: read from the cache, or computed and put there.

    Two processes that compute the same write the same file, each by a rename, so neither sees half of one.
    """
    file = CACHE / f"{_key(tokens, base, pooling, precision)}.npy"
    if file.is_file():
        return np.asarray(np.load(file, allow_pickle=False))
    found = compute(tokens, base, pooling, precision)
    tables.write_whole(file, lambda temporary: _save(found, temporary))
    return found


def compute(tokens: encoder.Tokens, base: Path, pooling: str, precision: Literal["bf16", "fp32"]) -> np.ndarray:
    """The features alone, without the cache."""
    network = encoder.load(AutoModel, base).eval()
    lengths = tokens.rows.lengths
    found = np.empty((len(lengths), network.config.hidden_size), dtype=np.float32)
    with torch.inference_mode(), encoder.autocast(precision):
        for index in by_length(np.arange(len(lengths)), lengths, BATCH):
            batch = tokens.batch(index)
            states = network(**batch).last_hidden_state.float()
            held = batch["attention_mask"][..., None]
            pooled = states[:, 0] if pooling == "cls" else (states * held).sum(1) / held.sum(1)
            found[index] = pooled.cpu().numpy()
    return found


def _key(tokens: encoder.Tokens, base: Path, pooling: str, precision: str) -> str:
    """SHA-256 over the tokens, the encoder's configuration, weights and projection, and what else the last digits depend on."""
    machine = f"{torch.__version__} {torch.backends.cpu.get_cpu_capability()} {torch.get_num_threads()} {device().type}"
    digest = hashlib.sha256(f"{pooling} {precision} {machine} {tokens.padding} {BATCH}".encode())
    digest.update(tokens.rows.numbers.tobytes())
    digest.update(tokens.rows.starts.tobytes())
    for name in ("config.json", "model.safetensors", projection.FILE):
        if not (base / name).exists():
            continue
        with (base / name).open("rb") as opened:
            digest.update(hashlib.file_digest(opened, "sha256").digest())
    return digest.hexdigest()


def _save(found: np.ndarray, path: Path) -> None:
    with path.open("wb") as opened:
        np.save(opened, found, allow_pickle=False)
