"""Every missing number is counted once, under its reason."""

from stages.reporting import undefined


def test_every_score_without_interval_is_counted_once(results):
    table = undefined.table(results)
    assert sum(int(row[4]) for row in table.rows) == sum(not score.bounded for score in results.scores.values())


def test_missing_numbers_come_before_missing_intervals_and_reasons_that_differ_in_a_count_are_one(results):
    rows = undefined.table(results).rows
    assert rows[0] == ["number", "ADI", "protected/privileged", "no text in the protected group", "1", "gender + race, in 1 cell"]
    tpr = [row for row in rows if row[1:3] == ["TPR", "mixed"]]
    assert tpr == [
        [
            "interval",
            "TPR",
            "mixed",
            "no interval: undefined in too many of 1000 replicates",
            "6",
            "gender, race, gender + race, in 2 cells",
        ]
    ]
