"""Words about groups that stand out give each number with its interval, size and comparison."""

from stages.reporting import standing
from stages.reporting.groups import Measured
from tests.reporting.test_forest import score


def test_the_sentence_counts_found_told_and_all(of_groups):
    assert standing.counted(of_groups["t", "a"]) == "1 of 6 (7 in all)"
    words = standing.sentence(of_groups["t", "a"])
    assert words.startswith("7 groups in all, 6 of which have enough people for a test to tell; 1 stands out from everyone.")
    assert words.endswith("0 of 6 are flagged.")


def test_a_row_has_the_rate_everyones_the_size_the_pooled_estimate_the_ratio_and_p(of_groups):
    table = standing.table(of_groups["t", "a"], "t", "a", "95 %")
    row = ["Black\n(race)", "TPR", "0.40 [0.30, 0.50]", "0.75", "40 (20)", "0.45 [0.30, 0.50]", "0.53 [0.30, 0.50]\nflagged", "0.020"]
    assert table.rows == [[*row, "selection rate"]]
    assert len(table.columns) == 9


def test_the_line_of_the_terminal_is_one_line(of_groups):
    line = standing.line(of_groups["t", "a"].standing[0])
    assert line == "race: Black: TPR 0.40 [0.30, 0.50], everyone 0.75, n 40 (20 people)"


def test_the_full_table_begins_with_everyone_and_has_every_group_shown(results, of_groups):
    table = standing.everything(results, of_groups["t", "a"], "t", "a")
    assert table.columns == ["Group", "Attribute set", "Texts (people)", "Base rate", "Selection rate", "TPR"]
    assert table.rows[0] == ["Everyone", "", "100 (40)", "-", "0.80 [0.70, 0.90]", "0.80 [0.70, 0.90]"]
    assert [row[0] for row in table.rows[1:]] == [group.name for group in of_groups["t", "a"].shown]
    assert table.rows[3] == ["Black", "race", "40 (20)", "0.75 [0.65, 0.85]", "0.60 [0.50, 0.70]", "0.40 [0.30, 0.50]"]


def test_effective_people_are_said_where_ten_or_more_are_worth_fewer():
    assert Measured(score(0.5), 86, 7.31, None).effectively() == ", effectively 7.3"
    for people, effective in ((86, 12.0), (9, 3.0), (0, None)):
        assert not Measured(score(0.5), people, effective, None).effectively()
