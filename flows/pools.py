"""Workers that wait for steps: those of a Dask scheduler or of a Ray cluster, behind Prefect's task runners for them."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from contextvars import copy_context
from typing import Any, cast

from prefect import get_run_logger, task
from prefect.cache_policies import NO_CACHE
from prefect.context import FlowRunContext
from prefect.exceptions import PrefectException
from prefect.task_runners import TaskRunner

from flows.engine import Engine
from flows.machines import Machines
from flows.orders import Order, Receipt
from flows.plan import Step
from flows.process import StageFailed
from flows.schedule import Start
from flows.slots import Need, Share, Slots
from flows.worker import perform
from stages.contract.bad_input import BadInput

GPU = "GPU"  # how `dask worker --resources GPU=1` and Ray call it


@task(cache_policy=NO_CACHE, persist_result=False, retries=0)
def carry_out(order: Order) -> Receipt:
    """The Prefect task that a worker runs."""
    log = get_run_logger()

    def tell(line: str) -> None:
        if line.startswith((kind_of(order.name), "fold")):  # all of it comes back with the receipt: Prefect takes 3 ms a line
            log.info(line)

    return perform(order, tell)


def kind_of(name: str) -> str:
    """The stage that a step is of: evaluate of evaluate@trust-minilm."""
    return name.rpartition(":")[2].partition("@")[0]


class Pool(ABC):
    """Workers behind the task runner of a flow run: they take ``slots`` steps at once, and have ``gpus``.

    ``losses`` are what the runner raises when a worker, or whoever leads them, is gone for good.
    """

    slots: int
    gpus: int
    losses: tuple[type[BaseException], ...] = (CancelledError, OSError, PrefectException)

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._out: set[Any] = set()

    @abstractmethod
    def with_gpu(self) -> AbstractContextManager[Any]:
        """Tasks that are submitted in this context go to workers with a GPU to spare."""

    @abstractmethod
    def cancel(self, future: Any) -> None:
        """Let nobody begin a task, and whoever waits for it wait no longer."""

    def carry_out(self, step: Step, order: Order) -> Receipt:
        """Have a worker carry out an order; for a thread that has a copy of the flow run's context."""
        on_gpu = self.gpus > 0 and Need.of(step).gpu
        named = carry_out.with_options(name=kind_of(step.name), task_run_name=step.name)
        future = None
        try:
            with self._lock, self.with_gpu() if on_gpu else nullcontext():
                future = named.submit(order)
                self._out.add(future)
            receipt: Receipt = future.result()
        except self.losses as error:
            lost = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise StageFailed(f"{step.name}: the worker that ran it was lost, and the others that it was given to ({lost}).") from error
        finally:
            self._out.discard(future)
        return receipt

    def stop(self) -> None:
        """Give up what is out; a command that a worker has begun ends when it ends, and nobody waits for it."""
        with self._lock:
            for future in self._out:
                self.cancel(future.wrapped_future)


class DaskPool(Pool):
    """The workers of a Dask scheduler; those with GPUs were started with --resources GPU=1."""

    def __init__(self, tasks: Any) -> None:
        super().__init__()
        from distributed import KilledWorker

        workers = tasks.client.scheduler_info()["workers"].values()
        self.slots = sum(worker["nthreads"] for worker in workers)
        self.gpus = int(sum(worker["resources"].get(GPU, 0) for worker in workers))
        self.losses += (KilledWorker,)

    def with_gpu(self) -> AbstractContextManager[Any]:
        import dask

        return dask.annotate(resources={GPU: 1})

    def cancel(self, future: Any) -> None:
        future.cancel()


class RayPool(Pool):
    """The workers of a Ray cluster, by way of its client's port."""

    def __init__(self) -> None:
        super().__init__()
        import ray

        found = ray.cluster_resources()
        self.slots, self.gpus = int(found.get("CPU", 0)), int(found.get(GPU, 0))
        self.losses += (ray.exceptions.RayError,)

    def with_gpu(self) -> AbstractContextManager[Any]:
        from prefect_ray.context import remote_options

        return remote_options(num_gpus=1)

    def cancel(self, future: Any) -> None:
        import ray

        ray.cancel(future)


def pool(tasks: TaskRunner[Any]) -> Pool:
    """The workers of the task runner of the present flow run, which runners.py made; BadInput where none has joined."""
    found = RayPool() if type(tasks).__name__ == "RayTaskRunner" else DaskPool(tasks)
    if not found.slots:
        raise BadInput("--workers: no worker has joined there yet; start some first (docs/machines.md).")
    return found


class Workers(Slots):
    """What workers can take at once: each step one slot, however many processors of its own machine it uses."""

    def take(self, need: Need, alone: bool = False) -> Share | None:  # noqa: ARG002 (they are for the worker that gets it)
        """A share for a step, or None where it must wait."""
        return self._out(Share(1)) if self._cpus else None


def starter(engine: Engine, remote: str | None) -> tuple[Start, Slots, Callable[[], None]]:
    """For a flow run whose task runner runners.py made: what starts a step there, the slots there, and what gives up all that is out."""
    found = pool(cast(FlowRunContext, FlowRunContext.get()).task_runner)
    machines = Machines(engine, remote, found.carry_out)
    threads = ThreadPoolExecutor(found.slots, thread_name_prefix="step")

    def start(step: Step, _: str | None) -> Future[str]:
        return threads.submit(copy_context().run, machines.run, step)

    return start, Workers(found.slots), found.stop
