"""`make audit-dependencies` fails at a known vulnerability, and when nobody answers; asked of a data base on loopback."""

import json
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow  # makes an environment for pip-audit


class Known(BaseHTTPRequestHandler):
    """An OSV data base in which one version of one package, if any, is vulnerable."""

    vulnerable = ""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        package = {"name": asked["package"]["name"], "ecosystem": "PyPI"}
        affected = [{"package": package, "versions": [asked["version"]], "ranges": []}]
        found = [{"id": "OSV-1", "summary": "a planted one", "affected": affected}] if package["name"] == self.vulnerable else []
        body = json.dumps({"vulns": found} if found else {}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def known() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Known) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1/query"
        server.shutdown()
        thread.join()


def audit(url: str) -> subprocess.CompletedProcess[str]:
    options = f"AUDIT=--vulnerability-service osv --osv-url {url}"
    return subprocess.run(["make", "audit-dependencies", options], cwd=ROOT, capture_output=True, text=True, check=False)


def test_no_known_vulnerability_passes(known, monkeypatch):
    monkeypatch.setattr(Known, "vulnerable", "")
    assert audit(known).returncode == 0


def test_a_known_one_fails_and_is_named(known, monkeypatch):
    monkeypatch.setattr(Known, "vulnerable", "numpy")
    done = audit(known)
    assert done.returncode != 0
    assert "OSV-1" in done.stdout + done.stderr
    assert "numpy" in done.stdout + done.stderr


def test_nobody_who_answers_fails():
    assert audit("http://127.0.0.1:9/v1/query").returncode != 0
