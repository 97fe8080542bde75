"""The engine ends where `dvc repro` ends, to the byte, whatever happened before; one run at a time."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from flows.engine import Engine
from flows.process import StageFailed
from stages.contract.bad_input import BadInput
from tests.flows.conftest import PARAMS, make, replace, repro, single

# pygtrie, which DVC uses, warns of its own future.
pytestmark = pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning")


def run(folder: Path, *targets: str) -> dict[str, str]:
    """Run what is stale, one step after the other, as far as it goes: each step's outcome."""
    outcomes = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        with Engine() as engine:
            plan = engine.plan(targets)
            outcomes.update(dict.fromkeys(plan.unchanged, "unchanged"))
            for step in plan.steps:
                try:
                    outcomes[step.name] = engine.run(step, tell=lambda line: None)
                except StageFailed:
                    outcomes[step.name] = "failed"
                    break
    return outcomes


def files(folder: Path) -> dict[str, bytes]:
    found = [
        path
        for path in [*folder.glob("data/**/*"), folder / "dvc.lock", *folder.glob("*.dvc"), *folder.glob("**/.gitignore")]
        if path.is_file()
    ]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def both(first: Callable[[Path], object], second: Callable[[Path], object]) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        first(folder)
        second(folder)

    return edit


def track(name: str) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        subprocess.run([sys.executable, "-m", "dvc", "add", "--quiet", name], cwd=folder, check=True)

    return edit


EDITS: dict[str, Callable[[Path], None]] = {
    "a parameter changes": replace("params.yaml", "seed: 1", "seed: 2.5e-7"),
    "a parameter of one model changes": replace("params.yaml", "a: b #c", "other"),
    "a model is added": replace("params.yaml", "  mended:", "  another: {base: *glove}\n  mended:"),
    "a model is removed, and its results by hand": both(  # else ours takes them away: test_orphans.py
        replace("params.yaml", "  plain: {base: *glove}\n", ""),
        lambda folder: [path.unlink() for path in folder.glob("data/predict/*_plain.txt")],
    ),
    "a command changes": replace("dvc.yaml", "mkdir -p data/predict\n", "mkdir -p ./data/predict\n"),
    "the raw data change, the results do not": replace("raw.txt", "raw", "raw, mended"),
    "an output is lost": lambda folder: shutil.rmtree(folder / "data" / "debias"),
    "an output is edited": replace("data/report.txt", "lines", "LINES"),
    "dvc.lock is lost": lambda folder: (folder / "dvc.lock").unlink(),
    "a parameter changes, and dvc.lock was indented by hand": both(
        replace("dvc.lock", "\n  ", "\n      "), replace("params.yaml", "seed: 1", "seed: 2")
    ),
    "dvc.lock holds more than stages": both(
        replace("dvc.lock", "\nstages:", "\ndatasets: []\nstages:"), replace("params.yaml", "seed: 1", "seed: 2")
    ),
    "a stage is frozen": both(
        replace("dvc.yaml", "  report:\n", "  report:\n    frozen: true\n"), replace("params.yaml", "[he, she]", "[he]")
    ),
    "a file that DVC tracks changes": both(track("raw.txt"), replace("raw.txt", "raw", "raw, mended")),
    "a stage fails": replace("dvc.yaml", "mkdir -p data/predict\n", "test ${item.model} = plain\n"),
}


def test_a_first_run_ends_as_dvc_repro_does(tmp_path: Path, finished: Path) -> None:
    ours = make(tmp_path / "ours")
    assert set(run(ours).values()) == {"ran"}
    assert files(ours) == files(finished)
    assert set(run(ours).values()) == {"unchanged"}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_after_an_edit_it_ends_as_dvc_repro_does(edit: Callable[[Path], None], tmp_path: Path, finished: Path) -> None:
    for name in ("ours", "theirs"):
        shutil.copytree(finished, tmp_path / name)
        edit(tmp_path / name)
    assert files(tmp_path / "ours") == files(tmp_path / "theirs")
    failed = repro(tmp_path / "theirs") != 0
    assert ("failed" in run(tmp_path / "ours").values()) == failed
    assert files(tmp_path / "ours") == files(tmp_path / "theirs")


def test_after_a_failure_only_the_rest_runs(tmp_path: Path, finished: Path) -> None:
    ours = make(tmp_path / "ours")
    replace("dvc.yaml", "mkdir -p data/predict\n", "test ${item.model} = plain && mkdir -p data/predict\n")(ours)
    assert run(ours)["predict@trust-mended"] == "failed"
    assert not (ours / "data" / "report.txt").exists()
    replace("dvc.yaml", "test ${item.model} = plain && ", "")(ours)
    outcomes = run(ours)
    assert [name for name, outcome in outcomes.items() if outcome == "unchanged"] == [
        name for name in outcomes if name.startswith(("ingest", "debias"))
    ]
    assert (ours / "dvc.lock").read_bytes() == (finished / "dvc.lock").read_bytes()


