"""What the workers of test_processes do; they load this file alone, and not all that a test loads."""

import os
from typing import Any, NoReturn

import numpy as np

from stages.contract.bad_input import BadInput


def product(matrix: np.ndarray, seed: int) -> tuple[int, bytes, int]:
    import torch

    torch.manual_seed(seed)
    return seed, (torch.from_numpy(matrix) @ torch.randn(50)).numpy().tobytes(), torch.get_num_threads()


def fail(item: Any) -> NoReturn:
    raise BadInput(f"item {item} is wrong.")


def die(item: Any) -> NoReturn:
    os._exit(9)
