"""The first sentences count every test once: found, not found, cannot tell."""

from dataclasses import replace

import pyarrow as pa

from stages.contract.vocabulary import COLLAPSED
from stages.reporting import groups, lattice, overview, standing
from stages.reporting.results import GAP, OURS, Key, Score


def test_every_attribute_set_of_every_cell_is_counted_once(results, of_groups):
    said = overview.parts(results, of_groups)
    assert said["found"][0] == (
        "ADI (is each group selected as often as its labels warrant?): a disparity in 2 of 6 attribute sets over all tasks and models, "
        "in 2 of 2 cells. The furthest from parity: race (t, b), 2.00 [1.20, 3.10]."
    )
    assert said["untold"][:2] == [
        "ADI: too few people for the test to tell in 1 of 6 attribute sets over all tasks and models.",
        "ADI: undefined in 1 of 6 attribute sets over all tasks and models; the reasons stand under undefined numbers.",
    ]
    told, found = (sum(getattr(cell, name) for cell in of_groups.values()) for name in ("told", "found"))
    assert said["found"][1].startswith(f"{found} of {told} groups as they are")
    assert said["none"][-1].startswith(f"{told - found} of {told} groups as they are")
    assert said["untold"][-1].startswith("2 of 14 groups as they are: too few people")


def test_nothing_found_is_said_as_such_and_sections_add_their_own(results):
    none = results.gap("t", "a", "gender", "adi")._replace(verdict="no evidence of disparity")
    scores = {key: none if (key.metric, key.group) == ("adi", GAP) else score for key, score in results.scores.items()}
    said = overview.parts(replace(results, scores=scores), {}, None, {"overview": {"found": ["Something."]}})
    assert said["found"] == ["Something."]
    assert said["none"][0].endswith("no disparity in any of 6 attribute sets over all tasks and models.")
    assert "which is no proof of parity" in said["none"][1]
    assert said["untold"] == []


def test_a_collapsed_model_is_neither_no_disparity_nor_too_few_people(results, groups_table):
    """All tests of model a's decisions are none; its gaps are no evidence of anything."""
    flat = {key: score._replace(verdict=COLLAPSED) for key, score in results.scores.items() if key.model == "a" and score.verdict}
    one = replace(results, models=["a"], scores=results.scores | flat)
    table = groups_table.to_pandas()
    table.loc[table["verdict"].notna(), ["verdict", "q_value"]] = [COLLAPSED, None]
    of_groups = groups.read(pa.Table.from_pandas(table, groups_table.schema, preserve_index=False), one, 5)
    assert of_groups["t", "a"].collapsed
    said = overview.parts(one, of_groups)
    assert said["found"] == said["none"] == []
    assert said["untold"] == ["ADI: collapsed model in 2 of 3 attribute sets: it selects every text or none, which tells no groups apart."]
    assert standing.sentence(of_groups["t", "a"]).endswith("tells no groups apart; nothing could be tested.")


def test_tasks_without_demographics_cannot_be_told(results):
    said = overview.parts(replace(results, orders={}, ungrouped=("t", "u")), {})
    assert said == {"found": [], "none": [], "untold": [said["untold"][0]]}
    assert said["untold"][0].startswith("t and u: no demographics of the authors are known")


def test_a_tile_is_as_far_from_parity_below_as_above():
    colours = [lattice.tile("adi", Score(value, *[None] * 7)).colour for value in (0.4, 0.6, 0.9, 1.0, 1 / 0.9, 1 / 0.6, 1 / 0.4)]
    assert colours == ["less3", "less2", "less1", "even", "more1", "more2", "more3"]
    assert lattice.tile("fv", Score(0.0, *[None] * 7)).colour == "even"
    assert lattice.tile("adi", None) == lattice.Tile("none", "-", "undefined", "")


def test_the_map_has_every_set_by_order_with_its_verdict_and_what_chance_gives(results):
    key = Key("t", "a", "race", GAP, "adi", OURS)
    scores = results.scores | {key: results.scores[key]._replace(null_low=0.8, null_high=1.25)}
    maps = lattice.parts(replace(results, scores=scores))["maps"]["t"]
    assert [made["metric"] for made in maps] == ["ADI"], "there is no FV among the scores"
    orders = maps[0]["orders"]
    assert {order: [name for name, _ in sets] for order, sets in orders.items()} == {1: ["gender", "race"], 2: ["gender + race"]}
    race = dict(orders[1])["race"]
    assert race == [lattice.Tile("less2", "0.60", "disparity", "0.80 to 1.25"), lattice.Tile("more3", "2.00", "disparity", "")]
