"""Work in processes gives what the same work in one process gives, and its errors arrive."""

import functools
import os
import subprocess
import sys
import time

import numpy as np
import psutil
import pytest

from stages.contract.bad_input import BadInput
from stages.models import processes
from tests.conftest import ROOT
from tests.models.work import die, fail, product


def test_two_processes_give_the_same_bytes_as_one():
    work = functools.partial(product, np.random.default_rng(0).normal(size=(50, 50)).astype(np.float32))
    alone = sorted(processes.each(work, [1, 2, 3], processes=1, threads=1))
    assert sorted(processes.each(work, [1, 2, 3], processes=2, threads=1)) == alone
    assert {threads for _, _, threads in alone} == {1}


@pytest.mark.parametrize("number", [1, 2])
def test_bad_input_arrives_as_it_is(number):
    with pytest.raises(BadInput, match=r"^item \d is wrong\.$"):
        list(processes.each(fail, [1, 2], number, threads=1))


def test_a_killed_worker_says_what_to_do():
    with pytest.raises(BadInput, match="processes: 1"):
        list(processes.each(die, [1, 2], 2, threads=1))


def test_workers_end_with_a_parent_that_is_killed(tmp_path):
    code = (
        "import os, time\nfrom pathlib import Path\nfrom stages.models import processes\n"
        "def work(item):\n    Path(str(os.getpid())).touch()\n    time.sleep(60)\n"
        "if __name__ == '__main__':\n    list(processes.each(work, [1, 2], 2, threads=1))\n"
    )
    (tmp_path / "parent.py").write_text(code)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen([sys.executable, "parent.py"], cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL)
    workers = until(lambda: [int(file.name) for file in tmp_path.iterdir() if file.name.isdecimal()], lambda found: len(found) == 2)
    parent.kill()
    parent.wait()
    assert until(lambda: [number for number in workers if psutil.pid_exists(number)], lambda found: not found) == []


def until(look, enough, seconds=40):
    """What ``look`` finds as soon as it is enough, or after so many seconds."""
    end = time.monotonic() + seconds
    while not enough(found := look()) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def test_no_more_processes_than_items_memory_or_asked():
    assert processes.affordable(64, 1, memory=1.0) == 1
    assert processes.affordable(1, 64, memory=1.0) == 1
    assert processes.affordable(64, 64, memory=1e18) == 1, "one process must do where memory is short"
    assert 1 <= processes.affordable(64, 64, memory=1.0) <= (os.cpu_count() or 1)
