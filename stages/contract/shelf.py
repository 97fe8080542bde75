"""The file's name is the registration: ``use: wassa`` finds ``stages/datasets/wassa.py``."""

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

from stages.contract.bad_input import BadInput
from stages.contract.params import Entry, fill

ROOT = Path(__file__).parents[1]


def take(shelf: str, entry: Entry, context: Any = None) -> tuple[ModuleType, Any]:
    """The module that ``entry`` names on a shelf and the entry's options as that module's ``Params``; ``context`` as of ``fill``.

    A module can be taken when it defines ``Params``; BadInput lists those when the name is not among them.
    """
    names = items(shelf)
    if entry.use not in names:
        raise BadInput(f"params.yaml: use: {entry.use} names no file of stages/{shelf}; there are {', '.join(names)}.")
    module = importlib.import_module(f"stages.{shelf}.{entry.use}")
    return module, fill(module.Params, entry.options, f"params.yaml: {shelf}: {entry.use}", context)


def items(shelf: str) -> list[str]:
    """The names a shelf offers: its files that define ``Params``."""
    return sorted(file.stem for file in (ROOT / shelf).glob("*.py") if "\nclass Params(" in file.read_text(encoding="utf-8"))
