"""What a run costs beside its work, by number of cells: ``python -m benchmarks.runs [overhead large quickstart]``."""

import itertools
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from benchmarks.pipeline import DVC_REPRO, settings

ROOT = Path(__file__).parents[1]
SHAPES = ((4, 8), (10, 38))  # tasks, and models of each: 40 and 400 cells
KEPT = "kept figure"
# The engine and the scheduler without Prefect, so many steps at once.
ENGINE = """
import sys
from concurrent.futures import ThreadPoolExecutor
from flows.engine import Engine
from flows.prepared import Prepared
from flows.schedule import Schedule, Silent
with Engine() as engine, ThreadPoolExecutor(int(sys.argv[1])) as pool:
    run = Prepared.of(engine, jobs=int(sys.argv[1]))
    start = lambda step, device: pool.submit(engine.run, step, lambda line: None, device)
    Schedule(run.queue(), run.slots, start, Silent()).run(engine.processes.stop)
"""
# `crossbias run` for a pipeline that is none of ours.
FLOW = """
import sys
from flows import check
check.validate = lambda path: None
from flows.run import main
sys.exit(main(["--jobs", sys.argv[1]]))
"""


def measure() -> list[dict[str, str]]:
    """Seconds a trivial cell beyond its bare command, one and two at once, and of runs with nothing or only copies to do."""
    return [row for tasks, models in SHAPES for row in _overheads(tasks, models)]


def _overheads(tasks: int, models: int) -> list[dict[str, str]]:
    cells = tasks * (models + 2)
    with tempfile.TemporaryDirectory() as folder:
        theirs, serial, wide, flow = (_workspace(Path(folder, name), tasks, models) for name in ("dvc", "serial", "wide", "flow"))
        bare = _seconds(["sh", "-c", "\n".join(_commands(theirs))], theirs)
        subprocess.run(["rm", "-rf", theirs / "data" / "cells"], check=True)
        dvc = _seconds(DVC_REPRO, theirs)
        took = {
            "one at a time": _seconds(_engine(ENGINE, 1), serial),
            "two at once": _seconds(_engine(ENGINE, 2), wide),
            "two at once, with Prefect": _seconds(_engine(FLOW, 2), flow),
        }
        locks = {place.joinpath("dvc.lock").read_bytes() for place in (theirs, serial, wide, flow)}
        note = f"{cells} cells, {1000 * bare / cells:.0f} ms a bare command; dvc.lock {'identical' if len(locks) == 1 else 'DIFFERS'}"
        rows = [_row(f"overhead of a cell, {how}", (spent - bare) / cells, (dvc - bare) / cells, note) for how, spent in took.items()]
        again = _seconds(DVC_REPRO, theirs)
        rows.append(_row("nothing to do", _seconds(_engine(FLOW, 2), flow), again, f"{cells} cells"))
        for place in (theirs, serial):
            place.joinpath("dvc.lock").unlink()
        rows.append(_row("all from the cache of runs", _seconds(_engine(ENGINE, 2), serial), _seconds(DVC_REPRO, theirs), f"{cells} cells"))
    return rows


def large() -> list[dict[str, str]]:
    """Wall clock, start of Python included, of the engine alone at the sizes of an earlier design of it, whose figures were kept.

    Its 104 stages took half a second each and ran eight at once; its 504 only copied.
    """
    with tempfile.TemporaryDirectory() as folder:
        slow, many = _workspace(Path(folder, "slow"), 4, 24, sleep=0.5), _workspace(Path(folder, "many"), 12, 40)
        rows = [_row("104 stages of half a second, eight at once", _seconds(_engine(ENGINE, 8), slow), 9.1, "7.0 s without any cost", KEPT)]
        _seconds(_engine(ENGINE, 8), many)
        rows.append(_row("504 stages, nothing to do", _seconds(_engine(ENGINE, 8), many), 4.1, "", KEPT))
        many.joinpath("dvc.lock").unlink()
        rows.append(_row("504 stages, all from the cache of runs", _seconds(_engine(ENGINE, 8), many), 24.0, "", KEPT))
    return rows


