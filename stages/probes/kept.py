"""An encoder's vectors of words and sentences, computed once and kept under a name that says everything they depend on."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stages.contract import tables

# Float32 numbers; more, as of words in many sentences of a corpus (CEAT), would fill disks, and are computed again.
MOST = 32 * 1024 * 1024
Row = tuple[Sequence[int], NDArray[np.float32]]


@dataclass(frozen=True)
class Kept:
    """``folder`` of the files; ``made_by`` tells the encoder and the machine from others."""

    folder: Path
    made_by: str

    def of(self, rows: Sequence[Row], width: int, compute: Callable[[], NDArray[np.float32]]) -> NDArray[np.float32]:
        """What ``compute`` gives, float32 [rows, width], of tokens and the weights of their states: from its file where there is one.

        Two processes that compute the same write the same file, each by a rename, so that neither sees half of one.
        """
        file = self.folder / f"{self._key(rows)}.npy"
        if file.is_file():
            return np.asarray(np.load(file, allow_pickle=False))
        found = compute()
        if len(rows) * width <= MOST:
            tables.write_whole(file, lambda temporary: _save(found, temporary))
        return found

    def _key(self, rows: Sequence[Row]) -> str:
        digest = hashlib.sha256(self.made_by.encode())
        for tokens, weights in rows:
            digest.update(np.array([len(tokens), *tokens], dtype=np.int64).tobytes())
            digest.update(weights.tobytes())
        return digest.hexdigest()


def of_encoder(folder: Path) -> str:
    """SHA-256 over the configuration and all weights in an encoder's folder, a projection of its states among them."""
    digest = hashlib.sha256()
    for file in (folder / "config.json", *sorted(folder.glob("*.safetensors"))):
        with file.open("rb") as opened:
            digest.update(file.name.encode() + hashlib.file_digest(opened, "sha256").digest())
    return digest.hexdigest()


def _save(found: NDArray[np.float32], path: Path) -> None:
    with path.open("wb") as opened:
        np.save(opened, found, allow_pickle=False)
