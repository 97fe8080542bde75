"""Planted values are compared only where an interval and a planted value are both there."""

from stages.reporting import planted


def test_intervals_that_hold_the_planted_value_are_counted(results):
    table = planted.held(results, ["t"])
    assert table.rows == [["t", "a", "0 of 0", "1 of 2", "0 of 0"], ["t", "b", "0 of 0", "0 of 2", "0 of 0"]]


def test_each_measure_stands_beside_its_planted_value(results):
    rows = planted.gaps(results, "t", "adi").rows
    assert rows[0] == ["gender", "2.00", "1.90 [0.90, 3.00] inside", "1.10 [0.80, 1.30] outside"]
    assert rows[2] == ["gender + race", "none", "0.00, no interval", "undefined: no text in the protected group"]


def test_the_largest_planted_gap_is_put_in_words(results):
    assert planted.described(results, "t") == ["gender: an ideal reader's ADI is 2.00"]


def test_a_task_without_planted_values_is_not_called_simulated(results):
    assert planted.simulated(results) == ["t"]
    results.scores.update({key: score._replace(planted=None) for key, score in results.scores.items()})
    assert planted.simulated(results) == []
