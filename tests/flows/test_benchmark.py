"""`crossbias run` from the shell: the same end as `dvc repro`, one sentence and exit code 2 for bad input, a clean stop."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
import yaml

from tests.flows.conftest import make

# The design of these small pipelines has a check of its own: "wrong" is wrong.
RUN = """
import sys
from pathlib import Path
from flows import check
from stages.contract import bad_input
def validate(path):
    if "wrong" in path.read_text():
        raise bad_input.BadInput(f"{path}: wrong is no metric.")
check.validate = validate
from flows.command import main
sys.exit(main(["run", *sys.argv[1:]]))
"""


def crossbias_run(folder: Path, *options: str) -> tuple[int, str]:
    done = subprocess.run([sys.executable, "-c", RUN, *options], cwd=folder, text=True, capture_output=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_the_flow_ends_as_dvc_repro_does(tmp_path: Path, finished: Path) -> None:
    folder = make(tmp_path / "repo")
    code, output = crossbias_run(folder, "--jobs", "2")
    assert code == 0, output
    assert (folder / "dvc.lock").read_bytes() == (finished / "dvc.lock").read_bytes()
    assert "step 9 of 10: evaluate starts (after predict@literacy-mended" in output
    assert "evaluate of literacy_mended.txt" in output  # a headline of the stage
    assert "step 10 of 10: report ran in " in output
    assert "10 stages: 10 ran" in output
    assert "flow run" not in output, "Prefect keeps its words to itself"
    assert crossbias_run(folder) == (0, "10 stages: all are up to date\n")


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
    code, output = crossbias_run(folder)
    assert code == 2, output
    lines = "".join(f"    {line}\n" for line in [*range(1, 8), "a is lost"])
    end = re.sub(r"^\d\d:\d\d:\d\d ", "", output, flags=re.MULTILINE).partition("a failed: ")[2]
    assert end == (
        "a ended with exit code 2: a is lost (all its output: logs/a.log)\n"
        f"  command: seq 7 && echo a is lost >&2 && exit 2\n  last lines:\n{lines}  not run, as they need it: b\n"
        "  to run it again: crossbias run --only 'a'\n3 stages: 1 failed, 1 not run, 1 ran\n"
    )
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


def test_a_stopped_run_ends_its_commands_and_keeps_what_is_finished(tmp_path: Path) -> None:
    pipeline = """\
stages:
  a:
    cmd: cp raw.txt data/a.txt
    deps: [raw.txt]
    outs: [data/a.txt]
  b:
    cmd: echo b $$ && exec sleep 600
    deps: [data/a.txt]
    outs: [data/b.txt]
"""
    folder = make(tmp_path / "repo", pipeline)
    command = [sys.executable, "-c", RUN]
    with subprocess.Popen(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout
        child = next(int(line.split()[-1]) for line in process.stdout if re.search(r" b \d+$", line))
        process.send_signal(signal.SIGTERM)
        output = process.stdout.read()
        assert process.wait(60) == 130, output
    assert output.endswith("stopped; finished stages are kept, and the next run goes on from there\n")
    assert "Traceback" not in output
    assert not psutil.pid_exists(child)
    assert list(yaml.safe_load((folder / "dvc.lock").read_text())["stages"]) == ["a"]


@pytest.mark.slow
def test_a_run_whose_server_dies_ends_and_the_next_one_goes_on(tmp_path: Path) -> None:
    """Prefect would wait for it at the end of the process, for ever."""
    pipeline = """\
stages:
  a:
    cmd: echo a $$ && sleep 3 && cp raw.txt data/a.txt
    deps: [raw.txt]
    outs: [data/a.txt]
  b:
    cmd: cp data/a.txt data/b.txt
    deps: [data/a.txt]
    outs: [data/b.txt]
"""
    folder = make(tmp_path / "repo", pipeline)
    command = [sys.executable, "-c", RUN]
    with subprocess.Popen(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout
        next(line for line in process.stdout if re.search(r" a \d+$", line))
        (server,) = [child for child in psutil.Process(process.pid).children() if "uvicorn" in child.cmdline()]
        server.kill()
        output = process.stdout.read()
        assert process.wait(300) == 1, output
    assert "Prefect's server has died" in output
    code, output = crossbias_run(folder)
    assert code == 0, output
    assert (folder / "data" / "b.txt").read_text() == "raw\n"


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
