"""Fitted folds kept until their stage has finished, so that a run that was killed leaves only the missing ones to fit."""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from stages.contract import tables
from stages.contract.bad_input import BadInput

CACHE = Path(".cache/folds")
STAGES = Path(__file__).parents[1]


def place(documents: pa.Table, base: Path, *settings: Any) -> Path:
    """The folder of a stage's folds, ``.cache/folds/<SHA-256 of all that a fit depends on>``.

    That is the documents, the contents of ``base``, ``settings`` (what JSON holds), the code of this shelf, of the mitigations and of
    the stage, the versions of what computes, and the processor, on which the last digits depend.
    """
    import torch

    versions = {name: metadata.version(name) for name in ("numpy", "scikit-learn", "torch", "transformers")}
    processor = torch.cuda.get_device_name() if torch.cuda.is_available() else torch.backends.cpu.get_cpu_capability()
    digest = hashlib.sha256(json.dumps([versions, processor, settings], sort_keys=True).encode())
    sink = pa.BufferOutputStream()
    pq.write_table(documents.replace_schema_metadata(None), sink, **tables.PARQUET)
    digest.update(hashlib.sha256(sink.getvalue()).digest())
    code = [STAGES / "finetune.py", *sorted(STAGES.glob("models/**/*.py")), *sorted(STAGES.glob("mitigations/**/*.py"))]
    for root, files in ((STAGES, code), (base, sorted(file for file in base.rglob("*") if file.is_file()))):
        for file in files:
            digest.update(hashlib.sha256(str(file.relative_to(root)).encode()).digest())
            digest.update(_sum(file))
    return CACHE / digest.hexdigest()


def keep(folder: Path, name: str, record: dict[str, Any], write: Callable[[Path], None]) -> None:
    """Let ``write`` fill ``fold_<name>.safetensors`` in ``folder``, then put its record beside it, sealed: both are whole or unseen."""
    file = folder / f"fold_{name}.safetensors"
    tables.write_whole(file, write)
    text = json.dumps(record).encode()
    tables.write_whole(file.with_suffix(".json"), lambda path: _bytes(path, _seal(file, text) + b"\n" + text))


def records(folder: Path, names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The records of the folds among ``names`` that lie whole in ``folder``; a damaged one, or another's, is fitted anew."""
    found = {}
    for name in names:
        file = folder / f"fold_{name}.safetensors"
        if not file.with_suffix(".json").is_file():
            continue
        seal, _, text = file.with_suffix(".json").read_bytes().partition(b"\n")
        whole = file.is_file() and seal == _seal(file, text)
        print(f"fold {name}: {'kept from a run that was broken off' if whole else 'what was kept is damaged and fitted anew'}", flush=True)
        if whole:
            found[name] = json.loads(text)
    return found


def check_room(places: Iterable[Path], number: int, each: float) -> None:
    """BadInput unless the disks of ``places`` have room for ``number`` fitted folds of ``each`` bytes."""
    for folder in places:
        folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free
        if free < number * each:
            raise BadInput(
                f"{number} fitted folds of {each / 1e6:,.0f} MB do not fit in the {free / 1e6:,.0f} MB that are free at {folder}: "
                "free some, or set keep: outputs in the section finetune, which stores what the folds predict and no weights."
            )


def deliver(folder: Path, names: Sequence[str], output: Path) -> None:
    """Move the folds' files to ``output`` and remove ``folder``."""
    for name in names:
        shutil.move(folder / f"fold_{name}.safetensors", output)
    shutil.rmtree(folder)


def _seal(file: Path, text: bytes) -> bytes:
    """A hexadecimal sum over what the fold's file, its name, its folder's name and its record hold."""
    where = hashlib.sha256(f"{file.parent.name}/{file.name}".encode()).digest()
    return hashlib.sha256(where + _sum(file) + text).hexdigest().encode()


def _sum(file: Path) -> bytes:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").digest()


def _bytes(path: Path, content: bytes) -> None:
    path.write_bytes(content)
