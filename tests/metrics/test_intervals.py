"""Percentile intervals, and the reasons for having none."""

import numpy as np
import pytest

from stages.metrics.resampling import percentile_interval


def test_the_central_share_of_the_replicates():
    low, high, reason = percentile_interval(np.arange(1001.0), 0.9)
    assert (low, high, reason) == (pytest.approx(50), pytest.approx(950), None)


def test_mostly_undefined_replicates_give_no_interval():
    low, high, reason = percentile_interval(np.array([np.nan] * 10 + [1.0, 2.0] * 45), 0.95)
    assert np.isnan(low)
    assert np.isnan(high)
    assert reason == "no interval: undefined in 10 of 100 replicates"


def test_replicates_that_never_vary_are_no_certainty():
    """Nine people all selected do not show a rate of exactly 1."""
    assert percentile_interval(np.ones(500), 0.95)[2].startswith("no interval: all replicates are equal")


def test_a_few_undefined_replicates_are_left_out():
    low, high, reason = percentile_interval(np.append(np.arange(1000.0), np.nan), 0.95)
    assert reason is None
    assert (low, high) == pytest.approx((24.975, 974.025))
