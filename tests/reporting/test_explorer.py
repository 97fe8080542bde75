"""What the explorer is given equals the tables, fits in the page whatever the design, and no name in it can act."""

import json
from dataclasses import replace

import pytest

from stages.reporting import explorer, explorer_groups
from stages.reporting.embedded import Columns, as_json, step_of
from stages.reporting.results import MANY, Key
from tests.reporting import embedded_numbers
from tests.reporting.relations import related

NO_PAIRS = related([], [], [])[1]


@pytest.fixture
def data(results, groups_table):
    """As a browser reads it."""
    return json.loads(explorer.parts(results, groups_table, NO_PAIRS, 0.05)["json"])


def test_every_number_of_every_group_is_that_of_the_table(data, groups_table):
    shown = embedded_numbers.groups(data)
    rows = groups_table.to_pylist()
    tests = {
        tuple(row[name] for name in ("model", "group", "metric")): row for row in rows if row["comparison"] == "difference to everyone"
    }
    own = [row for row in rows if row["comparison"] == "none"]
    assert len(shown) == len(own) == 2 * 7 * 3
    for row in own:
        found = shown["t", row["model"], row["attributes"], row["group"], row["metric"]]
        for end in ("value", "ci_low", "ci_high"):
            assert found[end] == pytest.approx(row[end], abs=5e-4)
        assert (found["n"], found["people"]) == (40, 20)
        test = tests.get((row["model"], row["group"], row["metric"]))
        assert (found["verdict"], found["q_value"]) == ((test["verdict"], pytest.approx(test["q_value"])) if test else ("", None))


def test_everyone_is_the_number_less_its_difference(data):
    tpr = next(metric for metric in data["tasks"][0]["metrics"] if metric["key"] == "tpr")
    assert [cell["everyone"] for cell in tpr["cells"]] == [750, 750]


def test_every_gap_is_that_of_the_scores_and_what_is_undefined_has_its_reason(data, results):
    shown = embedded_numbers.gaps(data)
    assert set(data["tasks"][0]["sets"][0]) == {"gender", 1}
    for model, name in (("a", "gender"), ("a", "race"), ("b", "race")):
        score = results.gap("t", model, name, "adi")
        found = shown["t", model, name, "adi"]
        assert (found["value"], found["ci_low"], found["ci_high"]) == pytest.approx((score.value, score.ci_low, score.ci_high))
        assert (found["verdict"], found["n_protected"], found["n_privileged"]) == (score.verdict or "", 12, 34)
    undefined = shown["t", "b", "gender+race", "adi"]
    assert (undefined["value"], undefined["reason"]) == (None, "no text in the protected group")
    assert shown["t", "a", "race", "selection_rate, lowest / highest"]["value"] == 0.5
    ratio = next(gap for gap in data["tasks"][0]["gaps"] if gap["key"] == "selection_rate, lowest / highest")
    assert (ratio["parity"], ratio["log"]) == (1, False)


def test_pairs_have_the_verdict_of_the_section_on_debiasing(results, groups_table):
    shown = explorer.data(results, groups_table, related()[1], 0.05)
    pair = next(pair for pair in shown["tasks"][0]["pairs"] if pair["metric"] == "adi")
    assert (pair["model"], pair["baseline"]) == ("b", "a")
    assert embedded_numbers.words(shown, pair["verdict"]) == ["fairer", "fairer", "cannot tell"]
    assert embedded_numbers.numbers(shown, pair["difference"], 0.001) == [pytest.approx(-0.223), pytest.approx(-0.47), None]


def test_equal_columns_are_kept_once(data):
    kept = [tuple(column) for column in data["columns"]]
    assert len(set(kept)) == len(kept)
    metrics = data["tasks"][0]["metrics"]
    assert len({cell["n"] for metric in metrics for cell in metric["cells"]}) == 1


def test_small_numbers_keep_three_digits_and_none_are_none():
    assert step_of([0.5, None, float("nan")]) == 0.001
    assert step_of([0.0004, -0.0123]) == pytest.approx(0.0001)
    assert step_of([1234.0]) == 0.001
    assert step_of([None]) == 0.001
    assert Columns().numbers([float("nan"), float("inf"), None, 0.5], 0.001) == 0


@pytest.mark.parametrize(
    ("numbers", "models", "many", "most"),
    [
        ([10, 20], 2, False, 20),
        ([10_000], 1, False, 8000),
        ([10, 10_000, 10_000], 1, False, 3995),
        ([300, 300], 20, True, 150),
        ([], 1, True, 0),
    ],
)
def test_room_is_shared_and_what_small_tasks_leave_goes_to_the_others(numbers, models, many, most):
    found = explorer_groups.most(numbers, models, many)
    assert found == most
    assert sum(min(found, number) for number in numbers) * models <= explorer_groups.MOST


def test_groups_that_stand_out_stay_when_there_is_no_room_for_all(results, groups_table, monkeypatch):
    monkeypatch.setattr(explorer_groups, "MOST", 2)
    parts = explorer.parts(results, groups_table, NO_PAIRS, 0.05)
    task = json.loads(parts["json"])["tasks"][0]
    assert task["groups"] == [["Black", 1]]
    assert parts["left_out"] == {"t": "6 of 7 groups"}


def test_no_name_can_end_the_element_or_hide(results, groups_table):
    hostile = "</script><!--<script>\u2028\u202e"
    orders = {hostile if name == "race" else name: order for name, order in results.orders["t"].items()}
    scores = {Key(*(hostile if part == "race" else part for part in key)): score for key, score in results.scores.items()}
    frame = groups_table.to_pandas()
    frame["attributes"] = frame["attributes"].replace("race", hostile)
    frame["group"] = frame["group"].replace("Black", hostile)
    table = groups_table.from_pandas(frame, schema=groups_table.schema, preserve_index=False)
    text = explorer.parts(replace(results, orders={"t": orders}, scores=scores), table, NO_PAIRS, 0.05)["json"]
    assert not set("<>&\u2028\u202e") & set(text)
    names = [name for name, _ in json.loads(text)["tasks"][0]["groups"]]
    assert "</script><!--<script>[U+2028][U+202E]" in names
    assert as_json(["<"]) == '["\\u003c"]'


def test_without_groups_there_is_no_explorer(results, groups_table):
    assert explorer.parts(replace(results, orders={}, ungrouped=("t",)), groups_table, NO_PAIRS, 0.05) is None


def test_many_cells_are_more_than_a_page_can_have_in_full(results):
    assert not results.many
    assert replace(results, models=[f"m{number}" for number in range(MANY + 1)]).many
