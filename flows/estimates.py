"""How long steps will take, by the past runs that data/footprint remembers, and which of them everything waits for."""

import heapq
from collections.abc import Collection, Mapping
from pathlib import Path
from statistics import fmean

from flows.plan import Step
from flows.schedule import Queue
from flows.selection import Cell
from flows.slots import Share, Slots
from stages.contract import footprint


def seconds(steps: Collection[Step], folder: Path = footprint.FOLDER) -> dict[str, float]:
    """Seconds of each step in its last run, else the mean of its stage's; a step is missing where no such stage ever ran."""
    past = {Cell(run.stage, tuple(run.names.items())): run.seconds for run in footprint.read(folder)}
    kinds: dict[str, list[float]] = {}
    for cell, spent in past.items():
        kinds.setdefault(cell.kind, []).append(spent)
    cells = {step.name: Cell.of(step.stage) for step in steps}
    return {name: past.get(cell, fmean(kinds[cell.kind])) for name, cell in cells.items() if cell.kind in kinds}


def longest(steps: list[Step], known: Mapping[str, float]) -> dict[str, float]:
    """Seconds from each step's start to the end of all that needs it, were there slots enough; unknown steps count as the mean."""
    other = fmean(known.values()) if known else 1.0
    ranks = dict.fromkeys((step.name for step in steps), 0.0)
    for step in reversed(steps):  # each after those it needs
        ranks[step.name] += known.get(step.name, other)
        for name in step.after & ranks.keys():
            ranks[name] = max(ranks[name], ranks[step.name])
    return ranks


def total(steps: list[Step], known: Mapping[str, float], slots: Slots, spent: Mapping[str, float] | None = None) -> float:
    """Seconds until all ``steps`` have ended, as the scheduler would start them on idle ``slots``; unknown ones take none.

    ``spent``: how long those that run have been running.
    """
    queue, now = Queue(steps, longest(steps, known)), 0.0
    ends: list[tuple[float, str]] = []
    shares: dict[str, Share] = {}
    while True:
        for step, share in queue.pick(slots):
            shares[step.name] = share
            heapq.heappush(ends, (now + max(known.get(step.name, 0.0) - (spent or {}).get(step.name, 0.0), 0.0), step.name))
        if not ends:
            return now
        now, name = heapq.heappop(ends)
        slots.give(shares[name])
        queue.done(name)
