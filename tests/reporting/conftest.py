"""A small benchmark, made by hand: one task, two models, three attribute sets, every kind of score."""

import itertools

import pytest

from stages.reporting.results import GAP, GROUPS, OURS, Key, Results, Score, Size

ORDERS = {"gender": 1, "race": 1, "gender+race": 2}


def gap(value, low=None, high=None, planted=None, reason=None, verdict=None, q_value=None):
    return Score(value, low, high, None, 12, 34, planted, reason, q_value, q_value, verdict)


def rate(value):
    return Score(value, None, None, 20, None, None, None, "no interval: undefined in 70 of 1000 replicates")


@pytest.fixture
def results():
    """Model a is apart from parity on race alone; model b has no ADI for gender+race; tpr of a: 0.8 but 0.5 for race's protected."""
    adi = {
        ("a", "gender"): gap(1.9, 0.9, 3.0, planted=2.0),
        ("a", "race"): gap(0.6, 0.4, 0.9, planted=1.0, verdict="disparity", q_value=0.004),
        ("a", "gender+race"): gap(0.0, verdict="cannot tell", q_value=0.2),
        ("b", "gender"): gap(1.1, 0.8, 1.3, planted=2.0),
        ("b", "race"): gap(2.0, 1.2, 3.1, planted=1.0, verdict="disparity", q_value=0.0002),
        ("b", "gender+race"): gap(None, reason="no text in the protected group"),
    }
    scores = {Key("t", model, attributes, GAP, "adi", OURS): score for (model, attributes), score in adi.items()}
    for model, metric in itertools.product("ab", ("accuracy", "f1", "auc", "mse", "pearson_r", "tpr")):
        scores[Key("t", model, "", "everyone", metric, OURS)] = Score(0.8, 0.7, 0.9, 100, None, None, None, None)
    for model, attributes, group, metric in itertools.product("ab", ORDERS, GROUPS, ("tpr", "base_rate", "selection_rate")):
        scores[Key("t", model, attributes, group, metric, OURS)] = rate(0.5 if (attributes, group) == ("race", "protected") else 0.75)
    sizes = {("t", attributes, group): Size(25, 10) for attributes in ORDERS for group in GROUPS}
    return Results(["a", "b"], {"t": ORDERS}, sizes, scores)
