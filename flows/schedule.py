"""Starts each step as soon as what it needs has ended and slots for it are free; failures stop nothing but what needs them."""

import dataclasses
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Protocol

from flows.plan import Step
from flows.process import StageFailed
from flows.slots import Need, Share, Slots

# Seconds before each further try: of a download that failed, and of a stage for which memory was too small, then alone.
PAUSES = {"temporary": (10.0, 60.0, 300.0), "memory": (5.0,)}
TICK = 1.0
Start = Callable[[Step, str | None], "Future[str]"]


@dataclass(frozen=True)
class Outcome:
    """How a step ended: ran | restored | unchanged | failed (``error``) | not run (``blamed``: what failed, if it needs that)."""

    step: Step
    state: str
    seconds: float = 0.0
    error: BaseException | None = None
    blamed: str = ""


class Watch(Protocol):
    """Somebody who is told what happens, in the thread of the scheduler."""

    def started(self, step: Step, device: str | None) -> None: ...
    def again(self, step: Step, error: BaseException, pause: float) -> None: ...
    def ended(self, outcome: Outcome) -> None: ...
    def tick(self) -> None: ...


class Silent:
    """A ``Watch`` that tells nobody."""

    def started(self, step: Step, device: str | None) -> None: ...
    def again(self, step: Step, error: BaseException, pause: float) -> None: ...
    def ended(self, outcome: Outcome) -> None: ...
    def tick(self) -> None: ...


class Queue:
    """Steps that wait to start, those first which most depends on (``ranks``), else in dvc.yaml's order."""

    def __init__(self, steps: Sequence[Step], ranks: Mapping[str, float]) -> None:
        self.waiting = sorted(steps, key=lambda step: -ranks[step.name])
        self._needs = {step.name: Need.of(step) for step in steps}
        self._open = {step.name for step in steps}
        self._earliest: dict[str, float] = {}

    def pick(self, slots: Slots, now: float = 0.0) -> Iterator[tuple[Step, Share]]:
        """The steps that can start, with their shares. One that finds no slots holds up those behind it that want the same kind."""
        full: set[bool] = set()
        ready = [step for step in self.waiting if not step.after & self._open and self._earliest.get(step.name, 0.0) <= now]
        for step in ready:
            kind = self._needs[step.name].gpu and bool(slots.devices)
            if kind in full:
                continue
            if share := slots.take(self._needs[step.name], step.alone):
                self.waiting.remove(step)
                yield step, share
            else:
                full |= {True, False} if step.alone else {kind}

    def done(self, name: str) -> None:
        """A step has ended well: those that need it may start."""
        self._open.discard(name)

    def put_back(self, step: Step, earliest: float) -> None:
        """A step is to start anew, before others but not before that time."""
        self.waiting.insert(0, step)
        self._earliest[step.name] = earliest

    def drop(self, name: str) -> list[Step]:
        """Take out, and return, all steps that need ``name``, near or far."""
        lost = {name}
        while more := {step.name for step in self.waiting if step.after & lost} - lost:
            lost |= more
        dropped = [step for step in self.waiting if step.name in lost]
        self.waiting = [step for step in self.waiting if step.name not in lost]
        return dropped

    def clear(self) -> list[Step]:
        """Take out, and return, all steps."""
        dropped, self.waiting = self.waiting, []
        return dropped


class Schedule:
    """One run of ``steps``. ``start`` sets a step going, on a GPU where it got one; ``watch`` hears of it; ``clock`` is in seconds."""

    def __init__(self, queue: Queue, slots: Slots, start: Start, watch: Watch, fail_fast: bool = False) -> None:
        self.queue, self.slots, self.start, self.watch, self.fail_fast = queue, slots, start, watch, fail_fast
        self.outcomes: dict[str, Outcome] = {}
        self._running: dict[Future[str], tuple[Step, Share, float]] = {}
        self._failures: Counter[tuple[str, str]] = Counter()

    def run(self, stop: Callable[[], object]) -> list[Outcome]:
        """Run all steps: what became of each. Whatever breaks in, such as Ctrl-C, calls ``stop`` and waits for the running ones."""
        try:
            while self.queue.waiting or self._running:
                self._start()
                done, _ = wait(self._running, timeout=TICK, return_when=FIRST_COMPLETED)
                for future in done:
                    self._end(future, *self._running.pop(future))
                self.watch.tick()
        except BaseException:
            stop()
            wait(self._running)
            raise
        return list(self.outcomes.values())

    def _start(self) -> None:
        for step, share in self.queue.pick(self.slots, time.monotonic()):
            device = share.devices[0] if share.devices else None
            self.watch.started(step, device)
            self._running[self.start(step, device)] = step, share, time.monotonic()
        if not self._running:  # those that wait to be tried again
            time.sleep(TICK)

    def _end(self, future: "Future[str]", step: Step, share: Share, since: float) -> None:
        self.slots.give(share)
        spent, error = time.monotonic() - since, future.exception()
        if error is None:
            self.queue.done(step.name)
            self._tell(Outcome(step, future.result(), spent))
        elif not self._again(step, error):
            self._tell(Outcome(step, "failed", spent, error))
            for lost in self.queue.drop(step.name):
                self._tell(Outcome(lost, "not run", blamed=step.name))
            if self.fail_fast:
                for other in self.queue.clear():
                    self._tell(Outcome(other, "not run"))

    def _again(self, step: Step, error: BaseException) -> bool:
        """Whether a step is worth another try: none for what would only fail in the same way."""
        why = error.why if isinstance(error, StageFailed) else ""
        pauses, tries = PAUSES.get(why, ()), self._failures[step.name, why]
        if tries == len(pauses) or (self.fail_fast and self._failed()):
            return False
        self._failures[step.name, why] += 1
        self.watch.again(step, error, pauses[tries])
        again = dataclasses.replace(step, attempt=step.attempt + 1, alone=step.alone or why == "memory")
        self.queue.put_back(again, time.monotonic() + pauses[tries])
        return True

    def _failed(self) -> bool:
        return any(outcome.state == "failed" for outcome in self.outcomes.values())

    def _tell(self, outcome: Outcome) -> None:
        self.outcomes[outcome.step.name] = outcome
        self.watch.ended(outcome)
