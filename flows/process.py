"""A stage's command as a process: its output is heard line by line, and it ends when this process does, or its time is over."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from dvc.stage import Stage
from dvc.stage.run import _enforce_cmd_list, _make_cmd, get_executable, prepare_kwargs

from stages.contract.exit_codes import OUT_OF_MEMORY, TEMPORARY

Tell = Callable[[str], object]
TAIL = 30  # lines of a failed stage's output that are worth repeating
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)
WORTH_ANOTHER_TRY = {TEMPORARY: "temporary", OUT_OF_MEMORY: "memory"}
OOM_COUNTS = (Path("/proc/vmstat"), Path("/sys/fs/cgroup/memory.events"))
LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class StageFailed(Exception):
    """A stage's command failed (``code`` is its exit code, ``lines`` its last words), or DVC refused what it made (no code).

    ``why``, where another try may help: "temporary" (a download that failed), "memory" (it was too small).
    """

    def __init__(self, message: str, code: int | None = None, lines: Collection[str] = (), why: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.lines = list(lines)
        self.why = why


class Processes:
    """The commands that a run has started and that have not ended, so that all can be stopped at once, for good."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._live: set[subprocess.Popen[str]] = set()
        self._stopped = False

    def stop(self) -> None:
        """End all of them, and let none start any more."""
        with self._lock:
            self._stopped = True
            live = list(self._live)
        for process in live:
            _signal(process, signal.SIGTERM)  # to all, before waiting for any
        for process in live:
            _end(process)

    @contextlib.contextmanager
    def start(self, command: list[str], options: dict[str, Any]) -> Iterator[subprocess.Popen[str]]:
        """A command that runs; it and its children have ended when the block ends."""
        with self._lock:
            if self._stopped:
                raise StageFailed("the run was stopped")
            process = subprocess.Popen(command, **options)
            self._live.add(process)
        try:
            with process:
                try:
                    yield process
                finally:
                    _end(process)
        finally:
            with self._lock:
                self._live.discard(process)


def execute(
    stage: Stage, tell: Tell, environment: Mapping[str, str], timeout: float | None = None, processes: Processes | None = None
) -> None:
    """Run a stage's command as DVC would, with ``environment`` beside this process's own: see ``carry_out``."""
    options = prepare_kwargs(stage, run_env=here() | dict(environment))
    log = log_of(stage.addressing)
    try:
        carry_out(stage.addressing, _enforce_cmd_list(stage.cmd), log, tell, options, timeout, processes)
    except OSError as error:
        raise StageFailed(f"{stage.addressing} was ended, as it cannot be run with its output in {log}: {error}") from error


def here() -> dict[str, str]:
    """Variables with which a command finds this Python and says at once what it prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return {"PATH": path, "PYTHONUNBUFFERED": "1"}


def log_of(name: str) -> Path:
    """Where all that a step's command prints is kept."""
    return Path("logs", name.replace("/", "_") + ".log")


def carry_out(
    name: str,
    commands: list[str],
    path: Path,
    tell: Tell,
    options: dict[str, Any],
    timeout: float | None = None,
    processes: Processes | None = None,
) -> None:
    """Run shell commands, their output going to ``path`` and to ``tell``; StageFailed at the first exit code but 0.

    ``options`` are those of subprocess.Popen. After ``timeout`` [s], for all commands together, they are ended, and have failed.
    """
    path.parent.mkdir(exist_ok=True)
    tail: deque[str] = deque(maxlen=TAIL)
    deadline = None if timeout is None else time.monotonic() + timeout
    with path.open("w", encoding="utf-8") as log:

        def hear(line: str) -> None:
            log.write(line)
            tail.append(line.rstrip("\n"))
            with contextlib.suppress(SystemExit, OSError):  # a closed console (rich exits then) is no reason to stop training
                tell(tail[-1])

        for command in commands:
            before = oom_kills()
            code, late = _stream(_make_cmd(get_executable(), command), hear, options, deadline, processes or Processes())
            killed = code in KILLED and oom_kills() > before
            if code or late:
                how = f"was ended after its time-out of {timeout:g} s" if late else f"ended with exit code {code}"
                how = "was killed, as memory ran out" if killed else how
                why = "memory" if killed else "" if late else WORTH_ANOTHER_TRY.get(code, "")
                last = f": {tail[-1]}" if tail else ""
                raise StageFailed(f"{name} {how}{last} (all its output: {log_of(name)})", code, tail, why)


def _stream(command: list[str], hear: Tell, options: dict[str, Any], deadline: float | None, processes: Processes) -> tuple[int, bool]:
    """The exit code of a command whose lines go to ``hear``, and whether it was ended at ``deadline``, a time of time.monotonic()."""
    late = threading.Event()
    with processes.start(command, OPTIONS | options) as process:

        def expire() -> None:
            late.set()
            _end(process)

        timer = None if deadline is None else threading.Timer(max(deadline - time.monotonic(), 0), expire)
        if timer:
            timer.start()
        threading.Thread(target=_end_rest, args=(process,), daemon=True).start()
        try:
            for line in process.stdout or ():
                hear(line)
            return process.wait(), late.is_set()
        finally:
            if timer:
                timer.cancel()


def _end_rest(process: subprocess.Popen[str]) -> None:
    """A command that was killed may leave children that hold its output open, so that its end would never be heard."""
    process.wait()
    _signal(process, signal.SIGKILL)


def oom_kills() -> int:
    """How many processes the kernel has killed for want of memory, on this machine and in this control group; 0 where it does not tell."""
    found = 0
    for path in OOM_COUNTS:
        with contextlib.suppress(OSError):
            found += sum(int(line.split()[1]) for line in path.read_text().splitlines() if line.startswith("oom_kill "))
    return found


def die_with_parent() -> None:
    """To be called in a new process: the kernel kills it when the thread that made it ends. Linux only."""
    if LIBC is not None:
        LIBC.prctl(DIE_WITH_PARENT, signal.SIGKILL)


OPTIONS: dict[str, Any] = {
    "stdin": subprocess.DEVNULL,
    "stdout": subprocess.PIPE,
    "stderr": subprocess.STDOUT,
    "encoding": "utf-8",
    "errors": "replace",
    "process_group": 0,
    "preexec_fn": die_with_parent,  # one system call, which takes no lock
}


def _end(process: subprocess.Popen[str]) -> None:
    """End a command and its children, gently at first."""
    if process.poll() is None:
        _signal(process, signal.SIGTERM)
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            _signal(process, signal.SIGKILL)


def _signal(process: subprocess.Popen[str], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
