"""The gate fails on what it names and on nothing else; a margin is a distance that a change must exceed."""

import pandas as pd
import pytest

from stages.contract.bad_input import BadInput
from stages.metrics.compare_gate import failures, parsed
from stages.metrics.paired import PERFORMANCE
from stages.metrics.paired_gaps import OVER_ALL, PAIRS

ROWS = pd.DataFrame(
    [
        (PAIRS, "worse", 0.2),
        (OVER_ALL, "worse", 0.04),
        (f"{PAIRS}, naacl2022", "worse", 0.9),
        (PAIRS, "better", -0.5),
        (PAIRS, "no evidence", 0.7),
        (PERFORMANCE, "worse", 0.03),
        (PERFORMANCE, "not comparable", None),
        ("cell", "not comparable", None),
    ],
    columns=["family", "verdict", "worsening"],
)


@pytest.mark.parametrize(
    ("rules", "rows"),
    [
        ([], []),
        (["worse-fairness"], [0, 1]),
        (["worse-fairness:0.05"], [0]),
        (["worse-fairness:0.2"], []),
        (["worse-performance"], [5]),
        (["worse-performance:0.05"], []),
        (["not-comparable"], [6, 7]),
        (["worse-performance", "worse-fairness:0.1"], [5, 0]),
    ],
)
def test_rows_that_fail(rules, rows):
    found = failures(ROWS, rules)
    assert found.index.tolist() == rows
    assert set(found["gate"]) <= set(rules)


@pytest.mark.parametrize("rule", ["worse", "worse-fairness:", "worse-fairness:-1", "worse-fairness:nan", "not-comparable:1", "disparity"])
def test_what_is_no_gate_is_refused(rule):
    with pytest.raises(BadInput, match="gate"):
        parsed(rule)
