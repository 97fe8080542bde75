"""The gate is one test of its family: right level, no metric that was not asked for, and no pass where nothing could be tested."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.contract.bad_input import BadInput
from stages.contract.vocabulary import ANY_GROUP, ANY_SET
from stages.metrics.gate import FAMILY, OF_GROUPS, OF_SETS, judge, parsed
from stages.reporting import gate as words

COLUMNS = ("attributes", "order", "group", "metric", "convention", "value", "p_value", "verdict", "reason")


def scores(**p_values):
    """The rows that the gate reads, with a p a metric (None: not tested), among others that it must not look at."""
    rows = []
    for metric, p in p_values.items():
        group = ANY_SET if metric in OF_SETS else ANY_GROUP
        why = "no group has ten people" if p is None else f"most extreme: b of gender ({metric})"
        rows.append(("gender" if p is not None else "", 1 if p is not None else 0, group, metric, "crossbias", -0.3, p, None, why))
    rows.append(("gender", 1, "protected/privileged", "di", "crossbias", 0.1, 0.0001, "disparity", None))
    rows.append(("gender", 1, "highest - lowest", "tpr", "crossbias", 0.9, 0.0001, "disparity", None))
    return pd.DataFrame(rows, columns=COLUMNS).assign(ci_low=-0.5, ci_high=-0.1)


def test_a_metric_whose_interval_holds_parity_fails_nothing():
    table = scores(tpr=0.001, fpr=0.6, adi=0.9)
    assert judge(table, "disparity", 0.05).passed is False
    assert judge(table.assign(ci_high=0.1), "disparity", 0.05).passed is True


@pytest.mark.parametrize(
    ("p_values", "p", "passed"),
    [
        ({"tpr": 0.01, "fpr": 0.6, "adi": 0.9}, 0.03, False),
        ({"tpr": 0.02, "fpr": 0.02, "adi": 0.02}, 0.06, True),  # three metrics, each below .05
        ({"tpr": 0.5, "fpr": 0.6, "adi": 0.9}, 1.0, True),
        ({"tpr": 0.02, "fpr": None, "adi": 0.9}, 0.04, False),  # a family of the two that could be tested
        ({"tpr": None, "fpr": None, "adi": 0.05}, 0.05, False),
        ({"tpr": None, "fpr": None, "adi": None}, None, None),
        ({"tpr": 0.5, "fpr": 0.6, "adi": 0.9, "di": 0.0001, "di_star": 0.0001, "selection_rate": 0.0001}, 1.0, True),
    ],
)
def test_the_family_has_m_times_its_smallest_p(p_values, p, passed):
    found = judge(scores(**p_values), "disparity", 0.05)
    assert found.p_value == (None if p is None else pytest.approx(p))
    assert found.passed is passed
    assert found.exit_code == {True: 0, False: 1, None: 3}[passed]
    assert [one.metric for one in found.members] == list(FAMILY)


def test_a_named_metric_is_a_family_of_its_own():
    table = scores(tpr=0.5, fpr=0.6, adi=0.9, di=0.0001)
    assert judge(table, "disparity:di", 0.05).passed is False
    assert judge(table, "disparity:tpr, di", 0.05).p_value == pytest.approx(0.0002)
    assert judge(table, "disparity:tpr,tpr", 0.05).p_value == 0.5
    assert judge(table, "disparity:brier", 0.05).passed is None, "known, and not among these scores"


def test_where_nothing_differs_the_gate_fails_in_at_most_five_of_a_hundred():
    """Metrics that go along with each other, or do not: p-values uniform, as max-T gives them at equality."""
    random = np.random.default_rng(3)
    for shared in (0.0, 0.7, 1.0):
        draws = np.sqrt(shared) * random.normal(size=(4000, 1)) + np.sqrt(1 - shared) * random.normal(size=(4000, len(FAMILY)))
        p_values = np.argsort(np.argsort(draws, axis=0), axis=0) / 4000 + 1 / 8000
        failed = np.mean([judge_p(row) for row in p_values[:1500]])
        assert failed <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 1500), shared


def judge_p(row):
    return judge(scores(**dict(zip(FAMILY, row, strict=True))), "disparity", 0.05).passed is False


@given(st.dictionaries(st.sampled_from((*OF_SETS, *OF_GROUPS)), st.one_of(st.none(), st.floats(1e-6, 1)), min_size=1, max_size=6))
def test_the_summary_is_json_that_says_what_was_decided(p_values):
    rule = f"disparity:{','.join(p_values)}"
    found = judge(scores(**p_values), rule, 0.05)
    told = json.loads(json.dumps(found.summary(), allow_nan=False))
    known = [p for p in p_values.values() if p is not None]
    assert told["passed"] == (None if not known else len(known) * min(known) > 0.05)
    assert told["metrics"] == list(p_values)
    assert told["tested"] == [metric for metric, p in p_values.items() if p is not None]
    assert (told["most_extreme"] is None) == (not known)
    for row in told["by_metric"]:
        assert (row["reason"] is None) != (row["most_extreme"] is None)
    lines = words.lines(told)
    assert len(lines) == 1 + len(p_values)
    assert ("nothing could be tested" in lines[0]) == (not known)
    assert len(words.parts(told)["table"].rows) == len(p_values)


@pytest.mark.parametrize("rule", ["all", "disparities", "disparity:luck", "disparity:", "disparity:tpr,,fpr", "worse-fairness", ""])
def test_what_is_no_gate_is_refused_in_a_sentence_that_says_what_there_is(rule):
    with pytest.raises(BadInput, match=r"there (is disparity|are adi, fv, di, di_star, tpr)"):
        parsed(rule)


def test_scores_of_an_earlier_version_are_refused_and_scores_without_groups_are_not():
    table = scores(tpr=0.5)
    old = table[~table["group"].isin([ANY_GROUP, ANY_SET])]
    with pytest.raises(BadInput, match="evaluate them again"):
        judge(old, "disparity", 0.05)
    assert judge(old[old["order"] == 0], "disparity", 0.05).passed is None
