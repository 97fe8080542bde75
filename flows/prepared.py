"""A run that is ready to start: the plan, what its steps are likely to take, and the slots of this machine."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Self

from flows import estimates
from flows.engine import Engine
from flows.plan import Plan
from flows.schedule import Queue
from flows.selection import Selection
from flows.slots import Need, Slots, cores, gpus
from stages.contract.bad_input import BadInput

EVERYTHING = Selection()


@dataclasses.dataclass(frozen=True)
class Prepared:
    """``known``: seconds that steps are likely to take, of those that it is known of."""

    engine: Engine
    plan: Plan
    known: dict[str, float]
    slots: Slots

    @classmethod
    def of(
        cls,
        engine: Engine,
        targets: Sequence[str] = (),
        selection: Selection = EVERYTHING,
        jobs: int | None = None,
        timeout: float | None = None,
        stale: Callable[[], object] = lambda: None,
        dry: bool = False,
    ) -> Self:
        """``jobs``: CPU slots (None: one a core). ``timeout`` [s]: of stages that say none. ``stale`` and ``dry``: see ``Engine.plan``.

        BadInput: see the parts.
        """
        chosen = selection.of(engine.stages()) if selection != EVERYTHING else []
        if chosen and targets:
            raise BadInput("give either names of stages, or --only, --stage, --task and --model.")
        plan = engine.plan(chosen or list(targets), stale, dry)
        steps = [dataclasses.replace(step, timeout=Need.of(step).timeout or timeout) for step in plan.steps]
        return cls(engine, dataclasses.replace(plan, steps=steps), estimates.seconds(steps), Slots(jobs or cores(), gpus()))

    def queue(self) -> Queue:
        """The steps, those first which the longest chain of others waits for."""
        return Queue(self.plan.steps, estimates.longest(self.plan.steps, self.known))

    def total(self) -> float:
        """Seconds until all have ended, as this machine's slots allow; steps of which nothing is known take none."""
        return estimates.total(self.plan.steps, self.known, Slots(self.slots.cpus, self.slots.devices))
