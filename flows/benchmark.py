"""The benchmark as a Prefect flow: it checks the whole design, then makes a task of each stage that DVC finds stale."""

import argparse
import logging
import sys
import traceback
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from prefect import Task, flow, get_run_logger, task
from prefect.artifacts import create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.settings import get_current_settings
from prefect.states import State

from flows.engine import Engine, Plan, Step
from flows.process import StageFailed
from stages.contract import design
from stages.contract.bad_input import BadInput


@task(cache_policy=NO_CACHE, persist_result=False)
def validate() -> None:
    """Read every entry of the design, so that a misspelt metric fails now and not after the fine-tuning."""
    design.validate(Path("params.yaml"))


@flow(name="benchmark", persist_result=False)
def benchmark(targets: list[str] | None = None, keep_going: bool = False) -> None:
    """What `dvc repro TARGETS` does, to the same dvc.lock. ``keep_going``: a failed stage stops only those that need it."""
    validate()
    log = get_run_logger()
    with Engine() as engine:
        plan = engine.plan(targets or [])
        if plan.unchanged:
            rows = [{"stage": name} for name in plan.unchanged]
            create_table_artifact(key="unchanged-stages", table=rows, description="Stages that DVC found up to date.")
        states = _run_steps(engine, plan, keep_going)
    counts = Counter(str(state.result()) if state.is_completed() else "failed" for state in states)
    counts.update({"unchanged": len(plan.unchanged), "not run": len(plan.steps) - len(states)})
    log.info("%d stages: %s", counts.total(), ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count))
    for state in states:
        state.result()  # raises the first failure


def _run_steps(engine: Engine, plan: Plan, keep_going: bool) -> list[State[str]]:
    log = get_run_logger()
    states: dict[str, State[str]] = {}
    lost: set[str] = set()
    for place, step in enumerate(plan.steps, 1):
        if needed := step.after & lost:
            lost.add(step.name)
            log.warning("stage %d of %d: %s is not run, as it needs %s", place, len(plan.steps), step.name, ", ".join(sorted(needed)))
            continue
        log.info("stage %d of %d: %s (%s)", place, len(plan.steps), step.name, step.reason)
        states[step.name] = _as_task(engine, step)(return_state=True, wait_for=[states[name] for name in sorted(step.after)])
        if not states[step.name].is_completed():
            lost.add(step.name)
            if not keep_going:
                break
    return list(states.values())


def _as_task(engine: Engine, step: Step) -> Task[[], str]:
    """A Prefect task for a step. DVC alone decides what is stale: Prefect neither caches nor keeps results."""
    kind = step.name.rpartition(":")[2].partition("@")[0]

    @task(name=kind, task_run_name=step.name, cache_policy=NO_CACHE, persist_result=False)
    def run() -> str:
        log = get_run_logger()

        def tell(line: str) -> None:
            if line.startswith((kind, "fold")):  # the rest is in logs/: Prefect takes 3 ms a line
                log.info(line)

        try:
            return engine.run(step, tell)
        except StageFailed as error:
            log.warning("\n".join(["last lines:", *error.lines]))
            raise

    return run


class OneSentence(logging.Filter):
    """Drops the traceback of an error that says in its own words what went wrong."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and isinstance(record.exc_info[1], (BadInput, StageFailed)):
            record.exc_info = None
        return True


def main(arguments: Sequence[str] | None = None, program: str = "python -m flows.benchmark") -> int:
    """Run the flow from the shell. Exit code 0; 2 where the input is bad, be it a stage that says so; else 1."""
    parser = argparse.ArgumentParser(prog=program, description=__doc__)
    parser.add_argument("targets", nargs="*", help="stages to bring up to date with all they need, such as evaluate (default: all)")
    parser.add_argument("--keep-going", action="store_true", help="after a failure, run the stages that do not need the failed one")
    parser.add_argument("--dry", action="store_true", help="print what would run, and why, and run nothing")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    options = parser.parse_args(arguments)
    if not options.debug:
        for name in ("prefect.flow_runs", "prefect.task_runs"):
            logging.getLogger(name).addFilter(OneSentence())
    try:
        design.validate(Path("params.yaml"))  # the flow's first task too, but a mistake need not wait for Prefect's server
        if options.dry:
            _print_plan(options.targets)
        else:
            get_current_settings().home.mkdir(parents=True, exist_ok=True)  # without it the server that Prefect starts waits in vain
            benchmark(options.targets, options.keep_going)
    except (BadInput, StageFailed) as error:
        if options.debug:
            traceback.print_exc()
        print(error, file=sys.stderr)
        return 2 if isinstance(error, BadInput) or error.code == 2 else 1
    except KeyboardInterrupt:
        print("stopped; finished stages are kept, and the next run goes on from there", file=sys.stderr)
        return 130
    return 0


def _print_plan(targets: list[str]) -> None:
    with Engine() as engine:
        plan = engine.plan(targets)
    for step in plan.steps:
        print(f"{step.name}: {step.reason}")
    print(f"{len(plan.steps)} stages would run or be checked again, {len(plan.unchanged)} are unchanged.")


if __name__ == "__main__":
    sys.exit(main())
