"""Several steps at once, some of which fail, end where `dvc repro --keep-going` ends, to the byte, on any graph."""

import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from flows import estimates
from flows.engine import Engine
from flows.schedule import Outcome, Queue, Schedule, Silent
from flows.slots import Slots
from tests.flows.conftest import make, repro
from tests.flows.test_engine import files

# pygtrie, which DVC uses, warns of its own future.
pytestmark = pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning")


def pipeline(seed: int) -> str:
    """Stages with random needs, in random order, of which some fail and some need a folder that others fill."""
    draw = random.Random(seed)  # noqa: S311
    stages = {}
    for number in range(10):
        needs = draw.sample(range(number), min(number, draw.randint(0, 2)))
        deps = [f"data/folder{need}" if need % 3 == 0 else f"data/s{need}.txt" for need in needs]
        out = f"data/folder{number}" if number % 3 == 0 else f"data/s{number}.txt"
        write = f"mkdir -p {out} && cat raw.txt > {out}/x" if number % 3 == 0 else f"cat raw.txt > {out}"
        command = f"sleep 0.0{draw.randint(0, 9)} && {write} && echo {number} {' '.join(deps)} >> {out}{'/x' if number % 3 == 0 else ''}"
        fails = draw.random() < 0.2 and number > 1
        stages[f"s{number}"] = {"cmd": f"{command} && exit 3" if fails else command, "deps": ["raw.txt", *deps], "outs": [out]}
    names = draw.sample(sorted(stages), len(stages))
    return yaml.safe_dump({"stages": {name: stages[name] for name in names}}, sort_keys=False)


def run(folder: Path, jobs: int) -> dict[str, Outcome]:
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(jobs) as pool:
        patch.chdir(folder)
        with Engine() as engine:
            steps = engine.plan().steps
            queue = Queue(steps, estimates.longest(steps, {}))
            plan = Schedule(queue, Slots(jobs), lambda step, device: pool.submit(engine.run, step, lambda line: None, device), Silent())
            return {outcome.step.name: outcome for outcome in plan.run(engine.processes.stop)}


@pytest.fixture(scope="module", params=[10, 15])
def graph(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    text = pipeline(request.param)
    folder = make(tmp_path_factory.mktemp("theirs") / "repo", text)
    repro(folder, "--keep-going")
    return text, folder


@pytest.mark.parametrize("jobs", [1, 4])
def test_the_same_files_and_lock(graph: tuple[str, Path], jobs: int, tmp_path: Path) -> None:
    text, theirs = graph
    assert "exit 3" in text
    ours = make(tmp_path / "ours", text)
    outcomes = run(ours, jobs)
    assert {outcome.state for outcome in outcomes.values()} == {"ran", "failed", "not run"}
    assert files(ours) == files(theirs)
    shutil.rmtree(ours / "data")
    (ours / "data").mkdir()
    (ours / "dvc.lock").unlink()
    again = run(ours, jobs)
    assert {outcome.state for outcome in again.values()} == {"restored", "failed", "not run"}, "the cache of runs gives all back"
    assert files(ours) == files(theirs)


def test_what_is_left_of_a_run_that_failed_is_recorded_where_an_undisturbed_run_has_it(tmp_path: Path) -> None:
    """Other steps ended, and were recorded, meanwhile: the lock's order does not tell of the failure."""
    theirs, ours = make(tmp_path / "theirs", pipeline(10).replace(" && exit 3", "")), make(tmp_path / "ours", pipeline(10))
    assert repro(theirs) == 0
    assert "failed" in {outcome.state for outcome in run(ours, 2).values()}
    (ours / "dvc.yaml").write_text(pipeline(10).replace(" && exit 3", ""))
    assert {outcome.state for outcome in run(ours, 2).values()} == {"ran"}
    assert files(ours) == files(theirs)
    assert not (ours / ".dvc" / "tmp" / "crossbias.new").exists()
