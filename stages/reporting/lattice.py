"""The heat map of intersections: every attribute set by its number of demographics, a cell a model, its colour the gap."""

import bisect
import itertools
from typing import Any, NamedTuple

from stages.reporting.assessment_rows import NO_EVIDENCE
from stages.reporting.results import Results, Score
from stages.reporting.wording import METRICS, number, set_name

# Ends of the classes of colour: of ADI on both sides of parity (0.5 is as far as 2), of FV upwards from 0.
ENDS = {"adi": (0.5, 0.8, 0.95, 1 / 0.95, 1.25, 2.0), "fv": (0.05, 0.1, 0.2)}
CLASSES = {"adi": ("less3", "less2", "less1", "even", "more1", "more2", "more3"), "fv": ("even", "less1", "less2", "less3")}


class Tile(NamedTuple):
    """A cell of the map: its class of colour, its value, the verdict in words where it is more than no evidence, and what chance gives."""

    colour: str
    value: str
    verdict: str
    chance: str


def parts(results: Results) -> dict[str, Any]:
    """Of each task a map of every gap that it has: orders, each with its sets, each with a tile a model; and the legends."""
    maps = {task: [_map(results, task, metric) for metric in ENDS if _asked(results, task, metric)] for task in results.orders}
    return {"maps": {task: own for task, own in maps.items() if own}, "legends": {METRICS[metric]: _legend(metric) for metric in ENDS}}


def _asked(results: Results, task: str, metric: str) -> bool:
    return any(results.gap(task, results.models[0], name, metric) for name in results.orders[task])


def _map(results: Results, task: str, metric: str) -> dict[str, Any]:
    orders: dict[int, list[tuple[str, list[Tile]]]] = {}
    for name, order in results.orders[task].items():
        tiles = [tile(metric, results.gap(task, model, name, metric)) for model in results.models]
        orders.setdefault(order, []).append((set_name(name), tiles))
    return {"metric": METRICS[metric], "orders": orders}


def tile(metric: str, gap: Score | None) -> Tile:
    """A gap as a tile."""
    if gap is None or gap.value is None:
        return Tile("none", "-", "undefined", "")
    chance = "" if gap.null_low is None or gap.null_high is None else f"{number(gap.null_low)} to {number(gap.null_high)}"
    verdict = gap.verdict or "not tested"
    return Tile(
        CLASSES[metric][bisect.bisect(ENDS[metric], gap.value)], number(gap.value), "" if verdict == NO_EVIDENCE else verdict, chance
    )


def _legend(metric: str) -> list[tuple[str, str]]:
    """Each class of colour with what it stands for."""
    ends = [f"{end:.2f}".rstrip("0").rstrip(".") for end in ENDS[metric]]
    words = [f"below {ends[0]}", *(f"{low} to {high}" for low, high in itertools.pairwise(ends)), f"{ends[-1]} and above"]
    return list(zip(CLASSES[metric], words, strict=True))
