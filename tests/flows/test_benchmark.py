"""`crossbias run` from the shell: the same end as `dvc repro`, one sentence and exit code 2 for bad input."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.conftest import make

# The design of these small pipelines has a check of its own: "wrong" is wrong.
RUN = """
import sys
from pathlib import Path
from stages.contract import bad_input, design
def validate(path):
    if "wrong" in path.read_text():
        raise bad_input.BadInput(f"{path}: wrong is no metric.")
design.validate = validate
from flows.command import main
sys.exit(main(["run", *sys.argv[1:]]))
"""


def crossbias_run(folder: Path, *options: str) -> tuple[int, str]:
    done = subprocess.run([sys.executable, "-c", RUN, *options], cwd=folder, text=True, capture_output=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_the_flow_ends_as_dvc_repro_does(tmp_path: Path, finished: Path) -> None:
    folder = make(tmp_path / "repo")
    code, output = crossbias_run(folder)
    assert code == 0, output
    assert (folder / "dvc.lock").read_bytes() == (finished / "dvc.lock").read_bytes()
    assert "stage 9 of 10: evaluate (after predict@literacy-mended" in output
    assert "evaluate of literacy_mended.txt" in output  # a headline of the stage
    assert "10 stages: 10 ran" in output


def test_a_failure_names_stage_code_and_last_words(tmp_path: Path) -> None:
    pipeline = """\
stages:
  a:
    cmd: seq 7 && echo a is lost >&2 && exit 2
    deps: [raw.txt]
    outs: [data/a.txt]
  b:
    cmd: cp data/a.txt data/b.txt
    deps: [data/a.txt]
    outs: [data/b.txt]
  c:
    cmd: cp raw.txt data/c.txt
    deps: [raw.txt]
    outs: [data/c.txt]
"""
    folder = make(tmp_path / "repo", pipeline)
    code, output = crossbias_run(folder, "--keep-going")
    assert code == 2, output
    assert "a ended with exit code 2: a is lost (all its output: logs/a.log)\n" in output
    assert "last lines:\n1\n2\n3\n4\n5\n6\n7\na is lost\n" in output
    assert "b is not run, as it needs a" in output
    assert "3 stages: 1 failed, 1 ran, 1 not run" in output
    assert "Traceback" not in output
    assert (folder / "data" / "c.txt").exists()


def test_a_wrong_design_stops_before_anything_starts(tmp_path: Path) -> None:
    folder = make(tmp_path / "repo", params="wrong: 1\n")
    assert crossbias_run(folder) == (2, "params.yaml: wrong is no metric.\n")
    code, output = crossbias_run(folder, "--debug")
    assert code == 2
    assert "Traceback" in output


def test_dry_prints_what_would_run_and_why(tmp_path: Path, finished: Path) -> None:
    folder = make(tmp_path / "repo")
    code, output = crossbias_run(folder, "--dry", "ingest")
    assert code == 0
    assert output.splitlines()[0].startswith("ingest@trust: ")
    assert output.endswith("2 stages would run or be checked again, 0 are unchanged.\n")
    assert not (folder / "dvc.lock").exists()
    assert not (folder / "logs").exists()


def test_help_imports_neither_prefect_nor_dvc() -> None:
    script = "import sys; from flows.command import main\ntry: main(['--help'])\nfinally: assert not {'prefect', 'dvc'} & {*sys.modules}"
    done = subprocess.run([sys.executable, "-c", script], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "run" in done.stdout


@pytest.mark.parametrize("arguments", [[], ["nonesuch"]])
def test_a_wrong_subcommand_exits_with_2(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", "flows.command", *arguments], text=True, capture_output=True, check=False)
    assert done.returncode == 2
    assert "usage: crossbias" in done.stderr
