"""Results travel: by a remote to another clone, and by DVC's run cache from one design to another and back, no command run again."""

import csv
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from flows.engine import Engine
from tests.flows.conftest import replace, repro

# pygtrie, which DVC uses, warns of its own future.
pytestmark = pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning")

OTHER = replace("params.yaml", "evaluate: {seed: 1", "evaluate: {seed: 2")
BACK = replace("params.yaml", "evaluate: {seed: 2", "evaluate: {seed: 1")
TRACKED = ("dvc.yaml", "params.yaml", "dvc.lock", "raw.txt", ".gitignore", ".dvc/config")


def dvc(folder: Path, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-m", "dvc", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def clone(folder: Path, new: Path) -> Path:
    """What git would bring: no data, no cache."""
    for name in TRACKED:
        (new / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / name, new / name)
    subprocess.run(["git", "init", "--quiet", new], check=True)
    return new


def results(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted((folder / "data").rglob("*")) if path.is_file()}


def outcomes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """What our engine does with each stale step."""
    monkeypatch.chdir(folder)
    with Engine() as engine:
        return {engine.run(step) for step in engine.plan().steps}


@pytest.fixture(scope="module")
def pushed(finished: Path, outside, tmp_path_factory) -> tuple[Path, dict[str, bytes]]:
    """A repository with the first design's results and a second design run after it, both pushed; and the first one's results."""
    folder = shutil.copytree(finished, tmp_path_factory.mktemp("pushed") / "here")
    first = results(folder)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in outside.items():
            patch.setenv(name, value)
        OTHER(folder)
        assert repro(folder) == 0
        dvc(folder, "remote", "add", "--default", "store", str(folder.parent / "store"))
        dvc(folder, "push", "--quiet", "--run-cache")
    return folder, first


def test_a_clone_pulls_all_has_nothing_to_run_and_brings_an_old_design_back_without_computing(pushed, tmp_path, monkeypatch):
    folder, first = pushed
    there = clone(folder, tmp_path / "there")
    dvc(there, "pull", "--quiet", "--run-cache")
    assert results(there) == results(folder)
    assert outcomes(there, monkeypatch) == set()
    assert (there / "dvc.lock").read_bytes() == (folder / "dvc.lock").read_bytes()
    BACK(there)
    assert outcomes(there, monkeypatch) == {"restored", "unchanged"}, "what follows a step with equal results stays as it is"
    assert results(there) == first


def test_dvc_repro_brings_an_old_design_back_without_computing(pushed, tmp_path):
    here, first = pushed
    folder = shutil.copytree(here, tmp_path / "here")
    BACK(folder)
    said = dvc(folder, "repro")
    assert "Stage 'evaluate' is cached - skipping run, checking out outputs" in said
    assert "Running stage" not in said
    assert results(folder) == first


def test_experiments_vary_a_parameter_and_are_compared(finished, tmp_path):
    """`dvc exp run -S`, `exp show` and `exp diff` with foreach and matrix, in a repository with a commit."""
    folder = shutil.copytree(finished, tmp_path / "here")
    for command in (["branch", "--move", "master"], ["add", "--all"], ["commit", "--quiet", "--message", "first"]):
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e@example.org", *command], cwd=folder, check=True)
    said = dvc(folder, "exp", "run", "--name", "second", "--set-param", "evaluate.seed=2")
    assert [line for line in said.splitlines() if line.startswith("Running")] == ["Running stage 'evaluate':"]
    assert yaml.safe_load((folder / "params.yaml").read_text())["evaluate"]["seed"] == 2
    difference = dvc(folder, "exp", "diff", "--md", "HEAD", "second")
    assert ["params.yaml", "evaluate.seed", "1", "2", "1"] in [re.findall(r"[^\s|]+", line) for line in difference.splitlines()]
    rows = list(csv.DictReader(dvc(folder, "exp", "show", "--csv").splitlines()))
    assert {(row["Experiment"] or row["rev"]): (row["lines"], row["evaluate.seed"]) for row in rows} == {
        "workspace": ("16", "2"),
        "master": ("16", "1"),
        "second": ("16", "2"),
    }
