"""Another attempt of a step really runs its command, and dvc.lock and the cache of runs say what made the outputs that they name."""

import itertools
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from flows import estimates, process, schedule
from flows.engine import Engine
from flows.machines import Machines
from flows.plan import Step
from flows.process import StageFailed
from flows.schedule import Outcome, Queue, Schedule, Silent
from flows.slots import Slots
from flows.worker import perform
from tests.conftest import ROOT
from tests.flows.conftest import make, replace, repro
from tests.flows.test_engine import files
from tests.flows.test_machines import configure
from tests.test_docs import blocks

# pygtrie, which DVC uses, warns of its own future.
pytestmark = pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning")

Start = Callable[[Engine, Path], Callable[[Step, str | None], str]]
# Fails at its first attempt of a seed, as told, if there is a file "failing"; what it makes comes from the seed alone.
STAGE = """\
import os, pathlib, signal, sys, yaml
seed = yaml.safe_load(open("params.yaml"))["seed"]
tried = pathlib.Path(sys.argv[1])
tried.open("a").write(f"{seed}\\n")
os.makedirs("data/folder", exist_ok=True)
open("data/a.txt", "w").write(f"{seed}\\n")
if (tried.parent / "failing").exists() and tried.read_text().split().count(str(seed)) == 1:
    HOW
open("data/folder/b.txt", "w").write(f"{seed}\\n")
"""
WAYS = {
    "a download failed": "sys.exit(75)",
    "memory was too small": "sys.exit(71)",
    "the kernel killed it": "os.kill(os.getpid(), signal.SIGKILL)",
    "a worker of its process pool was killed": """
    from concurrent.futures import ProcessPoolExecutor
    from stages.contract.exit_codes import exit_code
    try:
        ProcessPoolExecutor(1).submit(os._exit, 9).result()
    except Exception as error:
        sys.exit(exit_code(error))""",
}


def here(engine: Engine, _: Path) -> Callable[[Step, str | None], str]:
    return lambda step, device: engine.run(step, lambda line: None, device)


def on_workers(engine: Engine, folder: Path) -> Callable[[Step, str | None], str]:
    workers = itertools.cycle([folder / "one", folder / "two"])
    machines = Machines(engine, "store", lambda _, order: perform(order, lambda line: None, next(workers)))
    return lambda step, _: machines.run(step)


def stage(folder: Path, how: str) -> Path:
    """A repository whose one step has run with seed 1 and is to run with seed 2, and then fails at first."""
    pipeline = f"""\
stages:
  only:
    cmd: python stage.py {folder}/tried
    deps: [stage.py]
    params: [seed]
    outs: [data/a.txt, data/folder]
"""
    repository = make(folder / "repo", pipeline, "seed: 1\n")
    configure(repository, url=str(folder / "store"))
    (repository / "stage.py").write_text(STAGE.replace("HOW", how))
    assert repro(repository) == 0
    (folder / "failing").touch()
    replace("params.yaml", "seed: 1", "seed: 2")(repository)
    return repository


def tried(folder: Path) -> list[str]:
    return (folder / "tried").read_text().split()


def run(start: Start, folder: Path) -> list[Outcome]:
    with Engine() as engine, ThreadPoolExecutor(2) as pool:
        steps, go = engine.plan().steps, start(engine, folder)

        def submit(step: Step, device: str | None) -> "Future[str]":
            return pool.submit(go, step, device)

        return Schedule(Queue(steps, estimates.longest(steps, {})), Slots(2), submit, Silent()).run(engine.processes.stop)


