"""One run a workspace: a file that the run holds locked, and that says who it is."""

import fcntl
import json
import os
import shlex
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TextIO

from stages.contract.bad_input import BadInput


def claim(path: Path, wait: Callable[[str], object] | None = None) -> TextIO:
    """The open file whose lock says that this process runs the workspace; the kernel frees it however the process ends.

    BadInput: another process has it; with ``wait`` that is told who, and the lock awaited.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("a+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = _holder(file)
        if wait is None:
            file.close()
            raise BadInput(f"{holder} is running this workspace: wait for it to end (--wait), or stop it.") from error
        wait(f"waiting, as {holder} is running this workspace")
        fcntl.flock(file, fcntl.LOCK_EX)
    file.truncate(0)
    file.write(json.dumps({"process": os.getpid(), "since": _now(), "command": shlex.join(sys.argv)}))
    file.flush()
    return file


def _holder(file: TextIO) -> str:
    """Who holds the file: "process 12 (crossbias run, since 14:02:11 on 30 November)"; between its lock and its word, just a process."""
    file.seek(0)
    try:
        said = json.loads(file.read())
        return f"process {said['process']} ({said['command']}, since {said['since']})"
    except (ValueError, KeyError, TypeError):
        return "another process"


def _now() -> str:
    return datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")
