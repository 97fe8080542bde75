"""A real file system loses its power after each of several steps: what is recorded is whole, and the next run ends as it should."""

import fcntl
import hashlib
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.engine import Engine
from tests.flows.conftest import make
from tests.flows.test_engine import files, run

# pygtrie, which DVC uses, warns of its own future.
pytestmark = pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning")

SHUT_DOWN, LOSE_ALL = 0x8004587D, struct.pack("I", 2)  # EXT4_IOC_SHUTDOWN without a last word to the journal


class Disk:
    """An ext4 file system in a file, mounted at ``folder``."""

    def __init__(self, image: Path, folder: Path) -> None:
        self.image, self.folder = image, folder
        folder.mkdir()
        with image.open("wb") as opened:
            opened.truncate(128 * 1024 * 1024)
        for command in (["mkfs.ext4", "-q", image], ["mount", "-o", "loop", image, folder]):
            if shutil.which(command[0]) is None or subprocess.run(command, check=False, capture_output=True).returncode:
                pytest.skip(f"{command[0]} of a file is not possible here")

    def cut(self) -> None:
        """The power goes and comes again: what had not reached the disk is lost."""
        opened = os.open(self.folder, os.O_RDONLY)
        fcntl.ioctl(opened, SHUT_DOWN, LOSE_ALL)
        os.close(opened)
        self.umount()
        subprocess.run(["mount", "-o", "loop", self.image, self.folder], check=True)

    def umount(self) -> None:
        subprocess.run(["umount", self.folder], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    found = Disk(tmp_path / "image", tmp_path / "disk")
    yield found
    found.umount()


@pytest.mark.slow
@pytest.mark.parametrize("steps", [1, 4, 10])
def test_after_a_power_cut_no_recorded_result_is_empty(steps: int, disk: Disk, finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DVC alone leaves empty objects in its cache here, and restores them as results."""
    ours = make(disk.folder / "ours")
    os.sync()
    with monkeypatch.context() as patch:
        patch.chdir(ours)
        with Engine() as engine:
            for step in engine.plan().steps[:steps]:
                assert engine.run(step, lambda line: None) == "ran"
    disk.cut()
    objects = [path for path in (ours / ".dvc/cache/files/md5").rglob("*") if path.is_file() and path.suffix != ".dir"]
    assert len(objects) >= steps - 1
    assert all(hashlib.md5(path.read_bytes()).hexdigest() == path.parent.name + path.name for path in objects)  # noqa: S324 (DVC's)
    assert list(run(ours).values()).count("ran") <= 10 - steps + 1
    assert files(ours) == files(finished)
