"""The same flow on Dask's and Ray's workers, which share no folder: the lock of `dvc repro`, whatever dies, and no secret in any log."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psutil
import pytest
from prefect.settings import PREFECT_API_URL, temporary_settings

from flows import runners
from stages.contract.bad_input import BadInput
from tests.flows.conftest import make, replace, repro
from tests.flows.test_benchmark import RUN
from tests.flows.test_engine import files

# pygtrie, which DVC uses, warns of its own future.
pytestmark = pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning")
SECRET = "a-key-that-nobody-may-see"  # noqa: S105
PATIENCE = 120


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextlib.contextmanager
def process(folder: Path, *command: str | Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process with a folder of its own, all that it says going to the log in it; ended, with its children, when the block ends."""
    folder.mkdir(exist_ok=True)
    with (folder / "log").open("ab") as log:
        started = subprocess.Popen(
            [sys.executable, "-m", *command], cwd=folder, stdout=log, stderr=log, env=os.environ | environment, process_group=0
        )
        try:
            yield started
        finally:
            started.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                started.wait(20)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)
            started.wait()


def until(found: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not found():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.1)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A Prefect server, to which every process reports."""

    def answers() -> bool:
        with contextlib.suppress(httpx.HTTPError):
            return httpx.get(f"{url}/health").is_success
        return False

    port = str(free_port())
    url = f"http://127.0.0.1:{port}/api"
    app = ("uvicorn", "--factory", "prefect.server.api.server:create_app", "--port", port, "--log-level", "error")
    Path(os.environ["PREFECT_HOME"]).mkdir(exist_ok=True)
    with process(tmp_path / "server", *app, PREFECT_UI_ENABLED="0"):
        until(answers, "Prefect's server")
        monkeypatch.setenv("PREFECT_API_URL", url)
        yield


def hang_once(folder: Path, flag: Path) -> None:
    """Makes the first of the predictions hang in its worker, whose process number it writes into ``flag``/pid."""
    once = f"if mkdir {flag} 2>/dev/null; then echo $PPID > {flag}/new && mv {flag}/new {flag}/pid && sleep 600; fi; "
    replace("dvc.yaml", "- cat data/ingest", f"- {once}cat data/ingest")(folder)


def share(folder: Path, store: Path) -> None:
    """A shared folder as remote, and another remote whose key is in .dvc/config.local."""
    with (folder / ".dvc" / "config").open("a") as file:
        file.write(f"['remote \"store\"']\n    url = {store}\n")
    (folder / ".dvc" / "config.local").write_text(f"['remote \"other\"']\n    url = s3://other\n    secret_access_key = {SECRET}\n")


@pytest.mark.slow
def test_a_dask_worker_dies_and_the_lock_is_that_of_dvc_repro(server: None, tmp_path: Path) -> None:
    pytest.importorskip("prefect_dask", reason="the extra dask is not installed")
    ours, theirs, address, flag = make(tmp_path / "ours"), make(tmp_path / "theirs"), f"tcp://127.0.0.1:{free_port()}", tmp_path / "flag"
    hang_once(ours, flag)
    hang_once(theirs, flag)
    share(ours, tmp_path / "store")
    scheduler = ("distributed.cli.dask_scheduler", "--host", address, "--no-dashboard")
    worker = ("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
    with contextlib.ExitStack() as stack:
        stack.enter_context(process(tmp_path / "scheduler", *scheduler))
        for name in ("one", "two"):
            stack.enter_context(process(tmp_path / name, *worker, AWS_SECRET_ACCESS_KEY=SECRET))
        until(lambda: all(b"Registered" in (tmp_path / name / "log").read_bytes() for name in ("one", "two")), "two workers")
        run = subprocess.Popen(
            [sys.executable, "-c", RUN, "--workers", address, "--remote", "store"],
            cwd=ours,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        until((flag / "pid").exists, "a step that hangs")
        psutil.Process(int((flag / "pid").read_text())).kill()
        said, _ = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0, said.decode()
    assert repro(theirs) == 0
    assert files(ours) == files(theirs)
    (tmp_path / "said").write_bytes(said)
    places = [*tmp_path.rglob("*"), *Path(os.environ["PREFECT_HOME"]).rglob("*")]
    leaks = [path for path in places if path.is_file() and path.name != "config.local" and SECRET.encode() in path.read_bytes()]
    assert leaks == []


@pytest.mark.slow
def test_ray_ends_as_dvc_repro_does(server: None, tmp_path: Path, finished: Path) -> None:
    pytest.importorskip("prefect_ray", reason="the extra ray is not installed")
    folder, port, client = make(tmp_path / "repo"), str(free_port()), str(free_port())
    share(folder, tmp_path / "store")
    start = ("ray.scripts.scripts", "start", "--block", "--num-cpus", "1", "--object-store-memory", "100000000", "--disable-usage-stats")
    head = ("--head", "--port", port, "--ray-client-server-port", client, "--include-dashboard", "false")
    with contextlib.ExitStack() as stack:
        short = stack.enter_context(tempfile.TemporaryDirectory(prefix="ray"))  # the paths of its sockets may not be long
        for name, options in {
            "one": (*head, "--temp-dir", short),
            "two": ("--address", f"{socket.gethostbyname(socket.gethostname())}:{port}"),
        }.items():
            stack.enter_context(process(tmp_path / name, *start, *options, CROSSBIAS_WORKER=str(tmp_path / name)))
            until(lambda name=name: b"Ray runtime started" in (tmp_path / name / "log").read_bytes(), "Ray")
        subprocess.run(
            [sys.executable, "-c", RUN, "--workers", f"ray://127.0.0.1:{client}", "--remote", "store"],
            cwd=folder,
            check=True,
            timeout=PATIENCE,
        )
        assert list(tmp_path.glob("*/objects"))
    assert files(folder) == files(finished)


@pytest.mark.parametrize(
    ("api", "address", "words"),
    [
        (None, "tcp://127.0.0.1:1", "run `prefect server start` and set PREFECT_API_URL"),
        ("http://127.0.0.1:4200/api", "tcp://box.example:8786", "which to every other machine is itself"),
        ("http://localhost:4200/api", "ray://10.0.0.1:10001", "which to every other machine is itself"),
        ("http://127.0.0.1:1/api", "tcp://127.0.0.1:1", "where no Prefect server answers"),
        ("http://127.0.0.1:4200/api", "box:8786", "give the address of a Dask scheduler"),
    ],
)
def test_wrong_addresses_are_bad_input(api: str | None, address: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("prefect_dask", reason="the extra dask is not installed")
    monkeypatch.setattr(runners, "PATIENCE", 0.2)
    with temporary_settings({PREFECT_API_URL: api}), pytest.raises(BadInput, match=words):
        runners.runner(address)


def test_workers_that_are_not_there_are_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("prefect_dask", reason="the extra dask is not installed")
    monkeypatch.setattr(runners, "PATIENCE", 0.2)
    monkeypatch.setattr(httpx, "get", lambda *_, **__: None)
    with temporary_settings({PREFECT_API_URL: "http://127.0.0.1:1/api"}), pytest.raises(BadInput, match="nobody answers there"):
        runners.runner("tcp://127.0.0.1:1")
