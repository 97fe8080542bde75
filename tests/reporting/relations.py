"""Tables of relate made by hand: gaps that grow no more than by chance, a debiaser that helps, a mitigation that is a threshold."""

from typing import Any

import pyarrow as pa

from stages.contract import tables
from stages.contract.relations import Effects, Matched, ProbesAndOutcomes


def effect(outcome: str, kind: str, term: str, value: float | None, **rest: Any) -> dict[str, Any]:
    names = ("representation", "ci_low", "ci_high", "null_mean", "null_low", "null_high", "p_value", "q_value", "reason")
    return {"outcome": outcome, "kind": kind, "term": term, "value": value, "n": 32, "undefined": 0} | dict.fromkeys(names) | rest


EFFECTS = [
    effect("adi", "order", "order", 0.10, null_mean=0.09, null_low=0.05, null_high=0.13, p_value=0.7, q_value=0.7, n=128, undefined=3),
    effect("adi", "debiaser", "b - a", -0.05, ci_low=-0.08, ci_high=-0.02, p_value=0.002, q_value=0.004),
    effect("adi", "mitigation", "c - a", None, reason="the models decide alike"),
    effect("fv", "order", "order", 0.04, null_mean=0.01, null_low=0.005, null_high=0.015, p_value=0.001, q_value=0.002),
    effect("fv", "debiaser", "b - a", 0.01, ci_low=-0.01, ci_high=0.03, p_value=0.3, q_value=0.4),
]


def cut(metric: str, attributes: str, values: tuple[float | None, ...], difference: float | None, q_value: float | None) -> dict[str, Any]:
    """values: the baseline's gap, the model's, and the cut baseline's."""
    row = {"task": "t", "model": "b", "baseline": "a", "attributes": attributes, "order": attributes.count("+") + 1, "metric": metric}
    row |= dict(zip(("baseline_value", "value", "matched_value"), values, strict=True))
    ends = (None, None) if difference is None else (difference - 0.02, difference + 0.02)
    row |= {"difference": difference, "ci_low": ends[0], "ci_high": ends[1], "p_value": q_value, "q_value": q_value}
    row |= {"selection_rate": 0.4, "baseline_selection_rate": 0.5, "accuracy": 0.7, "baseline_accuracy": 0.72, "matched_accuracy": 0.71}
    return row | {"reason": None if difference is not None else "undefined in one of the models"}


MATCHED = [
    cut("adi", "gender", (0.8, 1.0, 0.8), -0.223, 0.01),
    cut("adi", "race", (0.5, 0.8, 0.5), -0.47, 0.02),
    cut("adi", "gender+race", (0.0, 0.4, None), None, None),
    cut("fv", "gender", (0.1, 0.05, 0.05), 0.0, 1.0),
]
PROBES = [
    {"probe": "weat 6 d", "outcome": "adi", "coefficient": name, "value": value, "ci_low": low, "ci_high": 0.9, "p_value": 0.2}
    | {"q_value": 0.6, "n": 8, "reason": None}
    for name, value, low in (("spearman", 0.4, -0.3), ("kendall", 0.3, -0.2))
] + [
    {"probe": "<b>rnd", "outcome": "fv", "coefficient": name, "value": None, "n": 3, "reason": "cannot tell: fewer than 5 embeddings"}
    for name in ("spearman", "kendall")
]


def related(effects: list = EFFECTS, matched: list = MATCHED, probes: list = PROBES) -> tuple[pa.Table, ...]:
    """The three tables as the stage reads them."""
    hints = (Effects, Matched, ProbesAndOutcomes)
    found = []
    for rows, hint in zip((effects, matched, probes), hints, strict=True):
        at = hint.__metadata__[0]
        schema = pa.schema([(name, at.type_of(name)) for name, _ in at.columns])
        found.append(tables.check(pa.Table.from_pylist(rows, schema=schema), at, "table"))
    return tuple(found)
