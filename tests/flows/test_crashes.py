"""Whatever ends a run, the next one goes on from what was finished and ends with the bytes of an undisturbed run."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import chaos_workspace
from flows import leftovers
from flows.engine import Engine
from flows.process import StageFailed
from stages.contract.bad_input import BadInput
from tests.flows.conftest import make, replace, single
from tests.flows.test_engine import files, run
from tests.flows.test_process import assert_ends

# pygtrie, which DVC uses, warns of its own future.
pytestmark = pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning")

# Runs the workspace, and kills itself at the n-th change that it is about to make to any file: a full run makes about 740 of them.
DOOMED = """
import os, signal, sys
from flows.engine import Engine
CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate", "os.link", "os.symlink"}
left = int(sys.argv[1])
def count(event, args):
    global left
    if event in CHANGES or event == "open" and (args[2] or 0) & (os.O_WRONLY | os.O_RDWR):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
with Engine() as engine:
    steps = engine.plan().steps
    sys.addaudithook(count)
    for step in steps:
        engine.run(step, lambda line: None)
"""


@pytest.mark.parametrize("change", [60, 113, 250, 610])
def test_a_kill_at_any_change_of_a_file_loses_only_what_is_unfinished(change: int, tmp_path: Path, finished: Path) -> None:
    """Among them: within DVC's writing of its cache, of its cache of runs, of dvc.lock, and of its list of busy files."""
    ours = make(tmp_path / "ours")
    killed = subprocess.run([sys.executable, "-c", DOOMED, str(change)], cwd=ours, check=False, capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    done = chaos_workspace.finished(ours)
    assert list(run(ours).values()).count("ran") == 10 - done
    assert files(ours) == files(finished)
    assert chaos_workspace.litter(ours) == []


def test_a_killed_restoring_goes_on_too(tmp_path: Path, finished: Path) -> None:
    ours = shutil.copytree(finished, tmp_path / "ours")
    (ours / "dvc.lock").unlink()
    shutil.rmtree(ours / "data" / "predict")
    killed = subprocess.run([sys.executable, "-c", DOOMED, "150"], cwd=ours, check=False, capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert set(run(ours).values()) <= {"unchanged", "restored"}
    assert files(ours) == files(finished)
    assert chaos_workspace.litter(ours) == []


def test_what_killed_processes_left_goes_and_what_lives_stays(tmp_path: Path, finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of processes end at 2^22, and a process younger than the file is another one that has the same number."""
    ours = shutil.copytree(finished, tmp_path / "ours")
    data = ours / "data"
    (data / "raw").mkdir()
    stay = [data / f".a.txt.{os.getpid()}", data / ".a.txt", data / "raw" / ".mine.tmp", data / f"a.{2**22 + 1}"]
    go = [
        data / f".b.txt.{2**22 + 1}",
        data / ".x.tmp",
        data / f".c.txt.{os.getpid()}",
        ours / ".dvc.lock.abc",
        ours / ".dvc/cache/files/.y.tmp",
    ]
    for path in [*stay, *go]:
        path.touch()
    os.utime(data / f".c.txt.{os.getpid()}", (1, 1))
    (ours / ".dvc/cache/runs/00/empty").mkdir(parents=True)
    monkeypatch.chdir(ours)
    with Engine():
        pass
    assert [path for path in stay if not path.exists()] == []
    assert [path for path in go if path.exists()] == []
    assert not (ours / ".dvc/cache/runs/00/empty").exists()


@pytest.mark.parametrize("number", [os.getpid(), None], ids=["younger than its lock", "no number"])
def test_busy_files_of_the_dead_are_free(number: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DVC's list of them is cut short, or names a process that has another's old number."""
    folder = single(tmp_path / "repo", "cp raw.txt data/only.txt")
    (folder / ".dvc" / "tmp").mkdir()
    lock = folder / ".dvc" / "tmp" / "rwlock"
    held = {"write": {str(folder / "data" / "only.txt"): {"pid": number, "cmd": "crossbias run only"}}, "read": {}}
    lock.write_text(json.dumps(held) if number else '{"write": {"da')
    os.utime(lock, (1, 1))
    assert run(folder) == {"only": "ran"}


def test_a_lost_lock_file_says_what_to_do(tmp_path: Path, finished: Path) -> None:
    ours = shutil.copytree(finished, tmp_path / "ours")
    lock = (ours / "dvc.lock").read_text()
    for text in ("", lock[:15], "\0" * 300):
        (ours / "dvc.lock").write_text(text)
        with pytest.raises(BadInput, match=r"dvc\.lock.*: delete dvc\.lock, or .*run again"):
            run(ours)
    (ours / "dvc.lock").unlink()
    assert set(run(ours).values()) == {"restored"}
    assert files(ours) == files(finished)


def test_a_killed_command_is_heard_to_end_though_its_children_live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(single(tmp_path / "repo", "sleep 600 & echo $! && kill -9 $$"))
    heard: list[str] = []
    with Engine() as engine, pytest.raises(StageFailed, match="only ended with exit code -9"):
        engine.run(engine.plan().steps[0], heard.append)
    assert_ends(int(heard[0]))


@contextlib.contextmanager
def mounted(folder: Path, *options: str) -> Iterator[None]:
    """Something mounted there, which the superuser alone may do."""
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["mount", *options, str(folder)], check=False, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"mounting is not allowed here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


FULL = """\
stages:
  first:
    cmd: seq 20000 > data/first.txt
    deps: [raw.txt]
    outs: [data/first.txt]
  second:
    cmd: cat data/first.txt data/first.txt > data/second.txt && seq 9000
    deps: [data/first.txt]
    outs: [data/second.txt]
"""


@pytest.mark.parametrize(("place", "size"), [("data", "200k"), ("logs", "8k"), (".dvc/cache", "200k")])
def test_a_full_disk_is_one_sentence_and_the_next_run_goes_on(place: str, size: str, tmp_path: Path) -> None:
    ours = make(tmp_path / "ours", FULL)
    with mounted(ours / place, "-t", "tmpfs", "-o", f"size={size}", "tmpfs"):
        sentence = failure(ours)
        assert sentence.startswith("second")
        assert "No space left on device" in sentence
        subprocess.run(["mount", "-o", "remount,size=4m", ours / place], check=True)
        assert run(ours) == {"first": "unchanged", "second": "ran"}
        assert (ours / "data" / "second.txt").read_text().splitlines() == [str(number + 1) for number in range(20_000)] * 2
        assert chaos_workspace.litter(ours) == []


def test_a_full_disk_keeps_the_old_lock_file(tmp_path: Path) -> None:
    with mounted(tmp_path / "root", "-t", "tmpfs", "-o", "size=1m", "tmpfs"), contextlib.ExitStack() as stack:
        ours = make(tmp_path / "root" / "ours", FULL.replace("&& seq", "&& dd if=/dev/zero of=filler bs=4k status=none || seq"))
        for place in ("data", "logs", ".dvc/cache", ".dvc/tmp"):
            stack.enter_context(mounted(ours / place, "-t", "tmpfs", "-o", "size=4m", "tmpfs"))
        assert "No space left on device" in failure(ours)
        assert (ours / "dvc.lock").read_text().count("cmd:") == 1
        (ours / "filler").unlink()
        assert run(ours) == {"first": "unchanged", "second": "restored"}


@pytest.mark.parametrize("place", ["data", "logs", ".dvc", "."])
def test_a_folder_that_cannot_be_written_is_one_sentence(place: str, tmp_path: Path) -> None:
    ours = make(tmp_path / "ours", FULL)
    run(ours)
    before = files(ours)
    replace("raw.txt", "raw", "other")(ours)
    folder = ours / place
    folder.mkdir(exist_ok=True)
    with mounted(folder, "--bind", str(folder)):
        subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)
        assert "Read-only file system" in failure(ours)
    assert (ours / "dvc.lock").read_bytes() == before["dvc.lock"]
    assert run(ours) == {"first": "ran", "second": "unchanged"}


def go(folder: Path) -> None:
    """A run that stops at the first failure."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        with Engine() as engine:
            for step in engine.plan().steps:
                engine.run(step, lambda line: None)


def failure(folder: Path) -> str:
    """The one sentence with which a run ends."""
    with pytest.raises((StageFailed, BadInput)) as caught:
        go(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_results_are_on_the_disk_before_anything_refers_to_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a power cut an object of DVC's cache may be empty, but then neither dvc.lock nor the cache of runs names it."""
    folder = single(tmp_path / "repo", "cp raw.txt data/only.txt")
    seen: list[tuple[int, int, bool]] = []

    def to_disk(*folders: str) -> None:
        cache = Path(folders[1])
        objects = sum(path.is_file() for path in cache.glob("??/*"))
        seen.append((objects, len(list(folder.glob(".dvc/cache/runs/*/*/*"))), (folder / "dvc.lock").exists()))

    monkeypatch.setattr(leftovers, "to_disk", to_disk)
    assert run(folder) == {"only": "ran"}
    assert seen == [(1, 0, False)]


def test_what_cannot_reach_the_disk_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leftovers.to_disk(str(tmp_path), str(tmp_path / "not_yet"))
    monkeypatch.setattr(leftovers, "LIBC", SimpleNamespace(syncfs=lambda number: -1))
    with pytest.raises(OSError, match=tmp_path.name):
        leftovers.to_disk(str(tmp_path))
