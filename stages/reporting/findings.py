"""What stands out in a cell: the sets furthest from parity, and which group a gap concerns."""

import math

from stages.reporting.results import Results, Score
from stages.reporting.wording import number


def distance(metric: str, value: float) -> float:
    """How far from parity: for a ratio by its logarithm, so that 0.5 is as far as 2; for FV the value itself."""
    if metric == "fv":
        return value
    return math.inf if value == 0 else abs(math.log(value))


def defined(results: Results, task: str, model: str, metric: str) -> dict[str, Score]:
    """The sets whose gap has a value, those furthest from parity first."""
    gaps = {attributes: results.gap(task, model, attributes, metric) for attributes in results.orders[task]}
    known = {attributes: gap for attributes, gap in gaps.items() if gap is not None and gap.value is not None}
    return dict(sorted(known.items(), key=lambda item: -distance(metric, item[1].known)))


def apart(results: Results, task: str, model: str) -> dict[str, Score]:
    """The sets whose ADI has an interval that does not hold 1, furthest first."""
    return {attributes: adi for attributes, adi in defined(results, task, model, "adi").items() if adi.bounded and not adi.holds(1)}


def bounded(results: Results, task: str, model: str) -> int:
    """How many sets have an ADI with an interval."""
    return sum(adi.bounded for adi in defined(results, task, model, "adi").values())


def disparities(results: Results, task: str, model: str, metric: str) -> int:
    """How many sets have the verdict disparity."""
    return sum(gap.verdict == "disparity" for gap in defined(results, task, model, metric).values())


def recall(results: Results, task: str, model: str, attributes: str) -> str:
    """The two rates whose difference a set's FV is."""
    everyone = results.everyone(task, model, "tpr").known
    if everyone in (0.0, 1.0):  # an FV of 0 that says nothing about fairness
        return f"the model selects {'all' if everyone else 'none'} of the texts with a favourable label, whoever wrote them"
    rates = {group: results.rate(task, model, attributes, group, "tpr").known for group in ("protected", "privileged")}
    group = max(rates, key=lambda name: abs(rates[name] - everyone))
    return f"TPR {number(rates[group])} in the {group} group, {number(everyone)} for everyone"
