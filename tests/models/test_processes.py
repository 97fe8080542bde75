"""Work in processes gives what the same work in one process gives, and its errors arrive."""

import functools
import os

import numpy as np
import pytest
import torch

from stages.contract.bad_input import BadInput
from stages.models import processes


def product(matrix, seed):
    torch.manual_seed(seed)
    return seed, (torch.from_numpy(matrix) @ torch.randn(50)).numpy().tobytes(), torch.get_num_threads()


def fail(item):
    raise BadInput(f"item {item} is wrong.")


def die(item):
    os._exit(9)


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


def test_no_more_processes_than_items_memory_or_asked():
    assert processes.affordable(64, 1, memory=1.0) == 1
    assert processes.affordable(1, 64, memory=1.0) == 1
    assert processes.affordable(64, 64, memory=1e18) == 1, "one process must do where memory is short"
    assert 1 <= processes.affordable(64, 64, memory=1.0) <= (os.cpu_count() or 1)
