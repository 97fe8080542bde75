"""Tables of what was measured: the right sets, the right groups, in words that the interval allows."""

from stages.contract.params import Design
from stages.reporting import measured
from stages.reporting.results import GAP, OURS, Key


def design(kind):
    entry = {"dataset": {"use": "wassa", "source": "data/raw"}, "label": "empathy", "kind": kind}
    part = {"use": "identity"}
    models = {name: {"base": {"source": "vectors.txt"}, "debiaser": part, "family": part} for name in "ab"}
    return Design.model_validate({"tasks": {"t": entry}, "models": models})


def test_the_selection_table_takes_a_disparity_first_and_counts_disparities_and_groups(results, of_groups):
    a, b = measured.selection(results, of_groups, design("classification")).rows
    assert a[2:] == [
        "accuracy 0.80 [0.70, 0.90]",
        "race",
        "0.60 [0.40, 0.90]",
        "12 / 34",
        "disparity (q = 0.004); selected less often than its base rate suggests",
        "1 of 3",
        "1 of 6 (7 in all)",
    ]
    assert b[3:5] == ["race", "2.00 [1.20, 3.10]"]
    assert b[6] == "disparity (q < 0.001); selected more often than its base rate suggests"


def test_a_regression_is_headed_by_its_correlation(results, of_groups):
    assert measured.selection(results, of_groups, design("regression")).rows[0][2].startswith("Pearson r")


def test_worst_holds_only_sets_with_a_disparity_with_both_groups(results):
    """Whatever the interval: it stands for one number, the verdict is corrected for all."""
    rows = measured.worst(results, 3, "95 %").rows
    assert [row[:3] for row in rows] == [["t", "a", "race"], ["t", "b", "race"]]
    assert rows[0][4:6] == ["disparity (q = 0.004)", "50.0 → 50.0 %"]
    assert rows[0][6:] == ["25 (10)", "75.0 → 75.0 %", "25 (10)", "less often than its base rate suggests"]
    key = Key("t", "b", "race", GAP, "adi", OURS)
    results.scores[key] = results.scores[key]._replace(verdict="no evidence of disparity")
    assert [row[1] for row in measured.worst(results, 3, "95 %").rows] == ["a"]


def test_gaps_have_a_row_a_set_and_a_column_a_model(results):
    table = measured.gaps(results, "t", "adi", "95 %")
    assert table.columns[-2:] == ["a", "b"]
    assert table.rows[2] == ["gender + race", "2", "12", "34", "0.00, no interval", "undefined: no text in the protected group"]


def test_what_the_design_does_not_ask_for_is_not_computed(results):
    assert measured.misses(results).rows[0][2] == "none defined"
    assert set(measured.gaps(results, "t", "fv", "95 %").rows[0][4:]) == {"not computed"}
