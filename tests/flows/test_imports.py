"""`crossbias data --import` fetches what publishers serve, keeps its address, and lets no other file than the known one stay.

The server is on loopback; the real addresses were never fetched by a test.
"""

import hashlib
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
import yaml
from dvc.repo import Repo

from flows import command, data
from tests.conftest import ROOT
from tests.flows.conftest import make

FILES = {"served/known.tsv": b"known\n", "served/changed.tsv": b"changed\n", "served/new.tsv": b"new\n"}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def published(tmp_path, monkeypatch):
    """A repository, and a table with a data set of which a loopback server has three files of five."""
    for file, content in FILES.items():
        (tmp_path / "publisher" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "publisher" / file).write_bytes(content)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path / "publisher"))
    thread = threading.Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    known = hashlib.sha256(b"known\n").hexdigest()
    source = data.Source(
        about="essays",
        where="the authors",
        folder="data/raw/essays",
        licence="none",
        cite="nobody",
        addresses={"served/": f"http://127.0.0.1:{server.server_port}/served/"},
        files={"served/known.tsv": known, "served/changed.tsv": known, "served/new.tsv": None, "served/gone.tsv": None, "asked.tsv": None},
    )
    monkeypatch.setattr(data, "sources", lambda: {"essays": source})
    folder = make(tmp_path / "repository")
    shutil.copy(ROOT / ".gitignore", folder / ".gitignore")
    monkeypatch.chdir(folder)
    yield folder
    server.shutdown()
    thread.join()
    server.server_close()


def test_files_arrive_with_their_address_and_any_other_file_goes(published, capfd):
    assert command.main(["data", "--import", "essays"]) == 1
    said = capfd.readouterr().out
    assert said.startswith("essays: 5 of 5 files are missing\n  > dvc import-url http://127.0.0.1:")
    assert "served/known.tsv data/raw/essays/served/known.tsv\n    there, checksum right\n" in said
    assert "removed, as it is not the known file (sha256 7f8b1dfc4..., known 7cd8a27a4..." in said
    assert "there; nobody has its checksum" in said
    assert "served/gone.tsv' does not exist" in said
    assert "by hand: data/raw/essays/asked.tsv\n  get it: the authors" in said
    served = published / "data" / "raw" / "essays" / "served"
    assert {path.name for path in served.iterdir()} == {"known.tsv", "known.tsv.dvc", "new.tsv", "new.tsv.dvc"}
    stage = yaml.safe_load((served / "known.tsv.dvc").read_text())
    assert stage["frozen"]
    assert stage["deps"][0]["path"].startswith("http://127.0.0.1")
    assert stage["outs"][0]["md5"] == hashlib.md5(b"known\n").hexdigest()  # noqa: S324 - DVC's own

    seen = subprocess.run(["git", "status", "--porcelain", "-uall", "data"], capture_output=True, text=True, check=True).stdout
    assert {line.split("/")[-1] for line in seen.splitlines()} == {"known.tsv.dvc", "new.tsv.dvc"}, "git sees the addresses, not the data"
    with Repo() as repo:
        assert {stage.relpath for stage in repo.index.stages if stage.is_import} == {
            f"data/raw/essays/served/{n}.tsv.dvc" for n in ("known", "new")
        }
    assert command.main(["data", "--import", "essays"]) == 1
    assert capfd.readouterr().out.startswith("essays: 3 of 5 files are missing\n")


def test_what_lies_there_is_left_alone(published, capfd):
    for file in data.sources()["essays"].files:
        path = published / "data" / "raw" / "essays" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("my own")
    assert command.main(["data", "--import", "essays"]) == 0
    assert capfd.readouterr().out == "essays: 0 of 5 files are missing\n"


def test_an_unknown_name_is_refused(published, capsys):
    assert command.main(["data", "--import", "esays"]) == 2
    assert capsys.readouterr().err == "data: 'esays' is no data set of sources.yaml; there are essays.\n"


def test_the_table_gives_only_secure_addresses_inside_its_folders():
    """Of files that we know: no name leaves its folder, no address leaves its publisher."""
    for name, source in data.sources().items():
        for start, base in source.addresses.items():
            assert base.startswith("https://"), name
            assert base.endswith("/"), name
            assert any(file.startswith(start) for file in source.files), name
        for file in source.files:
            assert not file.startswith("/"), name
            assert ".." not in file.split("/"), name
