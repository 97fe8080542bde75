"""One name, five places; every path, import and parameter of a stage stands in dvc.yaml as the code has it."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
import typing
from pathlib import Path

import pytest
import yaml

from stages.contract.command import fields, inputs_of, outputs_of
from stages.contract.design import stage_names
from stages.contract.params import BANNED_KEYS, Model, Task
from tests.conftest import ROOT

PIPELINE = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
DESIGNS = [ROOT / "params.yaml", *sorted((ROOT / "designs").glob("*.yaml"))]
STAGES = stage_names()
CHANGES_NO_NUMBER = {"processes"}


def stanza(stage: str) -> dict:
    return PIPELINE[stage].get("do", PIPELINE[stage])


def plain(text: str) -> str:
    """`data/ingest/${item.task}/x` or `data/ingest/${key}/x` as the code writes it: `data/ingest/{task}/x`."""
    return re.sub(r"\$\{(?:item\.)?([a-z.]+)\}", lambda match: "{" + match[1] + "}", text)


def listed(stage: str, part: str) -> list[str]:
    key = {"${tasks}": "task", "${models}": "model", "${challenges}": "challenge"}.get(PIPELINE[stage].get("foreach"))
    entries = [next(iter(entry)) if isinstance(entry, dict) else entry for entry in stanza(stage).get(part, [])]
    return [plain(entry).replace("{key}", f"{{{key}}}") for entry in entries]


def written(stage: str) -> list[str]:
    return listed(stage, "outs") + listed(stage, "metrics") + listed(stage, "plots")


def run_of(stage: str):
    return importlib.import_module(f"stages.{stage}").run


def test_one_name_in_five_places():
    assert set(PIPELINE) == set(STAGES)
    for design in DESIGNS:
        sections = set(yaml.safe_load(design.read_text(encoding="utf-8"))) - {"tasks", "models", "challenges", "bases"}
        assert sections == set(STAGES), design.name
    for stage in STAGES:
        outputs = written(stage)
        assert all(output.startswith(f"data/{stage}/") for output in outputs)
        assert (ROOT / "tests" / "stages" / f"test_{stage}.py").is_file()
        assert stanza(stage)["cmd"].startswith(f"python -m stages.{stage}")


@pytest.mark.parametrize("stage", STAGES)
def test_outputs_are_those_of_the_signature(stage):
    folder, returned = outputs_of(run_of(stage))
    assert sorted(at.path for at in [*folder.values(), *returned]) == sorted(written(stage))


@pytest.mark.parametrize("stage", STAGES)
def test_inputs_are_those_of_the_signature(stage):
    run = run_of(stage)
    folder, returned = outputs_of(run)
    held = {key for at in [*folder.values(), *returned] for key in fields(at.path)}
    for at in inputs_of(run).values():
        gathered = [key for key in fields(at.path) if key not in held]
        needed = at.path if not gathered else at.path[: at.path.index("{" + gathered[0])].rstrip("/")
        assert needed in listed(stage, "deps")
    data = {entry for entry in listed(stage, "deps") if entry.startswith("data/")}
    assert len(data) <= len(inputs_of(run)), "dvc.yaml names data that the stage does not read"


def imports_of(path: Path) -> set[Path]:
    """Files of ours that a file imports, and the shelf folders it takes from by name."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute) and node.args:
            shelf = getattr(node.args[0], "value", None)
            if "take" in (getattr(node.func, "id", ""), getattr(node.func, "attr", "")) and isinstance(shelf, str):
                found |= {file for file in (ROOT / "stages" / shelf).glob("*.py") if "\nclass Params(" in file.read_text(encoding="utf-8")}
        for name in names:
            file = ROOT / (name.replace(".", "/") + ".py")
            if name.startswith("stages.") and file.is_file() and "contract" not in name:
                found.add(file)
    return found


def reached(stage: str) -> set[str]:
    seen, waiting = set(), [ROOT / "stages" / f"{stage}.py"]
    while waiting:
        file = waiting.pop()
        if file not in seen:
            seen.add(file)
            waiting += imports_of(file)
    return {str(file.relative_to(ROOT)) for file in seen}


@pytest.mark.parametrize("stage", STAGES)
def test_every_module_a_stage_reaches_is_a_dependency(stage):
    deps = listed(stage, "deps")
    covered = [re.sub(r"\{[^}]*\}", "[^/]*", entry) for entry in deps if entry.startswith("stages/")]
    for file in reached(stage):
        assert any(re.fullmatch(f"{pattern}(/.*)?", file) for pattern in covered), f"{stage}: {file} is not in deps"
    for pattern in covered:
        inside = [file for file in ROOT.glob("stages/**/*") if re.fullmatch(f"{pattern}(/.*)?", str(file.relative_to(ROOT)))]
        assert inside, f"{stage}: {pattern} is no file"


@pytest.mark.parametrize("stage", STAGES)
def test_every_parameter_a_stage_reads_is_listed(stage):
    hints = typing.get_type_hints(run_of(stage))
    params = listed(stage, "params")
    if stage not in params:
        named = {entry.split(".", 1)[1] for entry in params if entry.startswith(f"{stage}.")}
        assert named == set(hints["params"].model_fields) - CHANGES_NO_NUMBER
    source = inspect.getsource(importlib.import_module(f"stages.{stage}"))
    for name, kind, section in (("task", Task, "tasks.{task}"), ("model", Model, "models.{model}")):
        if hints.get(name) is kind and section not in params:
            read = {
                node.attr
                for node in ast.walk(ast.parse(source))
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name
            }
            assert read <= {entry.removeprefix(f"{section}.") for entry in params if entry.startswith(f"{section}.")}
    if "design" in hints:
        assert {"tasks", "models"} <= set(params)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.stem)
def test_every_design_has_the_parameters_that_dvc_looks_up(design):
    """DVC refuses to run a stage that lists a key which params.yaml leaves to its default."""
    sections = yaml.safe_load(design.read_text(encoding="utf-8"))
    for stage in STAGES:
        for section, _, key in (entry.partition(".") for entry in listed(stage, "params") if "{" not in entry):
            assert section in sections, f"{stage}: {section}"
            assert not key or key in sections[section], f"{stage}: {section}.{key}"


def test_no_parameter_has_a_name_that_dvc_overlooks():
    for stage in STAGES:
        assert not BANNED_KEYS & set(importlib.import_module(f"stages.{stage}").Params.model_fields)
    for file in (ROOT / "stages").glob("*/*.py"):
        if "\nclass Params(" in file.read_text(encoding="utf-8"):
            assert not BANNED_KEYS & set(importlib.import_module(f"stages.{file.parent.name}.{file.stem}").Params.model_fields)


def test_dvc_writes_no_gitignore_of_its_own():
    """With /data/?* ignored at the root, a folder's hash does not depend on the order in which stages finished."""
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "/data/?*" in lines
    assert "__pycache__/" in (ROOT / ".dvcignore").read_text(encoding="utf-8")


def test_no_stage_loads_a_deep_learning_library_when_it_is_imported():
    """In one process, one stage after the other: what one has loaded is told as its own."""
    heavy = {"torch", "transformers", "gensim", "dvc", "prefect"}
    each = f"importlib.import_module('stages.' + stage); print(stage, *{heavy} & set(sys.modules))"
    code = f"import importlib, sys\nfor stage in {STAGES}: {each}"
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert told.split("\n") == [*STAGES, ""]
