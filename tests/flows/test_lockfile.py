"""dvc.lock is replaced whole or not at all; what it holds is compared with DVC's own in test_engine.py."""

import os
import shutil
from pathlib import Path

import pytest

from flows import lockfile
from flows.engine import Engine
from stages.contract.bad_input import BadInput

# pygtrie, which DVC uses, warns of its own future.
pytestmark = pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning")


def test_a_full_disk_leaves_the_old_lock_and_no_litter(tmp_path: Path, finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    folder = shutil.copytree(finished, tmp_path / "repo")
    monkeypatch.chdir(folder)
    before = (folder / "dvc.lock").read_bytes()
    with Engine() as engine:
        (folder / "data" / "report.txt").unlink()
        (step,) = engine.plan().steps
        step.stage.cmd = "another"
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            lockfile.record(step.stage)
    assert (folder / "dvc.lock").read_bytes() == before
    assert not list(folder.glob(".dvc.lock.*"))


def test_missing_finds_names_however_yaml_spells_them(tmp_path: Path) -> None:
    path = tmp_path / "dvc.lock"
    assert lockfile.missing(path, ["a"]) == ["a"]
    path.write_text("schema: '2.0'\nstages:\n  '1':\n    cmd: a\n  b@c-d:\n    cmd: |-\n      b\n\n      b: c\ndatasets: []\n")
    assert lockfile.missing(path, ["1", "2", "b@c-d", "b", "datasets"]) == ["2", "b", "datasets"]


def test_another_layout_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "dvc.lock"
    path.write_text("{schema: '2.0', stages: {a: {cmd: b}}}\n")
    with pytest.raises(BadInput, match="delete it and run again"):
        lockfile.missing(path, ["a"])
