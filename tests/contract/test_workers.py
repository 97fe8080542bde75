"""A worker ends with the process that started it, even if that is killed."""

import subprocess
import sys

from tests.flows.test_process import assert_ends

POOL = """
import multiprocessing, os, signal, sys
from concurrent.futures import ProcessPoolExecutor
from stages.contract.workers import end_with_parent
if __name__ == "__main__":
    pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), end_with_parent)
    print(pool.submit(os.getpid).result(), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_worker_of_a_killed_process_ends(tmp_path):
    (tmp_path / "pool.py").write_text(POOL)
    killed = subprocess.run([sys.executable, tmp_path / "pool.py"], capture_output=True, text=True, check=False, timeout=60)
    assert killed.returncode == -9, killed.stderr
    assert_ends(int(killed.stdout))
