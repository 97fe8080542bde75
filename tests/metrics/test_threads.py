"""Work side by side comes back in order, and an error in it is not lost."""

import pytest

from stages.metrics.threads import side_by_side


def test_results_come_in_the_order_of_the_items():
    assert side_by_side(lambda number: number**2, range(50)) == [number**2 for number in range(50)]


def test_an_error_is_raised_here():
    with pytest.raises(ZeroDivisionError):
        side_by_side(lambda number: 1 / number, [1, 0])
