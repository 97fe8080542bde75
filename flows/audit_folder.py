"""The folder an audit writes: whole or not at all, and never in the place of somebody else's files."""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from stages.contract.bad_input import BadInput
from stages.contract.tables import write_parquet


def refuse_others(folder: Path, names: set[str]) -> None:
    """BadInput where ``folder`` is there and holds anything but an earlier audit's files, ``names``."""
    if folder.exists() and (not folder.is_dir() or {path.name for path in folder.iterdir()} - names):
        raise BadInput(f"{folder} is there and is no earlier audit; name another folder with --out.")


def write(
    folder: Path, page: str, tables: Mapping[str, pa.Table], summary: Mapping[str, Any], beside: Mapping[str, str] | None = None
) -> None:
    """``index.html``, a Parquet file a table, ``summary.json`` and texts ``beside``, in the place of an earlier audit."""
    temporary, earlier = (folder.with_name(f".{folder.name}.{os.getpid()}{end}") for end in ("", ".earlier"))
    try:
        temporary.mkdir(parents=True)
        for name, text in {"index.html": page, **(beside or {})}.items():
            (temporary / name).write_text(text, encoding="utf-8")
        for name, table in tables.items():
            write_parquet(table, temporary / f"{name}.parquet")
        (temporary / "summary.json").write_text(json.dumps(summary, indent=2, allow_nan=False) + "\n")
        if folder.exists():
            folder.rename(earlier)
        temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(earlier, ignore_errors=True)
