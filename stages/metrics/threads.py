"""Work on several metrics side by side: NumPy and SciPy let go of the interpreter while they count and draw."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def side_by_side(work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """``work`` of each item, in their order, a thread a core; every piece of work has a seed of its own, so that no number changes."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, items))
