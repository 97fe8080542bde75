"""The one gate: whether scores pass, for the command line and for Python alike."""

import pandas as pd

from stages.contract.bad_input import BadInput

# What a model has no part in.
OF_LABELS = ("di_star", "mean_label")
# The rule of each gate: the rows of scores that fail it.
RULES = {
    "disparity": "fails when the verdict of any gap, but those of labels alone (DI*, mean labels), is 'disparity', in either direction"
}


def failures(scores: pd.DataFrame, rule: str) -> pd.DataFrame:
    """The rows of ``scores`` that fail ``rule``: none means passed.

    disparity: those whose ``verdict`` is exactly "disparity", of any size and in either direction, but for ``OF_LABELS``: they compare
    labels, so that a classifier that is always right would fail. The other verdicts, "no evidence of disparity" and "cannot tell",
    pass: a gate that failed on what cannot be measured would fail small groups for being small. BadInput: an unknown rule, or
    scores without verdicts.
    """
    if rule not in RULES:
        raise BadInput(f"gate {rule!r} is not known; there are {', '.join(RULES)}.")
    if "verdict" not in scores:
        raise BadInput(f"gate {rule!r} needs the column 'verdict', which these scores lack; evaluate them again.")
    return scores[(scores["verdict"] == "disparity") & (~scores["metric"].isin(OF_LABELS))]
