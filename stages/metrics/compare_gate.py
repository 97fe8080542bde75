"""The one gate of a comparison of two revisions, for the command line, the flow and Python alike."""

import math
from collections.abc import Sequence

import pandas as pd

from stages.contract.bad_input import BadInput
from stages.metrics.paired import NOT_COMPARABLE, PERFORMANCE, WORSE
from stages.metrics.paired_gaps import OVER_ALL, PAIRS

WORSE_FAIRNESS, WORSE_PERFORMANCE, COMPARABLE = "worse-fairness", "worse-performance", "not-comparable"
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
            WORSE_FAIRNESS: worse & rows["family"].isin([PAIRS, OVER_ALL]),
            WORSE_PERFORMANCE: worse & rows["family"].eq(PERFORMANCE),
            COMPARABLE: rows["verdict"].eq(NOT_COMPARABLE),
        }
        found.append(rows[fails[name]].assign(gate=rule))
    return pd.concat(found) if found else rows.head(0).assign(gate="")


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
