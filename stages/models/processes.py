"""The same work on several items, in processes with a fixed number of threads each: the results do not depend on how many."""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import psutil

from stages.contract.bad_input import BadInput
from stages.contract.workers import end_with_parent

# A worker's own: what it was started for.
_held: dict[str, Callable[[Any], Any]] = {}


def limit_threads(threads: int) -> None:
    """Let torch use so many threads in this process; sums, and so results, depend on it in the last digits."""
    import torch

    torch.set_num_threads(threads)


def affordable(asked: int, items: int, memory: float) -> int:
    """How many processes to start: at most ``asked``, one an item, one a core, and what memory has room for; 1 with a GPU."""
    import torch

    if torch.cuda.is_available():
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    room = int(psutil.virtual_memory().available // memory)
    return max(1, min(asked, items, cores, room))


def each(work: Callable[[Any], Any], items: Sequence[Any], processes: int, threads: int) -> Iterator[Any]:
    """``work(item)`` for every item, in the order of finishing. One process: this one. An error of a worker is raised here.

    ``work`` and its data travel once to each worker, which starts afresh (spawn): a fork would inherit torch's thread pool.
    """
    if processes == 1:
        limit_threads(threads)
        yield from map(work, items)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, initializer=_start, initargs=(work, threads)) as pool:
        try:
            for done in as_completed([pool.submit(_run, item) for item in items]):
                yield done.result()
        except BrokenProcessPool as error:
            raise BadInput("a worker was killed, most likely for want of memory; set processes: 1 in this stage's section.") from error
        finally:
            pool.shutdown(cancel_futures=True)


def _start(work: Callable[[Any], Any], threads: int) -> None:
    end_with_parent()
    _held["work"] = work
    limit_threads(threads)


def _run(item: Any) -> Any:
    return _held["work"](item)
