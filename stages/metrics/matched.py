"""A debiased or mitigated model beside its baseline, and beside that baseline cut to its selection rate: a row a set and metric."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.contract.vocabulary import COLLAPSED
from stages.metrics.effects import around, exchange_p
from stages.metrics.fairness import counts, ratio
from stages.metrics.resampling import METRICS, Resampled, collapsed, values
from stages.metrics.scoring import finite
from stages.metrics.testing import benjamini_hochberg

Numbers = NDArray[np.float64]
NO_CUT = "not matched: the baseline's decisions do not follow its scores"
FLAT = f"{COLLAPSED}: the model or the matched baseline selects every text or none, so that gaps say nothing"
UNDEFINED = "the gap of the model or of the matched baseline is undefined: a group has no text, or its denominator is 0"


def matched(task: Resampled, three: tuple[int, int, int], place: int, confidence: float, fewest: int) -> list[dict[str, Any]]:
    """The rows of one task and model; ``three`` are the model, its baseline and the matched baseline, swapped with it as pair ``place``.

    The cut is taken as given: neither interval nor test finds it anew. q: among the sets of a metric.
    """
    everyone = _of_everyone(task, three)
    found = np.moveaxis(values(task.sums[list(three)]), -1, 0)
    people = task.panel.people_in()[1:].reshape(-1, 2, 2).min(axis=1)  # of the smaller group: with a text, with a favourable one
    flat = bool(collapsed(task.sums[[three[0], three[2]]]).any())
    rows = []
    for metric, name in enumerate(METRICS):
        few = people[:, int(name in ("fv", "tpr"))]
        tested = [_difference(task, (three[0], three[2]), place, at, confidence) for at in ((number, metric) for number in range(len(few)))]
        for row, number in zip(tested, few, strict=True):
            if row["difference"] is not None and number < fewest:
                why = f"not tested: {number:.0f} people in one of the groups, {fewest} needed"
                row |= {"ci_low": None, "ci_high": None, "p_value": None, "reason": why}
            elif row["difference"] is None and np.isnan(everyone["matched_accuracy"]):
                row["reason"] = NO_CUT
            elif flat:
                row["reason"] = FLAT
        q_values = benjamini_hochberg(np.array([row["p_value"] for row in tested], dtype=float))
        for number, chosen in enumerate(task.panel.sets):
            own = dict(zip(("value", "baseline_value", "matched_value"), map(finite, found[metric, :, number]), strict=True))
            named = {"attributes": "+".join(chosen), "order": len(chosen), "metric": name}
            rows.append(named | own | tested[number] | {"q_value": finite(q_values[number])} | everyone)
    return rows


def _difference(task: Resampled, models: tuple[int, int], place: int, at: tuple[int, int], confidence: float) -> dict[str, Any]:
    """Of one set and metric: the model's distance from parity less the matched baseline's, with interval and p."""
    one, other = ((model, *at) for model in models)
    difference = task.point[one] - task.point[other]
    if np.isnan(difference):
        return {"difference": None, "ci_low": None, "ci_high": None, "p_value": None, "reason": UNDEFINED}
    draws = slice(None)
    low, high, reason = around(float(difference), task.drawn[(draws, *one)] - task.drawn[(draws, *other)], confidence)
    p = exchange_p(float(difference), task.swapped[(draws, place, *at)])
    return {"difference": float(difference), "ci_low": finite(low), "ci_high": finite(high), "p_value": p, "reason": reason}


def _of_everyone(task: Resampled, three: tuple[int, int, int]) -> dict[str, float]:
    sums = task.sums[list(three), 0]
    rate, right = (ratio(*counts(sums, name)) for name in ("selection_rate", "accuracy"))
    found = {"selection_rate": rate[0], "baseline_selection_rate": rate[1], "accuracy": right[0]}
    return found | {"baseline_accuracy": right[1], "matched_accuracy": right[2]}
