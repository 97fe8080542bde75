"""What stands out is chosen by ratio, never without an interval where one is promised, and named rightly."""

import math

from stages.reporting import findings
from stages.reporting.results import GAP, OURS, Key


def test_half_is_as_far_from_parity_as_double_and_zero_is_furthest():
    assert math.isclose(findings.distance("adi", 0.5), findings.distance("adi", 2.0))
    assert findings.distance("adi", 0.0) == math.inf
    assert findings.distance("fv", 0.25) == 0.25


def test_the_furthest_come_first_and_the_undefined_not_at_all(results):
    assert list(findings.defined(results, "t", "a", "adi")) == ["gender+race", "gender", "race"]
    assert list(findings.defined(results, "t", "b", "adi")) == ["race", "gender"]
    assert findings.defined(results, "t", "a", "fv") == {}


def test_apart_means_the_verdict_disparity_and_disparities_are_most_notable(results):
    assert list(findings.apart(results, "t", "a", "adi")) == ["race"]
    assert findings.disparities(results, "t", "a", "adi") == 1
    assert list(findings.notable(results, "t", "a", "adi")) == ["race", "gender+race", "gender"]
    key = Key("t", "a", "gender", GAP, "adi", OURS)
    results.scores[key] = results.scores[key]._replace(verdict="no evidence of disparity")
    assert list(findings.notable(results, "t", "a", "adi")) == ["race", "gender", "gender+race"]  # of which nothing can be told


def test_recall_names_the_group_further_from_everyone(results):
    assert findings.recall(results, "t", "a", "race") == "TPR 0.50 in the protected group, 0.80 for everyone"


def test_a_model_that_finds_nobody_is_called_so_rather_than_fair(results):
    key = Key("t", "a", "", "everyone", "tpr", OURS)
    results.scores[key] = results.scores[key]._replace(value=0.0)
    assert findings.recall(results, "t", "a", "race").startswith("the model selects none")
