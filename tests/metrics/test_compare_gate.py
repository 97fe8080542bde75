"""The gate fails on what it names and on nothing else; a margin is a distance that a change must exceed."""

import pandas as pd
import pytest

from stages.contract.bad_input import BadInput
from stages.metrics.compare_gate import failures, judge, parsed
from stages.metrics.paired import PERFORMANCE, SAME
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


FLAT = "collapsed model: B selects no text, so that gaps say nothing"


@pytest.mark.parametrize(
    ("rows", "unchanged", "code"),
    [
        ([(PAIRS, "no evidence", 0.4, None)], False, 0),
        ([(PAIRS, "no evidence", None, SAME)], False, 0),  # tested, and there is no difference
        ([(PAIRS, "not comparable", None, "other coding of race"), (PERFORMANCE, "no evidence", 0.5, None)], False, 3),
        ([("cell", "not comparable", None, "the cell is only in B")], False, 3),
        ([("cell", "not comparable", None, "the cell is only in B")], True, 0),  # and another is identical
        ([(PAIRS, "not comparable", None, FLAT)], True, 3),
        ([(PAIRS, "not comparable", None, FLAT), (OVER_ALL, "no evidence", 0.5, None)], False, 3),  # of another cell
        ([(PAIRS, "not comparable", None, FLAT), (OVER_ALL, "worse", 0.001, None)], False, 1),
        ([], True, 0),
        ([], False, 3),
    ],
)
def test_where_nothing_can_be_tested_a_gate_does_not_pass(rows, unchanged, code):
    table = pd.DataFrame(rows, columns=["family", "verdict", "p_value", "reason"], dtype=object).assign(worsening=0.3)
    found = judge(table, ["worse-fairness"], unchanged)
    assert found.exit_code == code
    assert (list(found.untested) == ["worse-fairness"]) == (code == 3)
    assert judge(table, [], unchanged).exit_code == 0
    assert "not-comparable" not in judge(table, ["not-comparable"], unchanged).untested


@pytest.mark.parametrize("rule", ["worse", "worse-fairness:", "worse-fairness:-1", "worse-fairness:nan", "not-comparable:1", "disparity"])
def test_what_is_no_gate_is_refused(rule):
    with pytest.raises(BadInput, match="gate"):
        parsed(rule)
