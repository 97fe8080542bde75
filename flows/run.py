"""`crossbias run`: bring the benchmark up to date as `dvc repro` would, in parallel and watched by Prefect."""

import argparse
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from flows import check
from flows.arguments import commas, whole
from stages.contract.bad_input import BadInput

if TYPE_CHECKING:
    from prefect.task_runners import TaskRunner

    from flows.prepared import Prepared
    from flows.schedule import Outcome
    from flows.server import Server


def main(arguments: Sequence[str] | None = None, program: str = "crossbias run") -> int:
    """Exit code 0: all is up to date; 2: bad input, be it stages that say so; 130: stopped; else 1."""
    options = _parser(program).parse_args(arguments)
    from flows.process import StageFailed

    signal.signal(signal.SIGTERM, _stop)
    try:
        check.validate(Path("params.yaml"))
        return _run(options)
    except (BadInput, StageFailed) as error:
        if options.debug:
            traceback.print_exc()
        print(error, file=sys.stderr)
        return 2 if isinstance(error, BadInput) else 1
    except KeyboardInterrupt:
        print("stopped; finished stages are kept, and the next run goes on from there", file=sys.stderr)
        return 130


def _run(options: argparse.Namespace) -> int:
    from flows.engine import Engine
    from flows.prepared import Prepared
    from flows.selection import Selection
    from flows.server import Server
    from flows.slots import seconds

    timeout = seconds(options.timeout) if options.timeout else None
    selection = Selection(options.only, options.stage, options.task, options.model)
    server = Server()
    workers = _workers(options.workers) if options.workers and not options.dry else None
    with Engine(wait=_say if options.wait else None) as engine:
        start = _nothing if options.dry else server.start
        prepared = Prepared.of(engine, options.targets, selection, options.jobs, timeout, start, options.dry)
        for line in prepared.plan.farewell(options.dry):
            print(line)
        if options.dry:
            print("\n".join(_told(prepared)))
        elif not prepared.plan.steps:
            print(f"{len(prepared.plan.unchanged)} stages: all are up to date")
        else:
            return _with_prefect(prepared, server, workers, options)
    return 0


def _workers(address: str) -> "TaskRunner[Any]":
    from flows import runners

    return runners.runner(address)


def _nothing() -> None: ...


def _with_prefect(prepared: "Prepared", server: "Server", workers: "TaskRunner[Any] | None", options: argparse.Namespace) -> int:
    from flows import benchmark, terminal  # import Prefect, which takes a second

    if not options.debug:
        terminal.quiet()
    server.ready()
    outcomes: list[Outcome] = []
    try:
        state = benchmark.flow_of(prepared, options.fail_fast, outcomes.extend, workers, options.remote)(return_state=True)
        errors = [outcome.error for outcome in outcomes if outcome.error is not None]
        if not errors:
            state.result()  # raises what else went wrong
            return 0
        return 2 if all(getattr(error, "code", None) == 2 for error in errors) else 1
    finally:
        server.leave_if_dead()


def _told(prepared: "Prepared") -> Iterator[str]:
    """What would run and why, the seconds that it took last time, and all of it together."""
    from flows.progress import spell

    plan, known = prepared.plan, prepared.known
    for step in plan.steps:
        taken = f"about {spell(known[step.name])}" if step.name in known else "time unknown"
        yield f"{step.name}: {step.reason}; {taken}"
    yield f"{len(plan.steps)} stages would run or be checked again, {len(plan.unchanged)} are unchanged."
    unknown = len(plan.steps) - len(known)
    if known:
        rest = f", and {unknown} stages that never ran" if unknown else ""
        yield f"About {spell(prepared.total())} with --jobs {prepared.slots.cpus} and {len(prepared.slots.devices)} GPUs{rest}."


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=program, description=__doc__)
    parser.add_argument("targets", nargs="*", help="stages to bring up to date with all they need, such as evaluate (default: all)")
    chosen = parser.add_argument_group("which steps (those that fit all of these, with all they need; several with commas between)")
    chosen.add_argument("--only", type=commas, default=(), metavar="STEP", help="names of steps, or patterns: 'evaluate@trust-*'")
    for name in ("stage", "task", "model"):
        chosen.add_argument(f"--{name}", type=commas, default=(), metavar="NAME", help=f"the steps of a {name}")
    parser.add_argument("--jobs", type=whole, metavar="N", help="CPU slots: how many steps of one process run at once (default: the cores)")
    parser.add_argument("--timeout", metavar="TIME", help="end a step after so long, such as 90s, 30m or 2h, unless dvc.yaml says another")
    parser.add_argument("--fail-fast", action="store_true", help="after a failure start nothing more (default: run what does not need it)")
    parser.add_argument("--keep-going", action="store_true", help=argparse.SUPPRESS)  # the default now; kept for scripts
    parser.add_argument(
        "--workers", metavar="ADDRESS", help="run the steps on Dask's workers (tcp://HOST:8786) or Ray's (ray://HOST:10001)"
    )
    parser.add_argument("--remote", metavar="NAME", help="DVC's remote by which workers share files (default: DVC's default)")
    parser.add_argument("--wait", action="store_true", help="where another run holds this workspace, wait for its end")
    parser.add_argument("--dry", action="store_true", help="print what would run, why, and for how long, and run nothing")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error, and all that Prefect says")
    return parser


if __name__ == "__main__":
    sys.exit(main())
