"""What makes a run survive a kill or a power cut: results reach the disk before it records them; what a killed run left goes."""

import ctypes
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from dvc.lock import make_lock
from dvc.repo import Repo
from dvc.rwlock import RWLOCK_FILE, RWLOCK_LOCK

from stages.contract.whole import alive, litter

LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def to_disk(*folders: str) -> None:
    """Wait until all that was written to the file systems of ``folders`` is on their disks; OSError where that fails.

    DVC names an object in its cache before its bytes are on the disk, and never looks at them again: after a power cut the object
    may be empty, and a later run would restore the empty file as a result. So this comes before anything refers to the object.
    """
    for folder in filter(os.path.isdir, folders):  # DVC's cache is not there before its first object
        if LIBC is None:
            os.sync()
            continue
        opened = os.open(folder, os.O_RDONLY)
        try:
            if LIBC.syncfs(opened):
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), folder)
        finally:
            os.close(opened)


def clear(repo: Repo) -> None:
    """Remove temporary files of killed processes below data/, DVC's among them, and locks of processes that live no more.

    The caller holds DVC's lock, so that no DVC process is just writing. People's own files in data/raw are left alone.
    """
    root = Path(repo.root_dir)
    for path in [*_temporary(root), *root.glob(".dvc.lock.*")]:
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    for empty in [folder for folder in root.glob(".dvc/cache/runs/*/*") if not any(folder.iterdir())]:
        empty.rmdir()  # DVC fails at a folder of its run-cache in which nothing lies
    links = repo.config["core"].get("hardlink_lock", False)
    with make_lock(str(Path(repo.tmp_dir, RWLOCK_LOCK)), tmp_dir=repo.tmp_dir, hardlink_lock=links):
        lock = Path(repo.tmp_dir, RWLOCK_FILE)
        if lock.is_file() and not _held(lock):
            lock.unlink()


def _temporary(root: Path) -> Iterator[Path]:
    """What killed processes were writing: DVC's .NAME.tmp in data/ and in a cache of this workspace alone, and ours in data/."""
    for top in ("data", ".dvc/cache"):
        for folder, folders, files in os.walk(root / top):
            if Path(folder) == root / "data":
                folders[:] = [name for name in folders if name != "raw"]
            hidden = [Path(folder, name) for name in [*folders, *files] if name.startswith(".")]
            yield from (path for path in hidden if path.suffix == ".tmp" or litter(path))


def _held(lock: Path) -> bool:
    """Whether any process that DVC's file of locks names is alive; a younger one with the same number does not count.

    DVC writes the file in place, so that a kill can leave half of it, at which every later command of DVC would stop.
    """
    try:
        content = json.loads(lock.read_text(encoding="utf-8"))
        holders = [*content["write"].values(), *(info for infos in content["read"].values() for info in infos)]
        numbers = {info["pid"] for info in holders}
    except (ValueError, KeyError, TypeError, AttributeError):
        return False
    return any(alive(number, lock.stat().st_mtime) for number in numbers)
