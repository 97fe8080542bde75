"""Tables of what was measured: the right sets, the right groups, in words that the interval allows."""

from stages.contract.params import Design
from stages.reporting import measured


def design(kind):
    entry = {"dataset": {"use": "wassa", "source": "data/raw"}, "label": "empathy", "kind": kind}
    part = {"use": "identity"}
    models = {name: {"base": {"source": "vectors.txt"}, "debiaser": part, "family": part} for name in "ab"}
    return Design.model_validate({"tasks": {"t": entry}, "models": models})


def test_the_selection_table_takes_the_furthest_set_and_counts_the_disparities(results):
    a, b = measured.selection(results, design("classification")).rows
    assert a[2:] == [
        "accuracy 0.80 [0.70, 0.90]",
        "gender + race",
        "0.00, no interval",
        "12 / 34",
        "cannot tell (q = 0.200)",
        "1 of 3",
    ]
    assert b[3:5] == ["race", "2.00 [1.20, 3.10]"]
    assert b[6] == "disparity (q < 0.001): selected more often than its base rate suggests"


def test_a_regression_is_headed_by_its_correlation(results):
    assert measured.selection(results, design("regression")).rows[0][2].startswith("Pearson r")


def test_worst_holds_only_sets_apart_from_parity_with_both_groups(results):
    rows = measured.worst(results, 3, "95 %").rows
    assert [row[:3] for row in rows] == [["t", "a", "race"], ["t", "b", "race"]]
    assert rows[0][4:] == ["50.0 → 50.0 %", "25 (10)", "75.0 → 75.0 %", "25 (10)", "less often than its base rate suggests"]


def test_gaps_have_a_row_a_set_and_a_column_a_model(results):
    table = measured.gaps(results, "t", "adi", "95 %")
    assert table.columns[-2:] == ["a", "b"]
    assert table.rows[2] == ["gender + race", "2", "12", "34", "0.00, no interval", "undefined: no text in the protected group"]


def test_what_the_design_does_not_ask_for_is_not_computed(results):
    assert measured.misses(results).rows[0][2] == "none defined"
    assert set(measured.gaps(results, "t", "fv", "95 %").rows[0][4:]) == {"not computed"}
