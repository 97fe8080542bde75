"""A cell that leaves the design takes its results out of the folders that stages read whole, so that another clone can have them."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from flows import run as command
from flows.engine import Engine
from flows.plan import Plan
from stages.contract.bad_input import BadInput
from tests.flows.conftest import make, replace, repro
from tests.flows.test_engine import files
from tests.flows.test_remote import clone, dvc, outcomes, results

# pygtrie, which DVC uses, warns of its own future.
pytestmark = pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning")

REMOVED = replace("params.yaml", "  plain: {base: *glove}\n", "")
BACK = replace("params.yaml", "  mended:", "  plain: {base: *glove}\n  mended:")
ORPHANS = ["data/predict/literacy_plain.txt", "data/predict/trust_plain.txt"]


@pytest.fixture
def removed(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A finished repository, with a DVC remote, whose design has lost a model."""
    folder = shutil.copytree(finished, tmp_path / "here")
    dvc(folder, "remote", "add", "--default", "store", str(tmp_path / "store"))
    REMOVED(folder)
    monkeypatch.chdir(folder)
    return folder


def planned(*targets: str, dry: bool = False) -> Plan:
    with Engine() as engine:
        return engine.plan(targets, dry=dry)


def test_another_clone_is_up_to_date_after_a_pull(removed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert outcomes(removed, monkeypatch) == {"ran"}
    assert "literacy_mended.txt trust_mended.txt" in (removed / "logs" / "evaluate.log").read_text()
    dvc(removed, "push", "--quiet")
    there = clone(removed, tmp_path / "there")
    dvc(there, "pull", "--quiet")
    assert dvc(there, "status").strip() == "Data and pipelines are up to date."
    assert outcomes(there, monkeypatch) == set()
    assert results(there) == {name: content for name, content in results(removed).items() if "debias/plain" not in name}
    monkeypatch.chdir(removed)
    BACK(removed)
    assert [step for step in planned().steps if step.name.startswith("predict")]
    assert outcomes(removed, monkeypatch) == {"restored"}, "DVC's cache has all of it"
    assert [name for name in ORPHANS if not Path(name).exists()] == []


def test_it_ends_as_dvc_repro_does_where_they_had_been_deleted(removed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = shutil.copytree(removed, tmp_path / "theirs")
    for name in ORPHANS:
        (theirs / name).unlink()
    assert repro(theirs) == 0
    outcomes(removed, monkeypatch)
    assert files(removed) == files(theirs)


def test_a_line_says_what_leaves_and_a_dry_run_takes_nothing(
    removed: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flows.check.validate", lambda path: None)  # it is not a design of ours
    before = files(removed)
    assert command.main(["--dry"]) == 0
    said = capsys.readouterr().out
    assert f"{', '.join(ORPHANS)} would leave the workspace, as no cell of the design makes that now; DVC's cache keeps it." in said
    assert files(removed) == before
    assert {step.name for step in planned(dry=True).steps} == {"evaluate", "report"}
    plan = planned()
    assert plan.farewell() == [f"{', '.join(ORPHANS)} left the workspace, as no cell of the design makes that now; DVC's cache keeps it."]
    assert planned().farewell() == []


def test_a_dry_run_tells_of_what_a_folder_without_them_makes_stale(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `dvc repro` leaves a workspace: dvc.lock names the folder with the orphans in it."""
    folder = shutil.copytree(finished, tmp_path / "here")
    monkeypatch.chdir(folder)
    REMOVED(folder)
    assert repro(folder) == 0
    assert {step.name: step.reason for step in planned(dry=True).steps} == {
        "evaluate": "data/predict will be changed",
        "report": "after evaluate",
    }
    assert {step.name: step.reason for step in planned().steps} == {"evaluate": "data/predict modified", "report": "after evaluate"}


def test_only_folders_that_the_chosen_steps_read_whole_are_cleared(removed: Path) -> None:
    assert planned("predict").left == []
    assert [name for name in ORPHANS if not Path(name).exists()] == []
    assert planned("evaluate").left == ORPHANS
    assert (removed / "data" / "debias" / "plain").is_dir(), "no stage reads data/debias whole"


OWN: dict[str, Callable[[Path], object]] = {
    "a file of one's own": lambda folder: (folder / "data" / "predict" / "notes.txt").write_text("mine\n"),
    "a result that was edited": replace(ORPHANS[1], "plain", "PLAIN"),
    "a result under another name": lambda folder: shutil.copy(folder / ORPHANS[1], folder / "data" / "predict" / "kept.txt"),
}


@pytest.mark.parametrize("put", OWN.values(), ids=OWN.keys())
@pytest.mark.parametrize("dry", [True, False])
def test_what_is_somebody_s_own_is_refused_and_nothing_is_removed(put: Callable[[Path], object], dry: bool, removed: Path) -> None:
    put(removed)
    before = files(removed)
    with pytest.raises(BadInput, match=r"^data/predict/\w+\.txt is not, or no longer, what a run made, .* move it out of data/predict"):
        planned(dry=dry)
    assert files(removed) == before
    assert planned("predict").left == [], "nothing reads the folder"


def test_what_git_knows_may_lie_there_as_other_clones_have_it(removed: Path) -> None:
    (removed / "data" / "predict" / "notes.txt").write_text("ours\n")
    subprocess.run(["git", "add", "--force", "data/predict/notes.txt"], check=True)
    assert planned().left == ORPHANS
    assert (removed / "data" / "predict" / "notes.txt").exists()


def test_what_the_cache_lacks_goes_there_first(removed: Path) -> None:
    entry = yaml.safe_load((removed / "dvc.lock").read_text())["stages"]["predict@trust-plain"]["outs"][0]["md5"]
    stored = removed / ".dvc" / "cache" / "files" / "md5" / entry[:2] / entry[2:]
    content = stored.read_bytes()
    stored.unlink()
    assert planned().left == ORPHANS
    assert stored.read_bytes() == content


def test_results_of_another_branch_go_too_as_the_cache_of_runs_knows_them(removed: Path) -> None:
    """Its dvc.lock never had them."""
    lock = yaml.safe_load((removed / "dvc.lock").read_text())
    lock["stages"] = {name: entry for name, entry in lock["stages"].items() if "plain" not in name}
    (removed / "dvc.lock").write_text(yaml.safe_dump(lock, sort_keys=False))
    assert planned().left == ORPHANS


def test_a_challenge_that_was_the_last_leaves_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No stage fills the folder any more, and a file in data/raw that a stage no longer makes has become somebody's own."""
    pipeline = """\
stages:
  fetch: {cmd: mkdir -p data/raw && echo a > data/raw/a.txt, outs: [data/raw/a.txt]}
  challenge:
    foreach: ${challenges}
    do:
      cmd: mkdir -p data/challenge/${key} && echo ${key} > data/challenge/${key}/x.txt
      params: ["challenges.${key}"]
      outs: ["data/challenge/${key}"]
  respond: {cmd: ls data/challenge > data/respond.txt, deps: [data/challenge, data/raw], outs: [data/respond.txt]}
"""
    folder = make(tmp_path / "here", pipeline, "challenges: {one: 1}\n")
    assert repro(folder) == 0
    replace("params.yaml", "{one: 1}", "{}")(folder)
    replace("dvc.yaml", pipeline.splitlines()[1] + "\n", "")(folder)
    monkeypatch.chdir(folder)
    assert planned().left == ["data/challenge/one"]
    assert (folder / "data" / "raw" / "a.txt").exists()
    assert list((folder / "data" / "challenge").iterdir()) == []


def test_while_another_dvc_process_reads_them_they_stay(removed: Path) -> None:
    """`dvc repro` gives DVC's lock up while a command runs, and holds what the command reads."""
    replace("dvc.yaml", "echo evaluate of", "touch started && sleep 60 && echo evaluate of")(removed)
    other = subprocess.Popen([sys.executable, "-m", "dvc", "repro", "--quiet", "evaluate"], start_new_session=True)
    try:
        while not Path("started").exists():
            assert other.poll() is None
        with pytest.raises(BadInput, match=r"is busy, it is being blocked by: .*repro"):
            planned()
        assert [name for name in ORPHANS if not Path(name).exists()] == []
    finally:
        os.killpg(other.pid, signal.SIGKILL)
        other.wait()
