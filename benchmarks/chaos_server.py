"""A Prefect server, a work pool, its worker and a deployment of the flow, all of one workspace and all to be killed."""

import contextlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from benchmarks.chaos_workspace import environment

QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
DEPLOY = """
from prefect import flow
found = flow.from_source(source=".", entrypoint="flows/benchmark.py:benchmark")
found.deploy("chaos", work_pool_name="chaos", build=False, push=False, print_next_steps=False)
"""


class Server:
    """What runs beside the workspace in ``folder``; ``settings`` lead a client there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.settings = {"PREFECT_API_URL": f"http://127.0.0.1:{self.port}/api"}
        Path(self._environment()["PREFECT_HOME"]).mkdir(parents=True, exist_ok=True)  # without it the server waits in vain
        self.server = self._serve()
        self._prefect("work-pool", "create", "chaos", "--type", "process")
        self._call(sys.executable, "-c", DEPLOY)
        self.worker = self._start("worker", "start", "--pool", "chaos", "--limit", "1")

    def run(self, jobs: int) -> None:
        """Let the worker start the deployed flow."""
        self._prefect("deployment", "run", "benchmark/chaos", "--param", f"jobs={jobs}")

    def restart(self) -> dict[str, str]:
        """Start the server again if it is dead; the settings that lead a client there."""
        if self.server.poll() is not None:
            self.server = self._serve()
        return self.settings

    def pids(self) -> set[int]:
        """The server and the worker; what the worker started is the run's."""
        return {self.server.pid, self.worker.pid}

    def stop(self) -> None:
        for process in (self.worker, self.server):
            process.kill()
            process.wait()

    def _serve(self) -> subprocess.Popen[bytes]:
        server = self._start("server", "start", "--host", "127.0.0.1", "--port", str(self.port), "--no-ui")
        ends = time.monotonic() + 120
        while time.monotonic() < ends and server.poll() is None:
            with contextlib.suppress(OSError, urllib.error.URLError), urllib.request.urlopen(f"{self.settings['PREFECT_API_URL']}/health"):  # noqa: S310
                return server
            time.sleep(0.5)
        raise RuntimeError("Prefect's server did not start within two minutes")

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-m", "prefect", *arguments], cwd=self.folder, env=self._environment(), **QUIET)

    def _prefect(self, *arguments: str) -> None:
        self._call(sys.executable, "-m", "prefect", "--no-prompt", *arguments)

    def _call(self, *command: str) -> None:
        done = subprocess.run(command, cwd=self.folder, env=self._environment(), capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command[2:])}: {done.stderr[-500:]}")

    def _environment(self) -> dict[str, str]:
        return environment(self.folder) | self.settings


@contextlib.contextmanager
def start(folder: Path) -> Iterator[Server]:
    """All of it running, and none of it afterwards."""
    server = Server(folder)
    try:
        yield server
    finally:
        server.stop()
