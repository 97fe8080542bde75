"""A small benchmark, made by hand: one task, two models, three attribute sets, every kind of score and of group."""

import itertools

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from stages.contract.schemas import Groups
from stages.contract.tables import check
from stages.contract.vocabulary import ANY_OF_SET
from stages.reporting import groups
from stages.reporting.results import EVERY, GAP, GROUPS, HIGHEST, OURS, RATIO, Key, Results, Score, Size

ORDERS = {"gender": 1, "race": 1, "gender+race": 2}


def gap(value, low=None, high=None, planted=None, reason=None, verdict=None, q_value=None):
    return Score(value, low, high, None, 12, 34, planted, reason, q_value, q_value, verdict)


def rate(value):
    return Score(value, None, None, 20, None, None, None, "no interval: undefined in 70 of 1000 replicates")


def over_all(name):
    """Race's groups differ in TPR and selection rate, gender's and pairs in nothing: q says chance."""
    verdict, q_value = ("disparity", 0.01) if name == "race" else ("no evidence of disparity", 0.4)
    extreme = gap(-0.35, -0.5, -0.1, verdict=verdict, q_value=q_value, reason=f"most extreme: {NAMES[name][0]}")
    tested = gap(0.4, 0.1, 0.6)
    return {
        ("selection_rate", ANY_OF_SET): extreme,
        ("tpr", ANY_OF_SET): extreme,
        ("selection_rate", HIGHEST): tested,
        ("selection_rate", RATIO): tested._replace(value=0.5, ci_low=0.2, ci_high=0.9, flagged=True),
        ("tpr", HIGHEST): tested,
        ("differential_fairness", EVERY): tested._replace(value=0.7, ci_high=None, reason="no upper end: a rate may be 0 or 1"),
        ("subgroup_auc", HIGHEST): gap(0.03, 0.0, 0.1),
    }


NAMES = {"gender": ["man", "woman"], "race": ["Black", "white"], "gender+race": ["man, Black", "woman, Black", "woman, white"]}
# What differs from everyone's 0.75: TPR of Black people by 0.35, and their selection rate by 0.15; of Black women by 0.45.
APART = {("Black", "tpr"): -0.35, ("Black", "selection_rate"): -0.15, ("woman, Black", "tpr"): -0.45}


def group_rows(model, attributes, group, metric):
    """A metric of a group: its own rate, pooled, its difference to everyone, and its ratio to a reference group at 0.75."""
    row = {"task": "t", "model": model, "attributes": attributes, "order": ORDERS[attributes], "group": group, "metric": metric, "n": 40}
    row |= {
        "people": 20,
        "effective_people": 18.5,
        "pooled": None,
        "pooled_low": None,
        "pooled_high": None,
        "p_value": None,
        "q_value": None,
        "verdict": None,
        "flagged": None,
    }
    apart = APART.get((group, metric), 0.0)
    value = 0.75 + apart
    pooled = {"pooled": value + 0.05, "pooled_low": value - 0.1, "pooled_high": value + 0.1}
    # Black women differ as much, but their set may by chance.
    found = (0.01, 0.02, "disparity") if apart and attributes == "race" else (0.3, 0.4, "no evidence of disparity")
    tested = dict(zip(("p_value", "q_value", "verdict"), found, strict=True))
    if group == "woman, white":
        tested["verdict"] = "cannot tell"
    ends = {"value": value, "ci_low": value - 0.1, "ci_high": value + 0.1, "reason": None}
    yield row | ends | pooled | {"comparison": "none"}
    if metric != "base_rate":
        beside = {"value": apart, "ci_low": apart - 0.1, "ci_high": apart + 0.1}
        yield row | ends | beside | tested | {"comparison": "difference to everyone"}
        yield row | ends | {"value": value / 0.75, "flagged": value < 0.6, "comparison": "ratio to reference"}


def table_of_groups():
    """The groups of both models, as the stage reads them."""
    metrics = ("base_rate", "selection_rate", "tpr")
    rows = [
        row
        for model, attributes, metric in itertools.product("ab", ORDERS, metrics)
        for group in NAMES[attributes]
        for row in group_rows(model, attributes, group, metric)
    ]
    table = pa.Table.from_pylist(rows)
    parts = []
    for model in "ab":
        own = table.filter(pc.equal(table["model"], model)).drop_columns(["task", "model"])
        own = check(own, Groups.__metadata__[0], "groups")
        parts.append(own.append_column("task", pa.array(["t"] * own.num_rows)).append_column("model", pa.array([model] * own.num_rows)))
    return pa.concat_tables(parts)


@pytest.fixture
def groups_table():
    return table_of_groups()


@pytest.fixture
def of_groups(groups_table, results):
    return groups.read(groups_table, results, 5)


@pytest.fixture
def results():
    return benchmark()


def benchmark():
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
    for model, metric in itertools.product("ab", ("accuracy", "f1", "auc", "mse", "pearson_r", "tpr", "selection_rate")):
        scores[Key("t", model, "", "everyone", metric, OURS)] = Score(0.8, 0.7, 0.9, 100, None, None, None, None)
    for model, attributes, group, metric in itertools.product("ab", ORDERS, GROUPS, ("tpr", "base_rate", "selection_rate")):
        scores[Key("t", model, attributes, group, metric, OURS)] = rate(0.5 if (attributes, group) == ("race", "protected") else 0.75)
    for model, name in itertools.product("ab", ORDERS):
        scores |= {Key("t", model, name, group, metric, OURS): score for (metric, group), score in over_all(name).items()}
    sizes = {("t", attributes, group): Size(25, 10) for attributes in ORDERS for group in GROUPS}
    return Results(["a", "b"], {"t": ORDERS}, sizes, scores)