def quickstart() -> list[dict[str, str]]:
    """Wall clock of designs/quickstart.yaml in a fresh clone: `dvc repro`, and `crossbias run` one and two steps wide."""
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder, name) for name in ("dvc", "serial", "wide")]
        for place in places:
            subprocess.run(["git", "clone", "--quiet", ROOT, place], check=True)
            (place / "params.yaml").write_bytes((ROOT / "designs" / "quickstart.yaml").read_bytes())
        crossbias = [sys.executable, "-m", "flows.command", "run", "--jobs"]
        commands = [DVC_REPRO, [*crossbias, "1"], [*crossbias, "2"]]
        dvc, serial, wide = (_seconds(command, place, place) for command, place in zip(commands, places, strict=True))
        same = len({place.joinpath("dvc.lock").read_bytes() for place in places}) == 1
        note = f"quickstart design; dvc.lock {'identical' if same else 'DIFFERS'}"
    return [_row("whole run, --jobs 1", serial, dvc, note), _row("whole run, --jobs 2", wide, dvc, note)]


def _workspace(folder: Path, tasks: int, models: int, sleep: float = 0) -> Path:
    """A repository with ``tasks`` * (``models`` + 2) commands in three layers: each model copies what its task's two first stages copied.

    ``sleep`` [s] is what each command takes beside that.
    """
    (folder / ".dvc").mkdir(parents=True)
    for name in (".dvc/config", ".dvcignore", ".gitignore"):
        (folder / name).write_bytes((ROOT / name).read_bytes())
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    (folder / "data" / "cells").mkdir(parents=True)
    (folder / "raw.txt").write_text("raw\n")
    params = {"tasks": {f"task{number}": None for number in range(tasks)}, "models": {f"model{number}": None for number in range(models)}}
    first = {"foreach": "${tasks}", "do": _stage("raw.txt", "data/cells/first_${key}.txt", sleep)}
    second = {"foreach": "${tasks}", "do": _stage("data/cells/first_${key}.txt", "data/cells/second_${key}.txt", sleep)}
    last = _stage("data/cells/second_${item.task}.txt", "data/cells/${item.task}_${item.model}.txt", sleep)
    stages = {"first": first, "second": second, "last": {"matrix": {"task": "${tasks}", "model": "${models}"}} | last}
    (folder / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False))
    (folder / "dvc.yaml").write_text(yaml.safe_dump({"stages": stages}, sort_keys=False))
    return folder


def _stage(source: str, target: str, sleep: float) -> dict[str, object]:
    pause = f"sleep {sleep} && " if sleep else ""
    return {"cmd": f"{pause}mkdir -p data/cells && cat {source} > {target}", "deps": [source], "outs": [target]}


def _commands(folder: Path) -> list[str]:
    """The commands as DVC would start them, each in a shell of its own."""
    params = yaml.safe_load((folder / "params.yaml").read_text())
    cells = [(task, f"{task}_{model}") for task, model in itertools.product(params["tasks"], params["models"])]
    pairs = [("raw.txt", f"first_{task}") for task in params["tasks"]]
    pairs += [(f"data/cells/first_{task}.txt", f"second_{task}") for task in params["tasks"]]
    pairs += [(f"data/cells/second_{task}.txt", cell) for task, cell in cells]
    return [f"sh -c 'mkdir -p data/cells && cat {source} > data/cells/{target}.txt'" for source, target in pairs]


def _engine(code: str, jobs: int) -> list[str]:
    return [sys.executable, "-c", code, str(jobs)]


def _seconds(command: list[str], folder: Path, code: Path = ROOT) -> float:
    environment = os.environ | settings(folder) | {"PYTHONPATH": str(code), "PREFECT_HOME": str(folder.parent / "prefect")}
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


def _row(what: str, ours: float, theirs: float, note: str, whose: str = "dvc repro") -> dict[str, str]:
    return {"what": what, "ours": f"{ours:.2f} s", "theirs": f"{theirs:.2f} s ({whose})", "ratio": f"{theirs / ours:.1f}x", "note": note}


if __name__ == "__main__":
    from benchmarks.__main__ import table

    wanted = sys.argv[1:] or ["overhead"]
    print(table([row for name in wanted for row in {"overhead": measure, "large": large, "quickstart": quickstart}[name]()]))
