"""The whole design checked in a second, before the first hour of training."""

import importlib
from pathlib import Path
from typing import Any

from stages.contract.bad_input import BadInput
from stages.contract.params import Design, Section, fill
from stages.contract.shelf import ROOT
from stages.contract.values import ON_DISK

RESERVED = {"bases"}  # a place for YAML anchors; nothing reads it


def stage_names() -> list[str]:
    return sorted(file.stem for file in ROOT.glob("*.py") if file.stem != "__init__")


def validate(path: Path) -> Design:
    """The design in a file once every entry of it, of every stage, is known to be right; else BadInput naming the first that is not.

    Its form is checked here: the keys, values and paths of each section. What they mean, each stage checks with its own
    ``check(design, params)``, by the functions that it runs with.
    """
    design = Design.read(path)
    stages = stage_names()
    extra = set(design.model_extra or {}) - set(stages) - RESERVED
    if extra:
        raise BadInput(f"{path}: {min(extra)!r} is not a section; there are tasks, models, bases, {', '.join(stages)}.")
    for stage in stages:
        settings(design, stage, path)
    Design.read(path, ON_DISK)  # only now, as data may be missing where one begins to write a design
    for stage in stages:
        params = settings(design, stage, path, ON_DISK)
        check = getattr(importlib.import_module(f"stages.{stage}"), "check", None)
        if check is not None:
            check(design, params)
    return design


def settings(design: Design, stage: str, path: Path = Path("params.yaml"), context: Any = None) -> Section:
    """A stage's section of the design with that stage's defaults filled in."""
    return fill(importlib.import_module(f"stages.{stage}").Params, design.section(stage), f"{path}: {stage}", context)
