"""Words and figures say no more than the numbers do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.reporting import wording
from stages.reporting.results import Score


def adi(value, low=None, high=None, reason=None):
    return Score(value, low, high, None, 1, 1, None, reason)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.714, "0.71"), (1.0, "1.00"), (1.001, "1.001"), (0.0, "0.00"), (0.0004, "0.000"), (0.004, "0.004"), (1234.5, "1,234.50")],
)
def test_a_number_near_parity_gets_one_more_decimal(value, text):
    assert wording.number(value) == text


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (adi(0.71, 0.58, 0.86), "0.71 [0.58, 0.86]"),
        (adi(0.5, reason="all replicates are equal"), "0.50, no interval"),
        (adi(None, reason="no text in the protected group"), "undefined: no text in the protected group"),
        (adi(None, reason="undefined: the labels do not vary"), "undefined: the labels do not vary"),
        (None, "not computed"),
    ],
)
def test_a_measure_shows_what_there_is_and_names_what_is_missing(score, text):
    assert wording.measure(score) == text


@given(st.lists(st.floats(0, 10), min_size=3, max_size=3).map(sorted))
def test_the_verdict_is_as_certain_as_the_interval(numbers):
    low, value, high = numbers
    words = wording.verdict(adi(value, low, high), "95 %")
    assert words.startswith("not distinguishable") == (low <= 1 <= high)
    if not low <= 1 <= high:
        assert ("less often" in words) == (high < 1)


def test_without_an_interval_or_a_value_there_is_no_verdict():
    assert wording.verdict(adi(0.1), "95 %") == "no interval, so nothing can be said about parity"
    assert wording.verdict(adi(None, reason="nobody is selected"), "95 %") == "undefined: nobody is selected"


def test_options_read_well_and_hide_where_the_page_was_made():
    options = {"source": "/home/someone/vectors.txt", "rate": 1e-4, "frozen": True, "sizes": [1, 2]}
    assert wording.option(options) == "source vectors.txt, rate 0.0001, frozen yes, sizes 1, 2"


def test_lists_and_counts():
    assert wording.listed(["a"]) == "a"
    assert wording.listed(["a", "b", "c"], "or") == "a, b or c"
    assert [wording.count(n, "person", "people") for n in (1, 1200)] == ["1 person", "1,200 people"]