def test_a_lost_lock_is_restored_without_running_a_command(tmp_path: Path, finished: Path) -> None:
    ours = shutil.copytree(finished, tmp_path / "ours")
    (ours / "dvc.lock").unlink()
    shutil.rmtree(ours / "data" / "predict")
    assert set(run(ours).values()) == {"restored"}
    assert not (ours / "logs").exists()
    assert files(ours) == files(finished)


def test_targets_bring_only_what_they_need(tmp_path: Path) -> None:
    ours, theirs = make(tmp_path / "ours"), make(tmp_path / "theirs")
    targets = ["predict@trust-plain", "ingest"]
    assert run(ours, *targets).keys() == {"ingest@trust", "ingest@literacy", "debias@plain", "predict@trust-plain"}
    assert repro(theirs, *targets) == 0
    lock = yaml.safe_load((ours / "dvc.lock").read_text())
    assert lock == yaml.safe_load((theirs / "dvc.lock").read_text())
    assert list(lock["stages"]) == ["ingest@trust", "ingest@literacy", "debias@plain", "predict@trust-plain"]


def test_steps_may_run_at_once_and_end_in_any_order(tmp_path: Path, finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = make(tmp_path / "ours")
    monkeypatch.chdir(ours)
    with Engine() as engine, ThreadPoolExecutor(4) as pool:
        steps = engine.plan().steps[::-1]
        done: set[str] = set()
        while steps:
            ready = [step for step in steps if step.after <= done]
            assert set(pool.map(lambda step: engine.run(step, tell=lambda line: None), ready)) == {"ran"}
            done |= {step.name for step in ready}
            steps = [step for step in steps if step.name not in done]
    assert files(ours) == files(finished)


def test_a_plan_gives_the_reason(tmp_path: Path, finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = shutil.copytree(finished, tmp_path / "ours")
    replace("params.yaml", "seed: 1", "seed: 2")(ours)
    monkeypatch.chdir(ours)
    with Engine() as engine:
        plan = engine.plan()
    assert {step.name: step.reason for step in plan.steps} == {"evaluate": "params.yaml evaluate modified", "report": "after evaluate"}
    assert len(plan.unchanged) == 8


def test_a_missing_dependency_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = single(tmp_path / "repo", "cp raw.txt data/only.txt")
    (folder / "raw.txt").unlink()
    monkeypatch.chdir(folder)
    with Engine() as engine, pytest.raises(StageFailed, match=r"only: .*raw\.txt"):
        engine.run(engine.plan().steps[0])


def test_one_run_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(make(tmp_path / "repo"))
    with Engine(), pytest.raises(BadInput, match=rf"process {os.getpid()} \(.+, since 20.* is running this workspace"), Engine():
        pass
    with Engine() as engine:
        assert engine.plan().steps


def test_while_a_command_runs_dvc_leaves_its_files_alone(tmp_path: Path, finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def try_dvc(line: str) -> None:
        found.append(subprocess.run(dvc, capture_output=True, text=True, check=False))
        with pytest.raises(BadInput, match=r"busy.*evaluate"):
            engine.plan()

    found: list[subprocess.CompletedProcess[str]] = []
    dvc = [sys.executable, "-m", "dvc", "repro", "--single-item", "evaluate"]
    folder = shutil.copytree(finished, tmp_path / "repo")
    replace("params.yaml", "seed: 1", "seed: 2")(folder)
    monkeypatch.chdir(folder)
    with Engine() as engine:
        engine.run(engine.plan().steps[0], try_dvc)
    assert [done.returncode for done in found] == [255]
    assert "crossbias run evaluate" in found[0].stderr


def test_wrong_places_and_targets_are_bad_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make(tmp_path / "repo")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=r"there is no dvc\.yaml in "), Engine():
        pass
    monkeypatch.chdir(folder)
    with Engine() as engine, pytest.raises(BadInput, match="'nonesuch'"):
        engine.plan(["nonesuch"])
    (folder / "params.yaml").write_text(PARAMS.replace("models:", "models: ["))
    with Engine() as engine, pytest.raises(BadInput, match=r"params\.yaml"):
        engine.plan()
    shutil.rmtree(folder / ".git")
    with pytest.raises(BadInput, match="git init"), Engine() as engine:
        engine.plan()
