"""A process a core, each with a lot of people at a time."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context
from os import cpu_count
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def workers() -> ProcessPoolExecutor:
    """A process a core."""
    return ProcessPoolExecutor(cpu_count(), mp_context=get_context("spawn"))


def each(pool: Executor, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """``work`` of each item in their order, with few results waiting, so that memory does not grow with the items."""
    waiting: deque[Future[Result]] = deque()
    for item in items:
        waiting.append(pool.submit(work, item))
        if len(waiting) > (cpu_count() or 1):
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