@pytest.mark.parametrize("start", [here, on_workers], ids=["here", "on workers"])
@pytest.mark.parametrize("how", WAYS.values(), ids=WAYS.keys())
def test_a_second_attempt_of_a_step_with_an_older_result_runs_its_command(
    how: str, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kills = itertools.count()
    monkeypatch.setattr(process, "oom_kills", lambda: next(kills))  # the kernel tells of one more each time
    monkeypatch.setattr(schedule, "PAUSES", {"temporary": (0.0,), "memory": (0.0,)})
    folder = stage(tmp_path, how)
    monkeypatch.chdir(folder)
    (outcome,) = run(start, tmp_path)
    assert (outcome.state, outcome.step.attempt) == ("ran", 2)
    assert tried(tmp_path) == ["1", "2", "2"]
    assert (folder / "data" / "folder" / "b.txt").read_text() == "2\n"
    assert recorded(folder) == {1: "1\n", 2: "2\n"}
    ours = files(folder)
    assert repro(folder) == 0
    assert files(folder) == ours, "dvc repro finds nothing to do"
    replace("params.yaml", "seed: 2", "seed: 1")(folder)
    (outcome,) = run(start, tmp_path)
    assert outcome.state == "restored"
    assert (folder / "data" / "folder" / "b.txt").read_text() == "1\n"


def recorded(folder: Path) -> dict[int, str]:
    """What the cache of runs and dvc.lock, which agree, say that each seed gave: the content of a.txt by seed."""
    entries = [yaml.safe_load(path.read_text()) for path in folder.glob(".dvc/cache/runs/*/*/*")]
    entries.append(yaml.safe_load((folder / "dvc.lock").read_text())["stages"]["only"])
    found: dict[int, set[str]] = {}
    for entry in entries:
        md5 = next(out["md5"] for out in entry["outs"] if out["path"] == "data/a.txt")
        content = (folder / ".dvc/cache/files/md5" / md5[:2] / md5[2:]).read_text()
        found.setdefault(entry["params"]["params.yaml"]["seed"], set()).add(content)
    assert {len(contents) for contents in found.values()} == {1}
    return {seed: contents.pop() for seed, contents in found.items()}


def test_a_failed_step_may_be_started_again_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever does it, Prefect for instance: a step holds nothing of an attempt."""
    folder = stage(tmp_path, "sys.exit(1)")
    monkeypatch.chdir(folder)
    with Engine() as engine:
        (step,) = engine.plan().steps
        with pytest.raises(StageFailed):
            engine.run(step, lambda line: None)
        assert engine.run(step, lambda line: None) == "ran"
    assert recorded(folder) == {1: "1\n", 2: "2\n"}


@pytest.mark.parametrize(("name", "old", "new"), [("params.yaml", "seed: 2", "seed: 3"), ("stage.py", "import os", "import os ")])
def test_what_changes_while_a_command_runs_is_not_recorded(
    name: str, old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command has read it, or has not: nobody knows what its results came from."""
    folder = stage(tmp_path, "sys.exit(0)")
    (tmp_path / "failing").unlink()
    replace("dvc.yaml", "/tried\n", "/tried && echo done\n")(folder)
    before = (folder / "dvc.lock").read_bytes()
    monkeypatch.chdir(folder)
    with Engine() as engine:
        (step,) = engine.plan().steps
        with pytest.raises(StageFailed, match=f"only: {name} changed while its command ran: its results are not recorded, run again"):
            engine.run(step, lambda line: replace(name, old, new)(folder))
    assert (folder / "dvc.lock").read_bytes() == before
    with Engine() as engine:
        assert [engine.run(step, lambda line: None) for step in engine.plan().steps] == ["ran"]
    seed = 3 if name == "params.yaml" else 2
    assert recorded(folder)[seed] == f"{seed}\n"


def test_docs_crashes_finds_a_poisoned_cache_of_runs_and_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Poisoned as runs before 0.2 left it: seed 2 has the outputs of seed 1, by the cache and by dvc.lock."""
    script = next(block.content for block in blocks(ROOT / "docs" / "crashes.md") if block.language == "python")
    folder = stage(tmp_path, "sys.exit(1)")
    monkeypatch.chdir(folder)
    (true,) = folder.glob(".dvc/cache/runs/*/*/*")
    exec(script, {})  # noqa: S102
    assert capsys.readouterr().out == ""
    poisoned = folder / ".dvc" / "cache" / "runs" / "00" / "0" / "1"
    poisoned.parent.mkdir(parents=True)
    poisoned.write_text(true.read_text().replace("seed: 1", "seed: 2"))
    replace("dvc.lock", "seed: 1", "seed: 2")(folder)
    exec(script, {})  # noqa: S102
    first, second = capsys.readouterr().out.splitlines()
    assert (first.split()[0], second.split()[0]) == (str(true.relative_to(folder)), str(poisoned.relative_to(folder)))
    assert first.endswith("data/a.txt {'data': {}, 'params.yaml': {'seed': 1}}")
    with Engine() as engine:
        assert engine.plan().steps == [], "nobody sees it"
    (tmp_path / "failing").unlink()
    poisoned.unlink()
    assert repro(folder, "--force", "--single-item", "only") == 0
    assert recorded(folder) == {1: "1\n", 2: "2\n"}
