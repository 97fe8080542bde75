"""A headless Chromium that tests ask and type into by its debugging protocol: no driver, no network."""

import itertools
import json
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
QUIET += ("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--remote-debugging-port=0")
PATIENCE = 60.0  # seconds


class Browser:
    """One tab. ``problems`` gathers what its console says, and ``requests`` what it asks for."""

    def __init__(self, program: str, folder: Path) -> None:
        self.process = subprocess.Popen(
            [program, *QUIET, f"--user-data-dir={folder}", "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            self.socket = connect(self._tab(folder / "DevToolsActivePort"), max_size=None, proxy=None)
        except BaseException:
            self._end()
            raise
        self.numbers = itertools.count(1)
        self.problems: list[str] = []
        self.requests: list[str] = []
        for domain in ("Runtime", "Log", "Network", "Page"):
            self.ask(f"{domain}.enable")
        self.ask("Emulation.setFocusEmulationEnabled", enabled=True)

    def _tab(self, file: Path) -> str:
        """The address of the tab's socket, once the browser listens."""
        until = time.monotonic() + PATIENCE
        while not (file.is_file() and len(file.read_text(encoding="utf-8").splitlines()) == 2):
            if self.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"the browser does not start (exit code {self.process.poll()})")
            time.sleep(0.05)
        port = file.read_text(encoding="utf-8").splitlines()[0]
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
            f"http://127.0.0.1:{port}/json/list", timeout=PATIENCE
        ) as answer:
            tabs = json.load(answer)
        return next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to a command; what happens meanwhile is noted."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv(timeout=PATIENCE))
            if message.get("id") == number:
                assert "error" not in message, message
                return message["result"]
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        happened, params = message.get("method"), message.get("params", {})
        if happened in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.problems.append(json.dumps(params)[:500])
        if happened == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def open(self, page: Path) -> None:
        """The page, once it is loaded and its scripts have run."""
        self.ask("Page.navigate", url=page.as_uri())
        until = time.monotonic() + PATIENCE
        while self.get("document.readyState + location.protocol") != "completefile:":
            assert time.monotonic() < until, "the page does not load"
            time.sleep(0.02)

    def get(self, expression: str) -> Any:
        """What an expression comes to in the page."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """A key, as a person presses it."""
        for what in ("rawKeyDown", "keyUp"):
            self.ask(
                "Input.dispatchKeyEvent",
                type=what,
                key=key,
                code=key,
                windowsVirtualKeyCode={"Tab": 9, "ArrowDown": 40, "ArrowUp": 38}[key],
            )

    def close(self) -> None:
        self.socket.close()
        self._end()

    def _end(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=PATIENCE)
