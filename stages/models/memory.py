"""Work on a batch of texts that memory may be too small for: fewer texts at once, the same texts in all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch

from stages.contract.bad_input import BadInput
from stages.models.batches import cut

Result = TypeVar("Result")
# What CUDA, cuBLAS, cuDNN and the allocators of Linux and Windows call it where it is no exception of its own.
SIGNS = ("out of memory", "not enough memory", "DefaultCPUAllocator", "ALLOC_FAILED")


@dataclass
class Portion:
    """How many texts are looked at at once; halved, for good, whenever memory runs out."""

    texts: int

    def within(self, batches: Sequence[np.ndarray], work: Callable[[list[np.ndarray]], Result], undo: Callable[[], None]) -> Result:
        """``work(batches)``, cut smaller and, after ``undo()``, done anew until memory suffices. BadInput: one text is too much."""
        while True:
            try:
                return work([part for batch in batches for part in cut(batch, self.texts)])
            except (RuntimeError, MemoryError) as error:
                if not ran_out(error):
                    raise
            # Outside the except block, as the error holds on to the tensors of the failed attempt.
            undo()
            self._halve()

    def _halve(self) -> None:
        if self.texts == 1:
            raise BadInput("memory is too small for one text at a time; lower max_tokens, take a smaller base, or set processes: 1.")
        print(f"memory ran out with {self.texts} texts at once: now {self.texts // 2}, and the same texts a step", flush=True)
        self.texts //= 2
        if torch.cuda.is_available():
            torch.cuda.empty_cache()


def ran_out(error: BaseException) -> bool:
    """True when an error says that there was no memory, on the graphics card or off it."""
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or any(sign in str(error) for sign in SIGNS)
