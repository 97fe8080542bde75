"""A file is the old one or the whole new one, whatever fails, and what killed writers left goes."""

import os
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from stages.contract import whole


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "kept.txt"
    path.write_text("old")

    def fail(temporary: Path) -> None:
        temporary.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        whole.write_whole(path, fail)
    assert [file.name for file in tmp_path.iterdir()] == ["kept.txt"]
    assert path.read_text() == "old"


def test_the_bytes_are_on_the_disk_before_they_get_the_name(tmp_path, monkeypatch):
    path, order = tmp_path / "a.txt", []
    fsync, replace = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda number: order.append(os.fstat(number).st_size) or fsync(number))
    monkeypatch.setattr(Path, "replace", lambda old, new: order.append(new) or replace(old, new))
    whole.write_whole(path, lambda temporary: temporary.write_text("whole"))
    assert order == [5, path]


def test_what_a_killed_writer_left_goes(tmp_path):
    """Numbers of processes end at 2^22; the parent of this process is alive, but was not yet in 1970."""
    dead, young, live = (tmp_path / f".a[1].txt.{number}" for number in (2**22 + 1, os.getppid(), os.getpid()))
    another = tmp_path / f".b.txt.{2**22 + 1}"
    for path in (dead, young, live, another):
        path.touch()
    os.utime(young, (1, 1))
    whole.write_whole(tmp_path / "a[1].txt", lambda temporary: temporary.write_text("whole"))
    assert sorted(tmp_path.iterdir()) == [another, tmp_path / "a[1].txt"]


def test_a_dead_process_that_nobody_has_waited_for_is_dead():
    with subprocess.Popen(["true"]) as process:
        while psutil.Process(process.pid).status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.01)
        assert not whole.alive(process.pid, time.time())
    assert whole.alive(os.getpid(), time.time())
