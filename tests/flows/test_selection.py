"""Steps are chosen by name, stage, task and model; who holds the workspace is said, or waited for; parameters are read when they change."""

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from dvc.dependency import param
from dvc.fs import LocalFileSystem

from flows.claim import claim
from flows.parameters import parsed_once
from flows.selection import Cell, Selection
from flows.slots import seconds
from stages.contract.bad_input import BadInput


def stage(name: str, command: str) -> SimpleNamespace:
    return SimpleNamespace(addressing=name, cmd=command)


STAGES = [
    stage("ingest@trust", 'python -m stages.ingest --task "${DVC_STAGE#*@}"'),
    stage("debias@a-b", 'python -m stages.debias --model "${DVC_STAGE#*@}"'),
    stage("evaluate@trust-a-b", "python -m stages.evaluate --task trust --model a-b"),
    stage("evaluate@trust-a-c", "python -m stages.evaluate --task 'trust-a' --model c"),
    stage("report", "python -m stages.report"),
]


def test_a_cell_is_what_the_command_says() -> None:
    assert Cell.of(STAGES[1]) == Cell("debias", (("model", "a-b"),))  # type: ignore[arg-type]
    assert Cell.of(STAGES[3]) == Cell("evaluate", (("task", "trust-a"), ("model", "c")))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("selection", "names"),
    [
        (Selection(), []),
        (Selection(tasks=["trust"]), ["ingest@trust", "evaluate@trust-a-b"]),
        (Selection(models=["a-b", "c"], stages=["evaluate"]), ["evaluate@trust-a-b", "evaluate@trust-a-c"]),
        (Selection(only=["*@trust*"], tasks=["trust-a"]), ["evaluate@trust-a-c"]),
        (Selection(only=["report"]), ["report"]),
    ],
)
def test_steps_that_fit_all(selection: Selection, names: list[str]) -> None:
    assert selection.of(STAGES) == names  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("selection", "said"),
    [
        (Selection(tasks=["trst"]), "--task trst: there is none called so, but trust, trust-a"),
        (Selection(only=["x*"]), r"--only x\*: no step"),
        (Selection(tasks=["trust"], models=["c"]), "no step fits all"),
    ],
)
def test_what_fits_nothing_is_refused(selection: Selection, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        selection.of(STAGES)  # type: ignore[arg-type]


def test_times() -> None:
    assert [seconds(text) for text in ("90", "1.5m", "2h")] == [90, 90, 7200]


def test_a_second_run_waits_where_it_is_told_to(tmp_path: Path) -> None:
    heard: list[str] = []
    first = claim(tmp_path / "lock")
    timer = threading.Timer(0.1, first.close)
    timer.start()
    with claim(tmp_path / "lock", heard.append):
        assert first.closed
    timer.join()
    assert len(heard) == 1
    assert heard[0].startswith("waiting, as process ")


def test_parameters_are_parsed_again_when_they_change(tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    path.write_text("seed: 1\n")
    with parsed_once():
        first = param.read_param_file(LocalFileSystem(), str(path))
        assert param.read_param_file(LocalFileSystem(), str(path)) is first
        path.write_text("seed: 22\n")
        assert param.read_param_file(LocalFileSystem(), str(path)) == {"seed": 22}
    assert param.load_path.__module__ == "dvc.utils.serialize"
