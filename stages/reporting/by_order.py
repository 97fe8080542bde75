"""What each number of demographics comes to: gaps of all attribute sets -> one line a cell, order, metric and convention."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from stages.contract.params import Design, Entry
from stages.reporting.findings import distance
from stages.reporting.results import OURS, PUBLISHED, Results, Score

METRICS = ("adi", "di", "fv")
CONVENTIONS = (OURS, PUBLISHED)


class Arm(NamedTuple):
    """A model as the paper's tables name one: what it is built on, under the name of its first model, and what was done to it."""

    model: str
    representation: str
    debiaser: str
    mitigation: str

    @property
    def treatment(self) -> str:
        """Debiaser and mitigation in words, ``none`` without either."""
        return " + ".join(part for part in (self.debiaser, self.mitigation) if part != "none") or "none"


class Line(NamedTuple):
    """The gaps of all sets of one order: their mean, the set furthest from parity, the range, and how often chance goes as far.

    ``mean_low`` to ``mean_high``: see ``mean_of``. ``p_any``: of the set that stands out most, which accounts for its being
    chosen. ``undefined``: how many of the ``sets`` have no gap.
    """

    task: str
    model: str
    representation: str
    debiaser: str
    mitigation: str
    demographics: int
    metric: str
    convention: str
    sets: int
    undefined: int
    mean: float | None
    mean_low: float | None
    mean_high: float | None
    null_low: float | None
    null_high: float | None
    furthest_set: str | None
    furthest: float | None
    furthest_low: float | None
    furthest_high: float | None
    n_protected: int | None
    n_privileged: int | None
    p_any: float | None
    lowest: float | None
    highest: float | None
    reason: str | None


def arms(design: Design) -> list[Arm]:
    """The design's models, those of one base and family together, in the design's order."""
    first: dict[str, str] = {}
    found = []
    for name, model in design.models.items():
        options = {key: value for key, value in model.family.model_dump().items() if key != "mitigation"}
        representation = first.setdefault(repr((model.base, options)), name)
        mitigation = getattr(model.family, "mitigation", None)
        debiaser = "none" if model.debiaser.use == "identity" else model.debiaser.use
        found.append(Arm(name, representation, debiaser, mitigation.use if isinstance(mitigation, Entry) else "none"))
    return sorted(found, key=lambda arm: list(first.values()).index(arm.representation))


def lines(results: Results, design: Design) -> list[Line]:
    """A line for each task, model, order, metric and convention of which a score is there, in this order of importance."""
    return [
        _line(results, task, arm, order, metric, convention)
        for task, sets in results.orders.items()
        for arm in arms(design)
        for order in sorted(set(sets.values()))
        for metric in METRICS
        for convention in CONVENTIONS
        if any(results.gap(task, arm.model, name, metric, convention) for name in sets)
    ]


def _line(results: Results, task: str, arm: Arm, order: int, metric: str, convention: str) -> Line:
    names = [name for name, of in results.orders[task].items() if of == order]
    gaps = {name: gap for name in names if (gap := results.gap(task, arm.model, name, metric, convention)) is not None}
    known = {name: gap for name, gap in gaps.items() if gap.value is not None}
    mean, low, high, reason = mean_of(list(gaps.values()))
    furthest = max(known, key=lambda name: distance(metric, known[name].known)) if known else None
    own = known[furthest] if furthest is not None else Score(None, None, None, None, None, None, None, None)
    tested = results.furthest(task, arm.model, order, metric) if convention == OURS else None
    values = [gap.known for gap in known.values()]
    return Line(
        task=task,
        **arm._asdict(),
        demographics=order,
        metric=metric,
        convention=convention,
        sets=len(gaps),
        undefined=len(gaps) - len(known),
        mean=mean,
        mean_low=low,
        mean_high=high,
        null_low=_mean([gap.null_low for gap in known.values()]),
        null_high=_mean([gap.null_high for gap in known.values()]),
        furthest_set=furthest,
        furthest=own.value,
        furthest_low=own.ci_low,
        furthest_high=own.ci_high,
        n_protected=own.n_protected,
        n_privileged=own.n_privileged,
        p_any=tested.p_value if tested is not None else None,
        lowest=min(values, default=None),
        highest=max(values, default=None),
        reason=reason,
    )


def mean_of(gaps: list[Score]) -> tuple[float | None, float | None, float | None, str | None]:
    """The mean of the sets' gaps, an interval of it, and why one is missing.

    The interval's ends are the means of the sets' ends. Sets share people, so that their errors go together to an extent that the
    scores do not tell; but the standard error of a mean is at most the mean of the standard errors, whatever they share, so that the
    interval holds the mean of the true gaps at least as often as each set's holds its own, for errors near enough to normal: in 98 to
    100 % of simulated studies of 60 to 600 people with three pairs of demographics, at 95 %.
    """
    known = [gap for gap in gaps if gap.value is not None]
    if not known:
        return None, None, None, gaps[0].reason if gaps else "not computed"
    mean = float(np.mean([gap.known for gap in known]))
    if len(known) < len(gaps):
        return mean, None, None, f"undefined in {len(gaps) - len(known)} of {len(gaps)} sets, which the mean leaves out"
    without = sum(not gap.bounded for gap in gaps)
    if without:
        return mean, None, None, f"{without} of {len(gaps)} sets have no interval"
    low, high = (float(np.mean([getattr(gap, end) for gap in gaps])) for end in ("ci_low", "ci_high"))
    return mean, low, high, None


def _mean(ends: list[float | None]) -> float | None:
    """None where an end is missing, or all are."""
    known = [end for end in ends if end is not None]
    return float(np.mean(known)) if known and len(known) == len(ends) else None


def as_table(found: list[Line]) -> pa.Table:
    """All lines, one row each; what is undefined is an empty field, with the reason at the end."""
    kinds = {int: pa.int64(), int | None: pa.int64(), float | None: pa.float64(), str: pa.string(), str | None: pa.string()}
    schema = pa.schema([(name, kinds[kind]) for name, kind in Line.__annotations__.items()])
    return pa.Table.from_pylist([line._asdict() for line in found], schema=schema)
