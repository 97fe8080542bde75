"""Corrections equal statsmodels', p-values are never zero, and a verdict needs people."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from stages.metrics import testing

p_lists = st.lists(st.floats(0.0001, 1) | st.just(float("nan")), min_size=1, max_size=30).map(np.array)


@settings(max_examples=50)
@given(p_lists)
def test_corrections_equal_statsmodels_and_leave_undefined_ones_out(p_values):
    known = ~np.isnan(p_values)
    found = testing.benjamini_hochberg(p_values)
    assert np.isnan(found[~known]).all()
    if known.any():
        np.testing.assert_allclose(found[known], multipletests(p_values[known], method="fdr_bh")[1])


def test_p_values_count_the_data_as_one_draw_and_undefined_draws_against_them():
    null = np.array([0.1, 0.2, 0.3, np.nan])
    assert testing.p_value(0.25, null) == pytest.approx(3 / 5)
    assert testing.p_value(9.0, null[:3]) == pytest.approx(1 / 4)
    assert testing.p_value(0.0, null[:3]) == 1


def test_verdicts():
    given = [(0.01, 50), (0.20, 50), (0.01, 9), (float("nan"), 500)]
    found = testing.verdicts(*np.array(given).T, 10, 0.05)
    assert found.tolist() == ["disparity", "no evidence of disparity", "cannot tell", "cannot tell"]


@given(st.floats(0, 1), st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1), st.sampled_from([0.0, 1.0]))
def test_a_disparity_never_stands_beside_an_interval_that_holds_parity(q, value, below, above, parity):
    low, high = value - below, value + above
    verdict = str(testing.verdicts(q, 100, 10, 0.05, low, high, parity))
    assert (verdict == "disparity") == (q <= 0.05 and not low <= parity <= high)


def test_rounds_double_what_was_drawn_up_to_the_most():
    assert list(testing.rounds(10_000)) == [1000, 1000, 2000, 4000, 2000]
    assert list(testing.rounds(300)) == [300]


def test_monte_carlo_ends_hold_the_true_p_in_nearly_all_simulations():
    random, true = np.random.default_rng(1), np.linspace(0.001, 0.2, 20)
    estimated = random.binomial(2000, true, (2000, 20)) / 2000
    held = (testing.monte_carlo_end(estimated, 2000, -1) <= true) & (true <= testing.monte_carlo_end(estimated, 2000, 1))
    assert held.mean() > 0.985
