"""Words and figures say no more than the numbers do."""

import pytest

from stages.reporting import wording
from stages.reporting.results import Score


def adi(value, low=None, high=None, reason=None):
    return Score(value, low, high, None, 1, 1, None, reason)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *[(0.714, "0.71"), (1.0, "1.00"), (1.001, "1.001"), (0.0, "0.00"), (0.004, "0.004"), (1234.5, "1,234.50")],
        *[(-0.0004, "-0.0004"), (0.99998, "0.99998"), (1e-7, "0.00000")],
    ],
)
def test_a_number_near_parity_gets_up_to_three_more_decimals(value, text):
    assert wording.number(value) == text


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (adi(0.71, 0.58, 0.86), "0.71 [0.58, 0.86]"),
        (adi(0.5, reason="all replicates are equal"), "0.50, no interval"),
        (adi(0.5, 0.1, None, "no upper end: a rate may be 0 or 1"), "0.50 [0.10, no upper end]"),
        (adi(None, reason="no text in the protected group"), "undefined: no text in the protected group"),
        (adi(None, reason="undefined: the labels do not vary"), "undefined: the labels do not vary"),
        (None, "not computed"),
    ],
)
def test_a_measure_shows_what_there_is_and_names_what_is_missing(score, text):
    assert wording.measure(score) == text


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (adi(0.5)._replace(verdict="disparity", q_value=0.0121), "disparity (q = 0.012); selected less often than its base rate suggests"),
        (adi(1.5)._replace(verdict="disparity", q_value=0.0001), "disparity (q < 0.001); selected more often than its base rate suggests"),
        (adi(0.5)._replace(verdict="no evidence of disparity", q_value=0.3), "no evidence of disparity (q = 0.300)"),
        (adi(0.1)._replace(verdict="cannot tell"), "cannot tell"),
        (adi(0.1), "not tested"),
        (adi(None, reason="nobody is selected"), "undefined: nobody is selected"),
    ],
)
def test_the_verdict_says_the_direction_of_a_disparity_alone(score, words):
    assert wording.verdict_of_adi(score) == words
    assert wording.verdict(score) == words.split(";")[0]


def test_a_flag_stands_beside_the_verdict():
    flagged = adi(0.5)._replace(verdict="cannot tell", q_value=0.4, flagged=True)
    assert wording.verdict(flagged) == "cannot tell (q = 0.400), flagged"
    assert wording.verdict(flagged._replace(flagged=False)) == "cannot tell (q = 0.400)"


def test_options_read_well_and_hide_where_the_page_was_made():
    options = {"source": "/home/someone/vectors.txt", "rate": 1e-4, "frozen": True, "sizes": [1, 2]}
    assert wording.option(options) == "source vectors.txt, rate 0.0001, frozen yes, sizes 1, 2"


def test_lists_and_counts():
    assert wording.listed(["a"]) == "a"
    assert wording.listed(["a", "b", "c"], "or") == "a, b or c"
    assert [wording.count(n, "person", "people") for n in (1, 1200)] == ["1 person", "1,200 people"]
