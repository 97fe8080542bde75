"""Groups stand out by their verdict, furthest first, each once; rows keep their numbers."""

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from stages.reporting import groups
from stages.reporting.groups import Group


def test_groups_are_counted_by_set_and_by_what_a_test_can_tell(of_groups):
    found = of_groups["t", "a"]
    assert found.numbers == {"gender": 2, "race": 2, "gender+race": 3}
    assert (found.number, found.told, found.found) == (7, 6, 1)  # nothing can be told of white women
    assert (found.flagged, found.compared) == (0, 6)
    assert found.size(Group("race", "Black")) == (40, 20)


def test_a_group_stands_once_by_the_metric_on_which_it_is_furthest_out(of_groups):
    standing = of_groups["t", "a"].standing
    assert [(one.group, one.metric, one.also) for one in standing] == [(Group("race", "Black"), "tpr", ["selection_rate"])]
    assert standing[0].measured.own.value == pytest.approx(0.4)
    assert standing[0].measured.pooled.value == pytest.approx(0.45)
    assert standing[0].everyone == pytest.approx(0.75)
    assert standing[0].ratio.flagged
    assert standing[0].q_value == 0.02


def test_the_group_surely_further_from_everyone_comes_first(groups_table, results):
    frame = groups_table.to_pandas()
    tested = (frame["model"] == "a") & (frame["group"] == "woman, Black") & (frame["metric"] == "tpr") & frame["verdict"].notna()
    frame.loc[tested, "verdict"] = "disparity"
    table = pa.Table.from_pandas(frame, schema=groups_table.schema, preserve_index=False)
    found = groups.read(table, results, 5)
    assert [one.group.name for one in found["t", "a"].standing] == ["woman, Black", "Black"]  # 0.45 - 0.1 is further out than 0.35 - 0.1
    assert [one.group.name for one in found["t", "b"].standing] == ["Black"]
    assert len(groups.read(table, results, 1)["t", "a"].standing) == 1
    assert groups.read(table, results, 1)["t", "a"].found == 2


def test_numbers_of_different_scales_are_compared_as_shares_of_their_range(groups_table, results):
    """Salaries off by thousands are not further out than a TPR that is off by a third."""
    frame = groups_table.to_pandas()
    salaries = frame[frame["metric"] == "tpr"].assign(metric="mean_output")
    salaries[["value", "ci_low", "ci_high"]] *= 10_000
    salaries.loc[salaries["group"] == "Black", ["ci_low", "ci_high"]] *= [1, 0.1]  # all but touching everyone
    both = pa.concat_tables([groups_table, pa.Table.from_pandas(salaries, schema=groups_table.schema, preserve_index=False)])
    standing = groups.read(both, results, 5)["t", "a"].standing[0]
    assert (standing.metric, standing.also) == ("tpr", ["mean_output", "selection_rate"])


def test_the_largest_groups_of_one_and_two_demographics_are_shown_in_order(groups_table, results, monkeypatch):
    shown = groups.read(groups_table, results, 5)["t", "a"].shown
    assert [group.name for group in shown] == ["man", "woman", "Black", "white", "man, Black", "woman, Black", "woman, white"]
    assert {name: set(measured) for name, measured in shown.items()} == {group: {"base_rate", "selection_rate", "tpr"} for group in shown}
    assert [group.name for group, measured in shown.items() if measured["tpr"].own.verdict] == ["Black"]
    monkeypatch.setattr(groups, "MOST", 2)
    larger = groups_table.to_pandas()
    larger.loc[larger["group"].isin(["white", "woman, white"]), "n"] = 50
    found = groups.read(pa.Table.from_pandas(larger, schema=groups_table.schema, preserve_index=False), results, 5)["t", "a"]
    assert [group.name for group in found.shown] == ["white", "woman, white"]
    assert found.left_out == 5


def test_without_groups_there_is_nothing_to_stand_out(groups_table, results):
    """Every set may have had too many groups to be compared."""
    none = groups_table.filter(pc.equal(groups_table["task"], "other"))
    found = groups.read(none, results, 5)["t", "a"]
    assert (found.number, found.told, found.found, found.standing, found.shown) == (0, 0, 0, [], {})
