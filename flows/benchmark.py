"""The benchmark as a Prefect flow: a task of each stage that DVC finds stale, started when its inputs and a slot are ready."""

import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from httpx import HTTPError
from prefect import Flow, Task, flow, get_run_logger, task
from prefect.artifacts import create_progress_artifact, create_table_artifact, update_progress_artifact
from prefect.cache_policies import NO_CACHE
from prefect.futures import PrefectFuture
from prefect.task_runners import TaskRunner

from flows import check, progress, terminal
from flows.engine import Engine
from flows.plan import Step
from flows.prepared import Prepared
from flows.schedule import Outcome, Schedule, Start
from flows.selection import Selection
from flows.slots import seconds

PAGES_EVERY = 15.0  # seconds between two versions of what Prefect shows


@flow(name="benchmark", persist_result=False)
def benchmark(
    targets: list[str] | None = None,
    *,
    tasks: list[str] | None = None,
    models: list[str] | None = None,
    stages: list[str] | None = None,
    only: list[str] | None = None,
    jobs: int | None = None,
    fail_fast: bool = False,
    timeout: str | None = None,
    checked: bool = False,
    pull: bool = False,
) -> None:
    """What `crossbias run` does, with its options, for deployments; ``checked``: the design was found valid already."""
    if not checked:
        check.validate(Path("params.yaml"))
    selection = Selection(tuple(only or ()), tuple(stages or ()), tuple(tasks or ()), tuple(models or ()))
    with Engine(pull=pull) as engine:
        prepared = Prepared.of(engine, targets or (), selection, jobs, seconds(timeout) if timeout else None)
        for line in prepared.plan.farewell():
            get_run_logger().info(line)
        raise_failure(carry_out(prepared, fail_fast))


# What the flow below does. Prefect pickles a flow with each task that goes to another machine, and would pickle what it closes over.
_PLANNED: list[Callable[[], None]] = []


def _do_what_is_planned() -> None:
    _PLANNED[-1]()


@flow(name="benchmark", persist_result=False, retries=0)
def planned() -> None:
    """The same flow for a plan that is already made: see ``flow_of``."""
    _do_what_is_planned()


def flow_of(
    prepared: Prepared,
    fail_fast: bool,
    ended: Callable[[list[Outcome]], object],
    workers: TaskRunner[Any] | None = None,
    remote: str | None = None,
) -> Flow[[], None]:
    """The flow of a plan; ``ended`` hears what became of it. Steps run here, or by ``workers``, who share files through a ``remote``."""

    def do() -> None:
        outcomes = carry_out(prepared, fail_fast, workers is not None, remote)
        ended(outcomes)
        raise_failure(outcomes)

    _PLANNED[:] = [do]
    return planned if workers is None else planned.with_options(task_runner=workers)


def carry_out(prepared: Prepared, fail_fast: bool, elsewhere: bool = False, remote: str | None = None) -> list[Outcome]:
    """Run the steps of a plan as tasks of the present flow, to the end of all that can end; what became of each.

    ``elsewhere``: by the workers of the flow's task runner.
    """
    log = get_run_logger()
    if elsewhere:
        from flows import pools

        start, slots, stop = pools.starter(prepared.engine, remote)
    else:
        start, slots, stop = _starter(prepared.engine), prepared.slots, prepared.engine.processes.stop
    watch = Pages(prepared.plan, prepared.known, slots, log.info, terminal.console())
    with watch:
        outcomes = Schedule(prepared.queue(), slots, start, watch, fail_fast).run(stop)
    watch.publish()
    for line in progress.summary(prepared.plan, outcomes):
        log.info(line)
    return outcomes


def _starter(engine: Engine) -> Start:
    """What starts a step on this machine, as a task of the present flow."""
    futures: dict[str, PrefectFuture[str]] = {}

    def start(step: Step, device: str | None) -> "Future[str]":
        needs: list[Any] = [futures[name] for name in sorted(step.after & futures.keys())]  # edges of Prefect's graph; they have ended
        futures[step.name] = _as_task(engine, step, device).submit(wait_for=needs, return_state=False)
        return _plain(futures[step.name])

    return start


def raise_failure(outcomes: Sequence[Outcome]) -> None:
    """Raise the first failure, so that the flow has failed: one that is no bad input before others."""
    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    for error in sorted(errors, key=lambda error: getattr(error, "code", None) == 2):
        raise error


def _as_task(engine: Engine, step: Step, device: str | None) -> Task[[], str]:
    """A Prefect task for a step. DVC alone decides what is stale: Prefect neither caches, keeps results nor tries again."""
    kind = step.name.rpartition(":")[2].partition("@")[0]
    again = f" (attempt {step.attempt})" if step.attempt > 1 else ""

    @task(name=kind, task_run_name=f"{step.name}{again}", cache_policy=NO_CACHE, persist_result=False, retries=0)
    def run() -> str:
        log = get_run_logger()

        def tell(line: str) -> None:
            if line.startswith((kind, "fold")):  # the rest is in logs/: Prefect takes 3 ms a line
                log.info(line)

        return engine.run(step, tell, device)

    return run


def _plain(future: PrefectFuture[str]) -> "Future[str]":
    """A future of concurrent.futures that ends as Prefect's does."""
    plain: Future[str] = Future()

    def end(done: PrefectFuture[str]) -> None:
        try:
            plain.set_result(done.result())
        except BaseException as error:  # noqa: BLE001 (passed on)
            plain.set_exception(error)

    future.add_done_callback(end)
    return plain


class Pages(progress.Progress):
    """Progress that Prefect's pages show too: a bar, and a table of all steps with seconds and figures."""

    _bar: Any = None  # its identifier
    _published = -PAGES_EVERY
    _gone = False

    def tick(self) -> None:
        super().tick()
        if time.monotonic() - self._published >= PAGES_EVERY:
            self.publish()

    def publish(self) -> None:
        """Bring the artifacts up to date; a server that does not answer is no reason to stop, and is asked no more: it takes minutes."""
        self._published = time.monotonic()
        if self._gone:
            return
        try:
            if self._bar is None:
                self._bar = create_progress_artifact(self.share(), key="benchmark-progress", description=self.line())
            update_progress_artifact(self._bar, self.share(), description=self.line())
            create_table_artifact(self.table(), key="benchmark-steps", description=f"{len(self.plan.unchanged)} more are up to date.")
        except (HTTPError, OSError, RuntimeError) as error:
            self._gone = True
            logging.getLogger(__name__).warning("Prefect's pages are not brought up to date: %s", error)
