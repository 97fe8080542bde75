"""A stage's command is heard, its failure told, and it never outlives the run that started it."""

import dataclasses
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from flows import process
from flows.engine import Engine
from flows.process import TAIL, StageFailed
from tests.flows.conftest import replace, single

# pygtrie, which DVC uses, warns of its own future.
pytestmark = pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning")


def test_a_failed_stage_tells_its_code_and_last_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = single(tmp_path / "repo", "seq 100 && echo no such file >&2 && exit 7")
    monkeypatch.chdir(folder)
    heard: list[str] = []
    with Engine() as engine, pytest.raises(StageFailed, match=r"only ended with exit code 7: no such file .*only\.log") as caught:
        engine.run(engine.plan().steps[0], heard.append)
    assert caught.value.code == 7
    assert caught.value.lines == [*(str(number) for number in range(102 - TAIL, 101)), "no such file"]
    assert heard == [*(str(number) for number in range(1, 101)), "no such file"]
    assert (folder / "logs" / "only.log").read_text().splitlines() == heard
    assert not (folder / "dvc.lock").exists()


def test_a_stage_that_makes_nothing_has_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(single(tmp_path / "repo", "'true'"))
    with Engine() as engine, pytest.raises(StageFailed, match=r"only: output 'data/only\.txt' does not exist"):
        engine.run(engine.plan().steps[0])


@pytest.mark.parametrize("error", [SystemExit, BrokenPipeError])
def test_a_closed_console_does_not_stop_a_stage(error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(line: str) -> None:
        raise error

    monkeypatch.chdir(single(tmp_path / "repo", "echo heard && cp raw.txt data/only.txt"))
    with Engine() as engine:
        assert engine.run(engine.plan().steps[0], broken) == "ran"


def test_commands_use_this_python_and_the_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = "python -c 'import sys; print(sys.prefix)' > data/only.txt && echo $CUDA_VISIBLE_DEVICES >> data/only.txt"
    folder = single(tmp_path / "repo", command)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", os.defpath)
    with Engine() as engine:
        engine.run(engine.plan().steps[0], device="3")
    assert (folder / "data" / "only.txt").read_text().splitlines() == [sys.prefix, "3"]


def test_a_time_out_ends_the_command_and_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[int] = []
    monkeypatch.chdir(single(tmp_path / "repo", "sleep 600 & echo $! && wait"))
    with Engine() as engine, pytest.raises(StageFailed, match=r"only was ended after its time-out of 0\.5 s") as caught:
        engine.run(dataclasses.replace(engine.plan().steps[0], timeout=0.5), lambda line: heard.append(int(line)))
    assert caught.value.why == ""
    assert_ends(heard[0])


def test_a_stopped_engine_ends_its_commands_and_starts_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[int] = []
    monkeypatch.chdir(single(tmp_path / "repo", "sleep 600 & echo $! && wait"))
    with Engine() as engine, ThreadPoolExecutor(1) as pool:
        step = engine.plan().steps[0]
        running = pool.submit(engine.run, step, lambda line: heard.append(int(line)))
        while not heard:
            time.sleep(0.01)
        engine.processes.stop()
        assert isinstance(running.exception(), StageFailed)
        assert_ends(heard[0])
        with pytest.raises(StageFailed, match="the run was stopped"):
            engine.run(step)


@pytest.mark.parametrize(("command", "why"), [("exit 75", "temporary"), ("exit 71", "memory"), ("exit 1", ""), ("kill -9 $$", "")])
def test_why_a_command_failed(command: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(StageFailed) as caught:
        process.carry_out("only", [command], tmp_path / "log", lambda line: None, {"cwd": tmp_path})
    assert caught.value.why == why


def test_a_command_that_the_kernel_kills_for_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = tmp_path / "vmstat"
    counts.write_text("nr_free 7\noom_kill 3\n")
    monkeypatch.setattr(process, "OOM_COUNTS", (counts, tmp_path / "absent"))
    command = f"echo oom_kill 4 > {counts} && kill -9 $$"
    with pytest.raises(StageFailed, match="only was killed, as memory ran out") as caught:
        process.carry_out("only", [command], tmp_path / "log", lambda line: None, {"cwd": tmp_path})
    assert caught.value.why == "memory"


def test_stopping_a_run_ends_its_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(line: str) -> None:
        heard.append(int(line))
        raise KeyboardInterrupt

    heard: list[int] = []
    monkeypatch.chdir(single(tmp_path / "repo", "sleep 600 & echo $! && wait"))
    with Engine() as engine, pytest.raises(KeyboardInterrupt):
        engine.run(engine.plan().steps[0], stop)
    assert_ends(heard[0])


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel ends a dead parent's children on Linux only")
def test_a_killed_run_leaves_no_process_and_no_claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = single(tmp_path / "repo", "echo $$ && exec sleep 600")
    script = "from flows.engine import Engine\nwith Engine() as e: e.run(e.plan().steps[0], lambda line: print(line, flush=True))"
    with subprocess.Popen([sys.executable, "-c", script], cwd=folder, stdout=subprocess.PIPE, text=True) as flow:
        assert flow.stdout
        child = int(flow.stdout.readline())
        flow.send_signal(signal.SIGKILL)
    assert_ends(child)
    replace("dvc.yaml", "echo $$ && exec sleep 600", "cp raw.txt data/only.txt")(folder)
    monkeypatch.chdir(folder)
    with Engine() as engine:
        assert engine.run(engine.plan().steps[0]) == "ran"


def assert_ends(process: int) -> None:
    """A process is gone, or dead and waiting for its new parent to notice, within 5 seconds."""
    deadline = time.monotonic() + 5
    while psutil.pid_exists(process) and psutil.Process(process).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, f"process {process} still runs"
        time.sleep(0.05)
