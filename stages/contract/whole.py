"""Files that are whole or not there: written beside their place, put on the disk, and renamed; what killed processes left goes."""

import glob
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import psutil

CLOCKS = 2.0  # seconds that the clocks of processes and of files may differ


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let ``write`` fill a temporary file beside ``path``, then rename it: a reader sees the old bytes or all the new ones.

    They are on the disk before they get the name, so that a power cut leaves no name of an empty or half file either.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    clear_litter(path)
    temporary = beside(path)
    try:
        write(temporary)
        temporary.chmod(0o644)
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def beside(path: Path) -> Path:
    """Where this process writes what shall become ``path``: hidden, which .dvcignore keeps from DVC, and named after the process."""
    return path.with_name(f".{path.name}.{os.getpid()}")


def clear_litter(path: Path) -> None:
    """Remove what processes that were killed left beside ``path`` when they wrote it; a live process keeps its own."""
    for other in path.parent.glob(f".{glob.escape(path.name)}.*"):
        if other == beside(path) or litter(other):
            shutil.rmtree(other) if other.is_dir() else other.unlink(missing_ok=True)


def litter(path: Path) -> bool:
    """Whether ``path`` is a temporary file or folder (``beside``) of a process that lives no more."""
    number = path.suffix[1:]
    try:
        return path.name.startswith(".") and number.isdecimal() and not alive(int(number), path.stat().st_mtime)
    except FileNotFoundError:  # its process has just renamed it
        return False


def alive(process: int, moment: float) -> bool:
    """Whether the process that had this number at a moment [s since 1970] lives still; a younger one is another: numbers come again."""
    try:
        found = psutil.Process(process)
        return found.status() != psutil.STATUS_ZOMBIE and found.create_time() <= moment + CLOCKS
    except psutil.Error:
        return False
