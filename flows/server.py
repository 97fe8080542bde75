"""Prefect's server for one run, where there is no other: started while the plan is made, and gone with this process.

Prefect would start the same server by itself, but later, and import all of it into this process first: 2.4 s of 8.5.
"""

import atexit
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from flows.process import die_with_parent
from stages.contract.bad_input import BadInput

PATIENCE = 120.0  # seconds
LOG = "crossbias_server.log"  # in Prefect's home
SETTINGS = {"PREFECT_SERVER_UI_ENABLED": "false", "PREFECT__SERVER_EPHEMERAL": "1", "PREFECT__SERVER_FINAL": "1"}
APPLICATION = ["--factory", "prefect.server.api.server:create_app", "--log-level", "critical", "--lifespan", "on"]


class Server:
    """``start`` it early; it is needed, and ``ready``, later. Where settings name another server, it is none."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._log = Path(LOG)

    def start(self) -> None:
        home = Path(os.environ.get("PREFECT_HOME", "~/.prefect")).expanduser()
        home.mkdir(parents=True, exist_ok=True)  # without it the server waits in vain
        if self._process or _named_elsewhere(home):
            return
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        command = [sys.executable, "-m", "uvicorn", *APPLICATION, "--host", "127.0.0.1", "--port", port]
        self._log = home / LOG
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                env=os.environ | SETTINGS,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                process_group=0,
                preexec_fn=die_with_parent,  # noqa: PLW1509
            )
        atexit.register(self.stop)  # after Prefect has sent its last words, which it does then too
        os.environ["PREFECT_API_URL"] = f"http://127.0.0.1:{port}/api"  # before Prefect is imported

    def ready(self) -> None:
        """Wait until it answers; BadInput where it does not."""
        deadline = time.monotonic() + PATIENCE
        while self._process:
            try:
                with urlopen(f"{os.environ['PREFECT_API_URL']}/health", timeout=PATIENCE):  # noqa: S310 (http)
                    return
            except (URLError, OSError) as error:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise BadInput(f"Prefect's server does not start, for want of room on the disk or what {self._log} says.") from error
                time.sleep(0.1)

    def leave_if_dead(self) -> None:
        """End this process at once, with exit code 1, where the server has died: Prefect would wait for it for ever at the end."""
        if self._process and self._process.poll() is not None:
            print("Prefect's server has died; finished stages are kept, and the next run goes on from there", file=sys.stderr, flush=True)
            sys.stdout.flush()
            os._exit(1)

    def stop(self) -> None:
        if self._process:
            self._process.terminate()
            try:
                self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None


def _named_elsewhere(home: Path) -> bool:
    """Whether Prefect's settings name a server, be it here or in the profile."""
    files = (home / "profiles.toml", Path("prefect.toml"), Path(".env"))
    texts = [file.read_text(encoding="utf-8", errors="replace").lower() for file in files if file.is_file()]
    return "PREFECT_API_URL" in os.environ or any("api_url" in text or "[api]" in text for text in texts)
