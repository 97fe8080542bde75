"""Work that memory is too small for is done on fewer texts at once; any other error stays one."""

import numpy as np
import pytest
import torch

from stages.contract.bad_input import BadInput
from stages.models.memory import Portion, ran_out


def exhaust():
    """The allocator's own error: more than any machine has."""
    return torch.empty(2**60, dtype=torch.uint8)


def test_the_allocators_own_error_is_known_and_others_are_not():
    with pytest.raises(RuntimeError) as caught:
        exhaust()
    assert ran_out(caught.value)
    assert ran_out(torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB"))
    assert ran_out(RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"))
    assert ran_out(MemoryError())
    assert not ran_out(RuntimeError("mat1 and mat2 shapes cannot be multiplied"))


def test_the_work_is_done_anew_on_halves_of_halves(capsys):
    undone, portion = [], Portion(8)

    def work(parts):
        if max(len(part) for part in parts) > 2:
            exhaust()
        return np.concatenate(parts).tolist()

    batches = [np.arange(8), np.arange(8, 11)]
    assert portion.within(batches, work, lambda: undone.append(1)) == list(range(11))
    assert (portion.texts, len(undone)) == (2, 2)
    assert "memory ran out with 8 texts at once: now 4, and the same texts a step" in capsys.readouterr().out
    assert portion.within(batches, work, lambda: undone.append(1)) == list(range(11))
    assert len(undone) == 2, "what was learnt stays"


def test_one_text_that_is_too_much_is_bad_input():
    with pytest.raises(BadInput, match=r"^memory is too small for one text at a time; [^.]*\.$"):
        Portion(4).within([np.arange(4)], lambda _: exhaust(), lambda: None)


def test_another_error_is_raised_as_it_is():
    def work(parts):
        raise RuntimeError("shapes differ")

    with pytest.raises(RuntimeError, match="shapes differ"):
        Portion(4).within([np.arange(4)], work, lambda: None)
