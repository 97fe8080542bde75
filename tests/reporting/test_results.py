"""Scores are found by name in the design's order, and a cell without scores is refused."""

import pyarrow as pa
import pytest

from stages.contract.bad_input import BadInput
from stages.reporting import results


def scores(model):
    row = {"task": "t", "model": model, "attributes": "", "group": "everyone", "metric": "accuracy", "convention": "crossbias"}
    return row | {
        "value": 0.5,
        "ci_low": 0.4,
        "ci_high": 0.6,
        "n": 8,
        "n_protected": None,
        "n_privileged": None,
        "planted": None,
        "reason": None,
    }


def sets(attributes, order):
    return [
        {"task": "t", "attributes": attributes, "order": order, "group": group, "texts": texts, "authors": texts // 2}
        for group, texts in zip(results.GROUPS, (8, 4, 2, 6), strict=True)
    ]


def test_sets_come_smallest_first_and_cells_as_in_the_design():
    tables = pa.Table.from_pylist([scores("b"), scores("a"), scores("left over")]), pa.Table.from_pylist([*sets("x+y", 2), *sets("x", 1)])
    found = results.read(*tables, ["t"], ["a", "b"])
    assert list(found.orders["t"]) == ["x", "x+y"]
    assert list(found.cells()) == [("t", "a"), ("t", "b")]
    assert found.total("t") == (20, 10)
    assert found.everyone("t", "a", "accuracy").ci_high == 0.6


@pytest.mark.parametrize(("tasks", "models"), [(["t"], ["a", "b"]), (["t", "u"], ["a"])])
def test_a_cell_without_scores_is_refused(tasks, models):
    tables = pa.Table.from_pylist([scores("a")]), pa.Table.from_pylist(sets("x", 1))
    with pytest.raises(BadInput, match=r"rerun evaluate \(dvc repro\)"):
        results.read(*tables, tasks, models)
