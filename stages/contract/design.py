"""The whole design checked in a second, before the first hour of training."""

import importlib
from pathlib import Path
from typing import Any

from stages.contract import yaml_file
from stages.contract.bad_input import BadInput
from stages.contract.params import Design, Model, Section, fill
from stages.contract.shelf import ROOT, take

RESERVED = {"bases"}  # a place for YAML anchors; nothing reads it


def stage_names() -> list[str]:
    return sorted(file.stem for file in ROOT.glob("*.py") if file.stem != "__init__")


def validate(path: Path) -> Design:
    """The design in a file once every entry of it, of every stage, is known to be right; else BadInput naming the first that is not.

    Checked: the keys and values of each section, each ``use:`` and its options, each ``source`` on disk, each model's base
    fitting its debiaser and family.
    """
    design = Design.read(path)
    stages = stage_names()
    extra = set(design.model_extra or {}) - set(stages) - RESERVED
    if extra:
        raise BadInput(f"{path}: {min(extra)!r} is not a section; there are tasks, models, bases, {', '.join(stages)}.")
    for stage in stages:
        settings(design, stage, path)
    for probe in settings(design, "probe", path).tests:  # type: ignore[attr-defined]
        take("probes", probe)
    for mention in settings(design, "ingest", path).mentions:  # type: ignore[attr-defined]
        take("mentions", mention)
    _known_cells(design, settings(design, "explain", path), path)
    for name, task in design.tasks.items():
        take("datasets", task.dataset)
        _exists(task.dataset.source, f"{path}: tasks.{name}.dataset.source")
    for name, challenge in design.challenges.items():
        take("challenges", challenge)
        _exists(challenge.source, f"{path}: challenges.{name}.source")
        unknown = sorted(set(challenge.tasks or ()) - set(design.tasks))
        if unknown:
            raise BadInput(f"{path}: challenges.{name}.tasks: {unknown[0]!r} is not among the tasks, {', '.join(design.tasks)}.")
    for name, model in design.models.items():
        _exists(model.base.source, f"{path}: models.{name}.base.source")
        _fits(model, f"{path}: models.{name}")
    return design


def _known_cells(design: Design, explain: Any, path: Path) -> None:
    """BadInput when a cell to explain is none of the design, or a method is not on the shelf."""
    for method in explain.methods:
        take("explanations", method)
    for task, models in explain.cells.items():
        unknown = {task} - set(design.tasks) | set(models) - set(design.models)
        if unknown:
            raise BadInput(f"{path}: explain.cells: {min(unknown)!r} is no task or model of this design.")


def settings(design: Design, stage: str, path: Path = Path("params.yaml")) -> Section:
    """A stage's section of the design with that stage's defaults filled in."""
    return fill(importlib.import_module(f"stages.{stage}").Params, design.section(stage), f"{path}: {stage}")


def _fits(model: Model, where: str) -> None:
    """BadInput when the debiaser or the family is not made for what the base holds, or the mitigation's options are wrong."""
    debiaser, _ = take("debiasers", model.debiaser)
    family, _ = take("models", model.family)
    if model.family.mitigation is not None:
        take("mitigations", model.family.mitigation)
    held = _kind_of(Path(model.base.source))
    for use, fits in ((model.debiaser.use, hasattr(debiaser, f"debias_{held}")), (model.family.use, held == family.BASE)):
        if not fits:
            raise BadInput(f"{where}: {use} is not made for {held}, which {model.base.source} holds; change the base or {use}.")


def _kind_of(source: Path) -> str:
    """vectors or encoder, without reading the weights."""
    if source.suffix in (".yaml", ".yml"):
        return str(yaml_file.read(source)["kind"])
    return "encoder" if (source / "config.json").is_file() else "vectors"


def _exists(source: str, key: str) -> None:
    if not Path(source).exists():
        raise BadInput(f"{key}: {source} is not there; put the data there (see README.md) or correct the path.")
