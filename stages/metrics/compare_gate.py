"""The one gate of a comparison of two revisions, for the command line, the flow and Python alike."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from stages.contract.bad_input import BadInput
from stages.contract.exit_codes import GATE
from stages.contract.vocabulary import COLLAPSED
from stages.metrics.paired import NOT_COMPARABLE, PERFORMANCE, SAME, WORSE
from stages.metrics.paired_gaps import OVER_ALL, PAIRS

WORSE_FAIRNESS, WORSE_PERFORMANCE, COMPARABLE = "worse-fairness", "worse-performance", "not-comparable"
FAMILIES = {WORSE_FAIRNESS: [PAIRS, OVER_ALL], WORSE_PERFORMANCE: [PERFORMANCE]}
RULES = {
    WORSE_FAIRNESS: "a gap has the verdict worse, by more than the margin of further distance from parity (default 0)",
    WORSE_PERFORMANCE: "a figure of performance has the verdict worse, by more than the margin (default 0)",
    COMPARABLE: "a figure or a cell cannot be compared",
}


def failures(rows: pd.DataFrame, rules: Sequence[str]) -> pd.DataFrame:
    """The ``rows`` of a comparison that fail any of ``rules``, with the rule as ``gate``; none means passed.

    worse-fairness looks at gaps under Crossbias's own convention, of pairs and over all groups; other conventions show the same people
    again. BadInput: an unknown rule, or a margin that is no number from 0 on.
    """
    found = []
    for rule in rules:
        name, margin = parsed(rule)
        worse = rows["verdict"].eq(WORSE) & (rows["worsening"].astype(float) > margin)
        fails = {
            **{kind: worse & rows["family"].isin(families) for kind, families in FAMILIES.items()},
            COMPARABLE: rows["verdict"].eq(NOT_COMPARABLE),
        }
        found.append(rows[fails[name]].assign(gate=rule))
    return pd.concat(found) if found else rows.head(0).assign(gate="")


@dataclass(frozen=True)
class Outcome:
    """``failed``: the rows that fail; ``untested``: of each rule that did not fail and is no pass either, why nothing could be tested."""

    failed: pd.DataFrame
    untested: dict[str, str]

    @property
    def exit_code(self) -> int:
        return GATE[False if len(self.failed) else None if self.untested else True]


def judge(rows: pd.DataFrame, rules: Sequence[str], unchanged: bool) -> Outcome:
    """What all ``rules`` come to; ``unchanged``: whether some cell is the same in both, which is a pass of it. BadInput: see ``failures``.

    worse-fairness and worse-performance do not pass where none of their figures could be tested, nor where the model of a cell is
    collapsed in a revision: it selects every text or none, so that its gaps are not worse only because there are none to compare.
    """
    failed = failures(rows, rules)
    found = {
        rule: _untested(rows[rows["family"].isin(FAMILIES[parsed(rule)[0]])], unchanged) for rule in rules if parsed(rule)[0] in FAMILIES
    }
    return Outcome(failed, {rule: why for rule, why in found.items() if why and not failed["gate"].eq(rule).any()})


def _untested(rows: pd.DataFrame, unchanged: bool) -> str | None:
    collapsed = rows.loc[rows["reason"].fillna("").str.startswith(COLLAPSED), "reason"]
    if len(collapsed):
        return str(collapsed.iloc[0])
    told = rows["p_value"].notna() | rows["reason"].eq(SAME)
    return None if unchanged or told.any() else "no figure could be compared"


def parsed(rule: str) -> tuple[str, float]:
    """The name and the margin of ``worse-fairness:0.05``."""
    name, colon, text = rule.partition(":")
    if name not in RULES or (colon and name == COMPARABLE):
        raise BadInput(f"gate {rule!r} is not known; there are {WORSE_FAIRNESS}[:MARGIN], {WORSE_PERFORMANCE}[:MARGIN] and {COMPARABLE}.")
    try:
        margin = float(text) if colon else 0.0
    except ValueError:
        margin = math.nan
    if not (math.isfinite(margin) and margin >= 0):
        raise BadInput(f"gate {rule!r}: the margin must be a number from 0 on, such as {name}:0.05.")
    return name, margin
