"""What stands out in a cell: the sets with a disparity, those furthest from parity, and which group a gap concerns."""

import math

from stages.reporting.results import Results, Score
from stages.reporting.wording import number

RANKS = {"disparity": 0, "no evidence of disparity": 1}


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


def notable(results: Results, task: str, model: str, metric: str) -> dict[str, Score]:
    """The same with disparities first, then those of which the test can tell, then the others."""
    return dict(sorted(defined(results, task, model, metric).items(), key=lambda item: RANKS.get(item[1].verdict or "", 2)))


def disparities(results: Results, task: str, model: str, metric: str) -> int:
    """How many sets have the verdict disparity."""
    return len(apart(results, task, model, metric))


def apart(results: Results, task: str, model: str, metric: str) -> dict[str, Score]:
    """The sets with the verdict disparity, furthest from parity first."""
    return {attributes: gap for attributes, gap in defined(results, task, model, metric).items() if gap.verdict == "disparity"}


def recall(results: Results, task: str, model: str, attributes: str) -> str:
    """The two rates whose difference a set's FV is."""
    everyone = results.everyone(task, model, "tpr").known
    if everyone in (0.0, 1.0):  # an FV of 0 that says nothing about fairness
        return f"the model selects {'all' if everyone else 'none'} of the texts with a favourable label, whoever wrote them"
    rates = {group: results.rate(task, model, attributes, group, "tpr").known for group in ("protected", "privileged")}
    group = max(rates, key=lambda name: abs(rates[name] - everyone))
    return f"TPR {number(rates[group])} in the {group} group, {number(everyone)} for everyone"
