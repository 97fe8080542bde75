"""Tells how a run is getting on: a line as each step starts and ends, a status line in a terminal, tables for Prefect's pages."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from flows import estimates
from flows.plan import Plan, Step
from flows.process import StageFailed
from flows.schedule import Outcome
from flows.selection import Cell
from flows.slots import Slots

Say = Callable[[str], object]
STATES = ("failed", "not run", "ran", "restored", "unchanged")
EVERY = 5.0  # seconds between two estimates


class Progress:
    """What a schedule tells (``schedule.Watch``), said in words. ``known``: seconds that steps are likely to take."""

    def __init__(self, plan: Plan, known: Mapping[str, float], slots: Slots, say: Say, console: Console | None = None) -> None:
        self.plan, self.known, self.say = plan, dict(known), say
        self.outcomes: dict[str, Outcome] = {}
        self.left: float | None = None
        self._idle = Slots(slots.cpus, slots.devices)
        self._places = {step.name: place for place, step in enumerate(plan.steps, 1)}
        self._running: dict[str, float] = {}
        self._since, self._estimated = time.monotonic(), -EVERY
        live = console is not None and console.is_terminal
        self._live = Live(console=console, transient=True, auto_refresh=False) if live else None

    def __enter__(self) -> "Progress":
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()

    def started(self, step: Step, device: str | None) -> None:
        self._running[step.name] = time.monotonic()
        where = f" on GPU {device}" if device else ""
        self.say(f"{self._place(step)} starts{where} ({step.reason})")

    def again(self, step: Step, error: BaseException, pause: float) -> None:
        del self._running[step.name]
        alone = ", with the machine to itself and in one process" if getattr(error, "why", "") == "memory" else ""
        self.say(f"{error}; it is tried again in {pause:g} s{alone}")

    def ended(self, outcome: Outcome) -> None:
        name = outcome.step.name
        self.outcomes[name] = outcome
        self._running.pop(name, None)
        if outcome.state == "not run":
            self.say(f"{self._place(outcome.step)} is not run, {reason(outcome)}")
        elif outcome.state == "failed":
            self.say(f"{self._place(outcome.step)} FAILED after {spell(outcome.seconds)}: {outcome.error}")
        else:
            self.say(f"{self._place(outcome.step)} {outcome.state} in {spell(outcome.seconds)}")
            if outcome.state == "ran":
                self._learn(outcome)

    def tick(self) -> None:
        """Estimate the end anew, now and then, and draw the status line."""
        if time.monotonic() - self._estimated >= EVERY:
            self._estimated = time.monotonic()
            spent = {name: time.monotonic() - since for name, since in self._running.items()}
            rest = [step for step in self.plan.steps if step.name not in self.outcomes]
            enough = all(step.name in self.known for step in rest)
            self.left = estimates.total(rest, self.known, self._idle, spent) if enough else None
        if self._live:
            self._live.update(Text(self.line(), overflow="ellipsis", no_wrap=True), refresh=True)

    def line(self) -> str:
        """ "12 of 40 done, 3:20 so far, about 12:00 left; running finetune@a, evaluate@b"."""
        left = "" if self.left is None else f", about {spell(self.left)} left"
        done = f"{len(self.outcomes)} of {len(self.plan.steps)} done, {spell(time.monotonic() - self._since)} so far"
        return f"{done}{left}; running {', '.join(self._running) or 'none'}"

    def share(self) -> float:
        """The per cent of steps that have ended."""
        return 100 * len(self.outcomes) / max(len(self.plan.steps), 1)

    def table(self) -> list[dict[str, Any]]:
        """A row a step: its state, seconds, and the headline figures of a cell that has some."""
        rows = []
        for step in self.plan.steps:
            outcome = self.outcomes.get(step.name)
            state = outcome.state if outcome else "running" if step.name in self._running else "waiting"
            row: dict[str, Any] = {"step": step.name, "state": state, "seconds": round(outcome.seconds, 1) if outcome else None}
            rows.append(row | (_figures(step) if state in ("ran", "restored") else {}))
        names = list(dict.fromkeys(name for row in rows for name in row))
        return [{name: row.get(name) for name in names} for row in rows]

    def _place(self, step: Step) -> str:
        again = f", attempt {step.attempt}" if step.attempt > 1 else ""
        return f"step {self._places[step.name]} of {len(self.plan.steps)}: {step.name}{again}"

    def _learn(self, outcome: Outcome) -> None:
        """Steps of a stage that never ran before will take as long as the first that has."""
        kind = Cell.of(outcome.step.stage).kind
        for step in self.plan.steps:
            if step.name not in self.known and Cell.of(step.stage).kind == kind:
                self.known[step.name] = outcome.seconds


def summary(plan: Plan, outcomes: list[Outcome]) -> Iterator[str]:
    """How many steps ended how; of each failure its command, last words, what was not run for it, and how to run it again."""
    for outcome in outcomes:
        if outcome.state == "failed":
            lost = [other.step.name for other in outcomes if other.blamed == outcome.step.name]
            yield f"{outcome.step.name} failed: {outcome.error}"
            yield f"  command: {outcome.step.stage.cmd}"
            lines = outcome.error.lines if isinstance(outcome.error, StageFailed) else []
            yield from ["  last lines:", *(f"    {line}" for line in lines)] if lines else []
            yield from [f"  not run, as they need it: {', '.join(lost)}"] if lost else []
            yield f"  to run it again: crossbias run --only '{outcome.step.name}'"
    counts = Counter(outcome.state for outcome in outcomes)
    counts["unchanged"] += len(plan.unchanged)
    yield f"{counts.total()} stages: " + ", ".join(f"{counts[state]} {state}" for state in STATES if counts[state])


def reason(outcome: Outcome) -> str:
    """Why a step was not run."""
    return f"as it needs {outcome.blamed}" if outcome.blamed else "as another failed"


def spell(seconds: float) -> str:
    """ "4.1 s", "3:20" or "1:03:20"."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def _figures(step: Step) -> dict[str, float]:
    """The numbers of a step's metrics, such as adi.order_1, at four digits."""
    found: dict[str, float] = {}
    for out in step.stage.outs:
        if out.is_metric and out.fs_path.endswith(".json"):
            with open(out.fs_path, encoding="utf-8") as file:  # noqa: PTH123 (DVC's path is text)
                found |= dict(_flat(json.load(file)))
    return found


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}".strip("."))
    elif isinstance(value, int | float):
        yield name, float(f"{value:.4g}")
