"""Gaps over all groups: under their names, with flag, number of groups and the group that differs; the worst set of each order."""

from stages.contract.vocabulary import ANY_OF_SET
from stages.reporting import overall
from stages.reporting.results import HIGHEST, OURS, RATIO, Key


def test_the_worst_set_of_an_order_is_the_one_with_a_disparity(results, of_groups):
    selected, judged = overall.worst(results, of_groups, "t")
    assert [row[:3] for row in selected.rows] == [[model, name, n] for model in "ab" for name, n in (("race", "2"), ("gender + race", "3"))]
    assert selected.rows[0][3:] == [
        "Black\n-0.35 [-0.50, -0.10]\ndisparity\nq = 0.010",
        "0.40 [0.10, 0.60]",
        "0.50 [0.20, 0.90]\nflagged",
        "0.70 [0.10, no upper end]",
    ]
    # Nothing of equalised odds and accuracy was computed.
    assert judged.columns[3:] == ["Most extreme group", "Equal opportunity (TPR, highest - lowest)", "Subgroup AUC (highest - lowest)"]
    assert judged.rows[0][5] == "0.03 [0.00, 0.10]"


def test_among_equal_verdicts_the_smaller_q_and_then_the_wider_gap_is_worse(results, of_groups):
    keys = {name: Key("t", "a", name, HIGHEST, "selection_rate", OURS) for name in ("gender", "race")}
    results.scores[keys["gender"]] = results.scores[keys["race"]]._replace(value=0.5)
    extremes = {name: Key("t", "a", name, ANY_OF_SET, "selection_rate", OURS) for name in ("gender", "race")}
    results.scores[extremes["gender"]] = results.scores[extremes["race"]]
    assert overall.worst(results, of_groups, "t")[0].rows[0][1] == "gender"
    extreme = Key("t", "a", "race", ANY_OF_SET, "selection_rate", OURS)
    results.scores[extreme] = results.scores[extreme]._replace(q_value=0.001)
    assert overall.worst(results, of_groups, "t")[0].rows[0][1] == "race"


def test_every_set_has_a_row_and_a_set_of_too_many_groups_its_reason(results, of_groups):
    key = Key("t", "a", "gender", HIGHEST, "selection_rate", OURS)
    results.scores[key] = results.scores[key]._replace(value=None, reason="3,000 groups, more than 2,048: too many")
    del of_groups["t", "a"].numbers["gender"]
    rows = overall.every(results, of_groups["t", "a"], "t", "a")[0].rows
    assert [row[0] for row in rows] == ["gender", "race", "gender + race"]
    assert (rows[0][1], rows[0][3]) == ("too many", "undefined: 3,000 groups, more than 2,048: too many")


def test_outputs_have_tables_where_labels_are_numbers(results, of_groups):
    for name in ("gender", "race", "gender+race"):
        known = results.scores[Key("t", "a", name, HIGHEST, "tpr", OURS)]
        results.scores[Key("t", "a", name, HIGHEST, "mae", OURS)] = known._replace(value=0.0123, ci_low=0.0, ci_high=0.1)
    table = overall.worst(results, of_groups, "t")[2]
    assert table.columns == ["Model", "Attribute set", "Groups", "Most extreme group", "MAE"]
    assert table.rows[0] == ["a", "gender", "2", "not tested", "0.012 [0.000, 0.100]"]
    assert table.rows[2][4] == "not computed"


def test_flags_are_counted_of_those_that_have_one(results):
    assert overall.flags(results, "t", "a") == (3, 3)
    key = Key("t", "a", "race", RATIO, "selection_rate", OURS)
    results.scores[key] = results.scores[key]._replace(flagged=None, value=None)
    assert overall.flags(results, "t", "a") == (2, 2)
