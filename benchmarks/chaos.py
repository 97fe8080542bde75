"""``python -m benchmarks.chaos``: kill -9 at random moments. What is lost, and does the next run end with the undisturbed bytes?"""

import argparse
import contextlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import psutil

from benchmarks import chaos_server
from benchmarks.chaos_server import QUIET
from benchmarks.chaos_workspace import at_work, commands, environment, finished, litter, make, processes, results

VICTIMS = ("stage", "flow", "temporary server", "worker", "server")
PATIENCE = 1800.0  # seconds


@dataclass(frozen=True)
class Undisturbed:
    """A run that nothing was done to: seconds, how many stages it ran, and ``chaos_workspace.results``."""

    seconds: float
    stages: int
    results: dict[str, str]


@dataclass(frozen=True)
class Row:
    """One kill: seconds into the run; the victim; stages done when all had come to rest; seconds of work lost; what ran again."""

    moment: str
    victim: str
    done: int
    lost: str
    ran_again: str
    recovery: str
    equal_bytes: str
    litter: str

    @property
    def fine(self) -> bool:
        again, _, unfinished, *_ = self.ran_again.split()
        return self.equal_bytes == "yes" and self.litter == "none" and again == unfinished


def main() -> int:
    """Print a table of kills; exit code 1 if any left other bytes, litter, or a finished stage to be run again."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos", description=__doc__)
    parser.add_argument("--moments", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--design", choices=("small", "quickstart"), default="small")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--victims", nargs="+", choices=VICTIMS, default=VICTIMS)
    options = parser.parse_args()
    draw = random.Random(options.seed)  # noqa: S311 (no secret)
    with tempfile.TemporaryDirectory(prefix="chaos") as top:
        clean, folder = make(Path(top, "clean"), options.design), Path(top, "work")
        with _copy(clean, folder):
            started = time.time()
            subprocess.run(_command(options.jobs), cwd=folder, env=environment(folder), check=True, **QUIET)
            whole = Undisturbed(time.time() - started, commands(folder, started), results(folder))
            left = ", ".join(litter(folder)) or "none"
            print(f"undisturbed: {whole.stages} stages in {whole.seconds:.0f} s; litter: {left}\n", flush=True)
        print(_line([field.name.replace("_", " ") for field in fields(Row)]), _line(["---"] * len(fields(Row))), sep="\n", flush=True)
        rows = []
        for number in range(options.moments):
            victim, moment = options.victims[number % len(options.victims)], draw.uniform(0, whole.stages)
            with _copy(clean, folder):
                rows.append(_kill(folder, victim, moment, options.jobs, draw, whole))
            print(_line(astuple(rows[-1])), flush=True)
    bad = sum(not row.fine for row in rows)
    print(f"\n{len(rows)} kills (seed {options.seed}), {bad} of them with other bytes, litter or a finished stage run again.")
    return int(bad > 0)


def _kill(folder: Path, victim: str, moment: float, jobs: int, draw: random.Random, whole: Undisturbed) -> Row:
    """Start a run, kill the victim, let the rest come to rest, run again and compare.

    ``moment`` is told by what was done, as seconds would differ on a busier machine: so many stages have started, and its fraction of the
    time to the next has passed.
    """
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(chaos_server.start(folder)) if victim in ("worker", "server") else None
        started = time.time()
        if server is None:
            flow = stack.enter_context(subprocess.Popen(_command(jobs), cwd=folder, env=environment(folder), **QUIET))
        else:
            server.run(jobs)
        while commands(folder, started) < int(moment) and time.time() < started + PATIENCE:
            time.sleep(0.1)
        time.sleep(moment % 1 * whole.seconds / whole.stages)
        own = server.pids() if server else set()
        while not (targets := _targets(folder, victim, server, None if server else flow.pid)) and _alive(folder) - own:
            time.sleep(0.1)  # between two stages
        target, killed = draw.choice(targets) if targets else None, time.time()
        ending = {"flow": at_work(folder), "stage": [target]}.get(victim, []) if target else []
        lost = sum(killed - process.create_time() for process in ending if "-m" in process.cmdline())
        if target is not None:
            target.kill()
        _rest(folder, server)
        done = finished(folder)
        settings = server.restart() if server else {}
        again = time.time()
        run = subprocess.run(
            _command(jobs),
            cwd=folder,
            env=environment(folder) | settings,
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        recovery = time.time() - again
    found = results(folder)
    other = sorted(name for name in whole.results.keys() | found.keys() if whole.results.get(name) != found.get(name))
    equal = f"NO: {', '.join(other[:3])}" if other else "yes"
    return Row(
        f"{killed - started:.1f} s" if target else "none there",
        victim,
        done,
        f"{lost:.1f} s",
        f"{commands(folder, again)} of {whole.stages - done} unfinished",
        f"{recovery:.1f} s",
        equal if run.returncode == 0 else f"{equal}, exit code {run.returncode}: {run.stderr.strip().rpartition(chr(10))[2]}",
        ", ".join(litter(folder)) or "none",
    )


def _targets(folder: Path, victim: str, server: chaos_server.Server | None, flow: int | None) -> list[psutil.Process]:
    """The processes that are such a victim at this moment."""
    if victim == "stage":
        return at_work(folder)
    if victim == "temporary server":
        return [process for process in processes(folder) if "uvicorn" in " ".join(process.cmdline())]
    number = {"flow": flow, "worker": server and server.worker.pid, "server": server and server.server.pid}[victim]
    return [psutil.Process(number)] if number is not None and psutil.pid_exists(number) else []


def _rest(folder: Path, server: chaos_server.Server | None) -> None:
    """Wait until nothing of the run is alive."""
    ends = time.monotonic() + PATIENCE
    while _alive(folder) - (server.pids() if server else set()):
        if time.monotonic() > ends:
            raise TimeoutError(f"{[process.cmdline() for process in processes(folder)]} did not end in half an hour")
        time.sleep(0.2)


def _alive(folder: Path) -> set[int]:
    return {process.pid for process in processes(folder)}


@contextlib.contextmanager
def _copy(clean: Path, folder: Path) -> Iterator[None]:
    """A fresh copy of the workspace, with state of its own beside it; both go afterwards."""
    shutil.copytree(clean, folder, symlinks=True)
    try:
        yield
    finally:
        for process in processes(folder):
            process.kill()
        shutil.rmtree(folder)
        shutil.rmtree(folder.with_name("state"), ignore_errors=True)


def _command(jobs: int) -> list[str]:
    return [sys.executable, "-m", "flows.command", "run", "--jobs", str(jobs)]


def _line(cells: list[object] | tuple[object, ...]) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


if __name__ == "__main__":
    sys.exit(main())
