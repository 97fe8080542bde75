"""Scores and group sizes by name, in the design's order: what every part of the page looks up."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from stages.contract.bad_input import BadInput

EVERYONE = ""
GROUPS = ("protected", "privileged", "mixed", "unknown")
GAP = "protected/privileged"
HIGHEST, RATIO, EVERY = "highest - lowest", "lowest / highest", "every group"  # gaps over all groups of a set
OURS, PUBLISHED = "crossbias", "naacl2022"
MANY = 16  # cells; what a page has of each of more than these in full lies in files beside it


class Score(NamedTuple):
    """One number: its interval and reason may be absent, and so may the number itself, never without a reason."""

    value: float | None
    ci_low: float | None
    ci_high: float | None
    n: int | None
    n_protected: int | None
    n_privileged: int | None
    planted: float | None
    reason: str | None
    p_value: float | None = None
    q_value: float | None = None
    verdict: str | None = None
    null_low: float | None = None
    null_high: float | None = None
    flagged: bool | None = None

    @property
    def known(self) -> float:
        """The number, where another number that rests on it is there, so that it must be."""
        if self.value is None:
            raise ValueError(f"a number is missing that another one rests on: {self.reason}")
        return self.value

    @property
    def bounded(self) -> bool:
        """Whether there is an interval."""
        return self.value is not None and self.ci_low is not None and self.ci_high is not None

    def holds(self, number: float) -> bool:
        """Whether there is an interval and ``number`` lies in it."""
        return self.ci_low is not None and self.ci_high is not None and self.ci_low <= number <= self.ci_high


class Key(NamedTuple):
    """Which number a score is."""

    task: str
    model: str
    attributes: str
    group: str
    metric: str
    convention: str


class Size(NamedTuple):
    """How many texts by how many people a group has."""

    texts: int
    people: int


@dataclass(frozen=True)
class Results:
    """``orders``: for each task its attribute sets, smallest first, with how many demographics each has.

    ``ungrouped`` are tasks that know nothing of their authors: there is a performance of each, and no groups.
    """

    models: list[str]
    orders: dict[str, dict[str, int]]
    sizes: dict[tuple[str, str, str], Size]
    scores: dict[Key, Score]
    ungrouped: tuple[str, ...] = ()

    def performed(self) -> Iterator[tuple[str, str]]:
        """Every cell, those without groups too."""
        return ((task, model) for task in (*self.orders, *self.ungrouped) for model in self.models)

    @property
    def many(self) -> bool:
        """Whether there are so many cells that a page with all tables and figures of each would be too long to open."""
        return len(list(self.cells())) > MANY

    def cells(self) -> Iterator[tuple[str, str]]:
        return ((task, model) for task in self.orders for model in self.models)

    def gap(self, task: str, model: str, attributes: str, metric: str, convention: str = OURS) -> Score | None:
        """A gap of a set, None where the design does not ask for it."""
        return self.scores.get(Key(task, model, attributes, GAP, metric, convention))

    def rate(self, task: str, model: str, attributes: str, group: str, metric: str) -> Score:
        """A rate of a group of a set."""
        return self.scores[Key(task, model, attributes, group, metric, OURS)]

    def furthest(self, task: str, model: str, order: int, metric: str) -> Score | None:
        """The set of an order that stands out most, tested against the one that does among as many sets as small by chance."""
        return self.scores.get(Key(task, model, EVERYONE, f"any set of order {order}", metric, OURS))

    def everyone(self, task: str, model: str, metric: str) -> Score:
        """A number about all texts together."""
        return self.rate(task, model, EVERYONE, "everyone", metric)

    def total(self, task: str) -> Size:
        """All texts of a task and the people who wrote them (at most so many, should someone's demographics differ between texts)."""
        sums = [[self.sizes[task, attributes, group] for group in GROUPS] for attributes in self.orders[task]]
        return Size(min(sum(s.texts for s in groups) for groups in sums), min(sum(s.people for s in groups) for groups in sums))


def read(scores: pa.Table, sets: pa.Table, tasks: list[str], models: list[str]) -> Results:
    """The results of the cells ``tasks`` x ``models`` and no others; BadInput where a cell has none."""
    orders: dict[str, dict[str, int]] = {task: {} for task in tasks}
    sizes = {}
    for row in sets.to_pylist():
        orders.setdefault(row["task"], {})[row["attributes"]] = row["order"]
        sizes[row["task"], row["attributes"], row["group"]] = Size(row["texts"], row["authors"])
    found = {Key(*map(row.get, Key._fields)): Score(*map(row.get, Score._fields)) for row in scores.to_pylist()}
    ordered = {task: dict(sorted(orders[task].items(), key=lambda item: item[1])) for task in tasks if orders[task]}
    results = Results(models, ordered, sizes, found, tuple(task for task in tasks if not orders[task]))
    for task, model in results.performed():
        if Key(task, model, EVERYONE, "everyone", "accuracy", OURS) not in found:
            raise BadInput(f"task {task}, model {model}: scores are missing; rerun evaluate (dvc repro).")
    return results
