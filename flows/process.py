"""A stage's command as a process: its output is heard line by line, and it ends when this process does."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from dvc.stage import Stage
from dvc.stage.run import _enforce_cmd_list, _make_cmd, get_executable, prepare_kwargs

Tell = Callable[[str], object]
TAIL = 30  # lines of a failed stage's output that are worth repeating
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class StageFailed(Exception):
    """A stage's command failed (``code`` is its exit code, ``lines`` its last words), or DVC refused what it made (no code)."""

    def __init__(self, message: str, code: int | None = None, lines: Collection[str] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.lines = list(lines)


def execute(stage: Stage, tell: Tell, device: str | None) -> None:
    """Run a stage's command as DVC would, its output going to logs/ and to ``tell``; StageFailed at the first exit code but 0."""
    folder = Path(sys.executable).parent
    environment = {"PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', os.defpath)}", "PYTHONUNBUFFERED": "1"}
    if device is not None:
        environment["CUDA_VISIBLE_DEVICES"] = device
    options = prepare_kwargs(stage, run_env=environment)
    path = Path("logs", stage.addressing.replace("/", "_") + ".log")
    path.parent.mkdir(exist_ok=True)
    tail: deque[str] = deque(maxlen=TAIL)
    with path.open("w", encoding="utf-8") as log:

        def hear(line: str) -> None:
            log.write(line)
            tail.append(line.rstrip("\n"))
            with contextlib.suppress(SystemExit, OSError):  # a closed console (rich exits then) is no reason to stop training
                tell(tail[-1])

        for command in _enforce_cmd_list(stage.cmd):
            if code := _stream(_make_cmd(get_executable(), command), hear, options):
                last = f": {tail[-1]}" if tail else ""
                raise StageFailed(f"{stage.addressing} ended with exit code {code}{last} (all its output: {path})", code, tail)


def _stream(command: list[str], hear: Tell, options: dict[str, Any]) -> int:
    """The exit code of a command whose lines go to ``hear``; it and its children end if this process is stopped or dies."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        process_group=0,
        preexec_fn=_die_with_parent,  # noqa: PLW1509 (one system call, which takes no lock)
        **options,
    ) as process:
        try:
            for line in process.stdout or ():
                hear(line)
            return process.wait()
        finally:
            if process.poll() is None:
                _end(process)


def _die_with_parent() -> None:
    if LIBC is not None:
        LIBC.prctl(DIE_WITH_PARENT, signal.SIGKILL)


def _end(process: subprocess.Popen[str]) -> None:
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
