"""One thread, as the stages have it: results repeat to the last digit, and tiny tensors gain nothing from more."""

import pytest
import torch


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)
