"""`crossbias check` and a run never disagree: whatever is done to a design, both refuse it in one sentence or neither does.

What check calls right is then held against what refuses in a run, part by part and without check: each stage's own reading of its section,
its entries and its names, and DVC's plan and parameters.
"""

import copy
import importlib
import inspect
import os
import shutil
from pathlib import Path

import pytest
import yaml
from dvc.dependency import ParamsDependency
from dvc.repo import Repo
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from flows import command
from flows.engine import Engine
from flows.prepared import Prepared
from stages.contract.command import KEYS, keys_of
from stages.contract.design import stage_names
from stages.contract.params import Design, fill
from stages.contract.shelf import take
from tests.conftest import ROOT

PIPELINE = ["dvc.yaml", ".dvcignore", ".dvc/config", "data/raw/naacl2022/counts.csv", "data/raw/naacl2022/known_problems.csv"]
DESIGN = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
DESIGN |= {kind: {name: DESIGN[kind][name]} for kind, name in (("tasks", "trust"), ("challenges", "en_trust_identities"))}
DESIGN["models"] = {name: DESIGN["models"][name] for name in ("glove_cnn", "minilm")}
DESIGN["models"]["glove_cnn"]["family"]["mitigation"] = {"use": "reweighing", "attributes": {"gender": "category", "age": 55}}
DESIGN["ingest"]["mentions"] = [{"use": "lookup", "attributes": ["religion"]}]
del DESIGN["bases"]
NUMBERS = [-1, 0, 1, 2**31, 2**32, 2**53, 10**30, 0.5, -0.5, float("nan"), float("inf")]
WORDS = [
    "",
    "x",
    "gender",
    "../up",
    "/etc/passwd",
    "no/such/file",
    ".",
    "stages",
    "a\nb",
    "${key}",
    "2",
    "2024-01-01",
    "data/debias/minilm",
]
PARTS = [[], {}, ["x"], ["gender", "gender"], {"use": "x"}, [{"use": "lime"}, {"use": "lime"}], {"x": 1}]
VALUES = [None, True, *NUMBERS, *WORDS, "data/debias/minilm", *PARTS]
RUNS = int(os.environ.get("CROSSBIAS_EXAMPLES", "40"))
pytestmark = pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory) -> Path:
    """A clone without history, in which a run can be planned; stages are those of this repository."""
    folder = tmp_path_factory.mktemp("workspace")
    for name in PIPELINE:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    (folder / ".dvc" / "config").write_text("[core]\n    no_scm = true\n    analytics = false\n")
    (folder / "stages").symlink_to(ROOT / "stages")
    (folder / "data" / "debias" / "minilm").mkdir(parents=True)  # as if a run had been here: a path to a result is there
    return folder


@pytest.fixture(autouse=True)
def in_it(workspace, monkeypatch):
    monkeypatch.chdir(workspace)


def places(part, path=()):
    """Where something stands in a design, as the keys that lead there."""
    for key, value in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        yield (*path, key)
        yield from places(value, (*path, key))


PLACES = list(places(DESIGN))


@st.composite
def changed(draw) -> str:
    """The text of a design after one to three mistakes: a key lost, misspelt, moved, given another value, or written twice."""
    design = copy.deepcopy(DESIGN)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(PLACES))
        try:
            part = design
            for key in path[:-1]:
                part = part[key]
            old = part[path[-1]]
        except (KeyError, IndexError, TypeError):
            continue
        what = draw(st.sampled_from(["lose", "misspell", "value", "value", "value", "elsewhere", "more"]))
        if what == "lose":
            del part[path[-1]]
        elif what == "misspell" and isinstance(part, dict):
            del part[path[-1]]
            part[draw(st.sampled_from([f"{path[-1]}s", str(path[-1])[:-1], str(path[-1]).upper(), "x", 1, "size"]))] = old
        elif what == "elsewhere":
            part[path[-1]] = copy.deepcopy(_at(design, draw(st.sampled_from(PLACES))))
        elif what == "more" and isinstance(part, list):
            part.append(copy.deepcopy(old))
        else:
            part[path[-1]] = draw(st.sampled_from(VALUES))
    text = yaml.safe_dump(design, sort_keys=False, allow_unicode=True)
    lines = text.splitlines()
    if draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(lines) - 1))
        lines.insert(at, lines[at])
    return "\n".join(lines) + "\n"


def _at(part, path):
    for key in path:
        try:
            part = part[key]
        except (KeyError, IndexError, TypeError):
            return None
    return part


def outcome(capsys, arguments: list[str]) -> tuple[int, str]:
    capsys.readouterr()
    code = command.main(arguments)
    return code, capsys.readouterr().err


def refuse_as_a_run_does(design: Path) -> None:
    """What refuses in a run, by its own parts and in its own order, and nothing of `crossbias check`."""
    with Engine() as engine:
        Prepared.of(engine, jobs=1)
    for stage in stage_names():
        module = importlib.import_module(f"stages.{stage}")
        read = Design.read(design)
        params = fill(inspect.signature(module.run).parameters["params"].annotation, read.section(stage), stage)
        assert params == module.Params(**read.section(stage))
        for kind in keys_of(module.run):
            for name in getattr(read, KEYS[kind]):
                read.entry(KEYS[kind], name)
    for shelf, entry in entries(read):
        take(shelf, entry)
    for challenge in read.challenges.values():
        module, options = take("challenges", challenge)
        module.load(Path(challenge.source), options)
    with Repo() as repo:
        for dep in [dep for stage in repo.index.stages for dep in stage.deps]:
            if isinstance(dep, ParamsDependency):
                dep.save()  # refuses a key that is not there
            elif "/data/" not in dep.fs_path:
                assert Path(dep.fs_path).exists(), dep.fs_path


def entries(design: Design):
    for task in design.tasks.values():
        yield "datasets", task.dataset
    for model in design.models.values():
        yield "debiasers", model.debiaser
        yield "models", model.family
        if model.family.mitigation is not None:
            yield "mitigations", model.family.mitigation


@given(changed())
@settings(max_examples=RUNS, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(yaml.safe_dump(DESIGN, sort_keys=False))
def test_check_and_run_agree_on_any_design(workspace, capsys, text):
    (workspace / "params.yaml").write_text(text, encoding="utf-8")
    said, why = outcome(capsys, ["check"])
    ran, because = outcome(capsys, ["run", "--dry"])
    assert said == ran, (why, because)
    if said:
        assert said == 2
        assert why.startswith("check: ")
        assert why.count("\n") == because.count("\n") == 1
        assert why == f"check: {because}"
    else:
        refuse_as_a_run_does(workspace / "params.yaml")
