"""The gate: one test of a declared family of metrics, for the command line, notebooks and continuous integration alike."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from stages.contract.bad_input import BadInput
from stages.contract.exit_codes import GATE
from stages.contract.vocabulary import ANY_GROUP, ANY_SET
from stages.metrics.scoring import OURS, finite
from stages.metrics.testing import holm
from stages.metrics.verdicts import PARITY

NAME = "disparity"
FAMILY = ("tpr", "fpr", "adi")  # adi: the selection rate, given the labels
OF_SETS = ("adi", "fv", "di", "di_star")
OF_GROUPS: tuple[str, ...] = (
    "tpr",
    "fpr",
    "selection_rate",
    "ppv",
    "npv",
    "accuracy",
    "gini",
    "treatment_equality",
    "brier",
    "calibration",
)
OF_GROUPS += ("mean_score_selected", "mean_score_rejected", "mean_score_favourable", "mean_score_unfavourable")
OF_GROUPS += ("mean_output", "mean_error", "mae", "mse")
MOST = "most extreme: "
RULE = (
    f"{NAME}[:METRIC,...]: fails when any group or attribute set differs in any metric of the family, by one test of all of them together, "
    f"so that where nothing differs it fails in at most 5 % of audits (default: {','.join(FAMILY)}; adi is the selection rate given labels)"
)


@dataclass(frozen=True)
class Member:
    """A metric of the family: its p-value for all groups or sets together, and with all metrics (``p_family``), None where not tested.

    ``says`` names the most extreme group, or set, or why there is no test. Where its interval ``holds_parity`` it is no finding.
    """

    metric: str
    p_value: float | None
    p_family: float | None
    attributes: str
    value: float | None
    says: str
    holds_parity: bool = False


@dataclass(frozen=True)
class Outcome:
    """What the gate says of an audit: ``passed`` is None where nothing could be tested, which is no pass."""

    rule: str
    level: float
    members: tuple[Member, ...]

    @property
    def tested(self) -> list[Member]:
        return [one for one in self.members if one.p_family is not None]

    @property
    def p_value(self) -> float | None:
        """The chance of a family as extreme where nothing differs, at most: m times the smallest p of the m metrics tested (Holm)."""
        return min((one.p_family for one in self.members if one.p_family is not None), default=None)

    @property
    def passed(self) -> bool | None:
        if self.p_value is None:
            return None
        return not any(one.p_family is not None and one.p_family <= self.level and not one.holds_parity for one in self.tested)

    @property
    def exit_code(self) -> int:
        return GATE[self.passed]

    def summary(self) -> dict[str, Any]:
        """As it stands in summary.json; see docs/statistics.md."""
        first = min(self.tested, key=lambda one: one.p_family or 0, default=None)
        return {
            "name": NAME,
            "rule": self.rule,
            "metrics": [one.metric for one in self.members],
            "tested": [one.metric for one in self.tested],
            "level": self.level,
            "p_value": self.p_value,
            "passed": self.passed,
            "most_extreme": None if first is None else {"metric": first.metric, "which": first.says, "value": first.value},
            "by_metric": [
                {"metric": one.metric, "p_value": one.p_value, "p_family": one.p_family, "attributes": one.attributes, "value": one.value}
                | {"most_extreme": one.says if one.p_value is not None else None, "reason": one.says if one.p_value is None else None}
                for one in self.members
            ],
        }


def parsed(rule: str) -> tuple[str, ...]:
    """The metrics of ``disparity`` or ``disparity:METRIC,...``. BadInput: no such gate or metric, in a sentence that says what there is."""
    name, colon, listed = rule.partition(":")
    if name != NAME:
        raise BadInput(f"gate {rule!r} is not known; there is {NAME}[:METRIC,...], such as {NAME}:{','.join(FAMILY)}.")
    if not colon:
        return FAMILY
    metrics = tuple(dict.fromkeys(part.strip() for part in listed.split(",")))
    unknown = [metric for metric in metrics if metric not in (*OF_SETS, *OF_GROUPS)]
    if unknown:
        raise BadInput(f"gate {rule!r}: {unknown[0]!r} is no metric that can be tested; there are {', '.join((*OF_SETS, *OF_GROUPS))}.")
    return metrics


def judge(scores: pd.DataFrame, rule: str, level: float) -> Outcome:
    """Test the family of ``rule`` at ``level`` by the rows of ``scores`` that hold each metric's p for all its groups or sets.

    Those p-values are by max-T (metrics/verdicts.py, metrics/group_tests.py), each right for its metric whatever the groups have in
    common; Holm's step over the metrics makes the chance of any false failure at most ``level``. BadInput: see ``parsed``, or scores
    without such rows, which an earlier version wrote.
    """
    metrics = parsed(rule)
    rows = scores[scores["group"].isin([ANY_GROUP, ANY_SET]) & (scores["convention"] == OURS)]
    if rows.empty and (scores["order"] > 0).any():
        raise BadInput(f"gate {rule!r} needs rows of {ANY_GROUP!r} and {ANY_SET!r}, which these scores lack; evaluate them again.")
    found = [rows[(rows["metric"] == metric) & (rows["group"] == (ANY_SET if metric in OF_SETS else ANY_GROUP))] for metric in metrics]
    p_values = np.array([own["p_value"].iloc[0] if len(own) else np.nan for own in found], dtype=float)
    members = [_member(*of) for of in zip(metrics, found, p_values, holm(p_values), strict=True)]
    return Outcome(rule, level, tuple(members))


def _member(metric: str, own: pd.DataFrame, p_value: float, p_family: float) -> Member:
    if own.empty:
        return Member(metric, None, None, "", None, "there is no test of it among these scores")
    row = own.iloc[0]
    says = (row["reason"] or "no reason was recorded").removeprefix(MOST)
    held = bool(row["ci_low"] <= PARITY.get(metric, 0.0) <= row["ci_high"])
    return Member(metric, finite(p_value), finite(p_family), row["attributes"], finite(row["value"]), says, held)
