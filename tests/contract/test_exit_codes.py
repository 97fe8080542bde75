"""An error's exit code says whether another try may help, whatever it is wrapped in."""

import socket
from concurrent.futures.process import BrokenProcessPool
from types import SimpleNamespace

import pytest

from stages.contract import command
from stages.contract.bad_input import BadInput
from stages.contract.exit_codes import exit_code


class Busy(Exception):
    response = SimpleNamespace(status_code=503)


class Gone(Exception):
    response = SimpleNamespace(status_code=404)


@pytest.mark.parametrize(
    ("cause", "code"),
    [
        (ConnectionRefusedError(111, "refused"), 75),
        (TimeoutError(), 75),
        (socket.gaierror(-3, "temporary failure in name resolution"), 75),
        (Busy(), 75),
        (Gone(), 2),
        (BrokenPipeError(), 2),
        (MemoryError(), 71),
        (RuntimeError("[enforce fail at alloc_cpu.cpp:114] DefaultCPUAllocator: can't allocate memory"), 71),
        (BrokenProcessPool(), 71),
        (KeyError("x"), 2),
    ],
)
def test_the_cause_decides(cause: Exception, code: int) -> None:
    error = BadInput("it does not work")
    error.__cause__ = cause
    assert exit_code(error) == code


def test_mistakes_of_the_program_keep_their_traceback() -> None:
    assert exit_code(KeyError("x")) is None
    assert exit_code(RuntimeError("no")) is None
    assert exit_code(FileNotFoundError()) == 2
    assert exit_code(BadInput("memory is too small for one text at a time")) == 71


def test_another_try_has_fewer_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert command._fewer_processes({"processes": 4}) == {"processes": 4}
    monkeypatch.setenv("CROSSBIAS_PROCESSES", "1")
    assert command._fewer_processes({"processes": 4, "seed": 1}) == {"processes": 1, "seed": 1}
    assert command._fewer_processes({"seed": 1}) == {"seed": 1}
