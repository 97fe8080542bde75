"""Intervals hold their point and their truth, and say why when there is none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stages.metrics.intervals import (
    bca_interval,
    largest_gap_interval,
    log_ratio_interval,
    percentile_interval,
)


def halves(one: np.ndarray, first: np.ndarray) -> tuple:
    """Two groups of people with one text each: who is in the first, and whose text is selected."""
    return (one * first, first), (one * (1 - first), 1 - first)


def test_the_interval_of_a_ratio_is_katz_where_it_should_be():
    """One text each and large groups: log ratio +- 1.96 sqrt(1/k1 - 1/n1 + 1/k2 - 1/n2) (Katz et al. 1978)."""
    people = np.arange(4000)
    first = (people < 2000).astype(float)
    selected = np.where(people < 2000, people % 5 < 2, people % 4 < 2).astype(float)  # rates of 0.4 and 0.5
    low, high, _ = log_ratio_interval(halves(selected, first), np.ones(4000), 0.95, nested=True)
    reach = 1.96 * np.sqrt(1 / 800 - 1 / 2000 + 1 / 1000 - 1 / 2000)
    assert (low, high) == pytest.approx((0.8 * np.exp(-reach), 0.8 * np.exp(reach)), rel=0.003)


def test_five_equal_texts_of_a_person_are_worth_one():
    first = (np.arange(100) < 50).astype(float)
    selected = (np.arange(100) % 3 == 0).astype(float)
    widths = []
    for number in (1, 5):
        sides = tuple((number * a, number * b) for a, b in halves(selected, first))
        low, high, _ = log_ratio_interval(sides, np.ones(100), 0.95, nested=True)
        widths.append(np.log(high / low))
    assert widths[1] == pytest.approx(widths[0], rel=0.1)


@given(st.lists(st.booleans(), min_size=4, max_size=40), st.integers(2, 38))
def test_a_ratio_lies_in_its_own_interval(selected, cut):
    cut = min(cut, len(selected) - 2)
    hits = np.array(selected, dtype=float)
    hits[-1] = 1  # somebody in the second group, so that the ratio is defined
    sides = halves(hits, (np.arange(len(hits)) < cut).astype(float))
    low, high, reason = log_ratio_interval(sides, np.ones(len(hits)), 0.95, nested=True)
    assert reason is None
    assert 0 <= low <= hits[:cut].mean() / hits[cut:].mean() <= high


def test_eight_people_do_not_look_like_many():
    """A group of 8 beside 200 with equal rates of 0.4, which bootstrap percentiles do not cover."""
    random = np.random.default_rng(6)
    first = (np.arange(208) < 8).astype(float)
    draws = [(random.random(208) < 0.4).astype(float) for _ in range(800)]
    intervals = [log_ratio_interval(halves(hits, first), np.ones(208), 0.95, nested=True) for hits in draws]
    assert np.mean([low <= 1 <= high for low, high, _ in intervals]) >= 0.93


def test_one_person_has_no_interval():
    sides = halves(np.array([1.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]))
    assert log_ratio_interval(sides, np.ones(3), 0.95, nested=True)[2] == "no interval: 1 person in one of the groups"


def test_the_central_share_of_the_replicates():
    low, high, reason = percentile_interval(np.arange(1001.0), 0.9)
    assert (low, high, reason) == (pytest.approx(50), pytest.approx(950), None)


def test_mostly_undefined_replicates_give_no_interval():
    low, high, reason = percentile_interval(np.array([np.nan] * 10 + [1.0, 2.0] * 45), 0.95)
    assert np.isnan(low)
    assert np.isnan(high)
    assert reason == "no interval: undefined in 10 of 100 replicates"


def test_replicates_that_never_vary_are_no_certainty():
    """Nine people all selected do not show a ratio of exactly 1."""
    assert percentile_interval(np.ones(500), 0.95)[2].startswith("no interval: all replicates are equal")


@pytest.mark.parametrize("groups", [2, 5, 20])
def test_the_largest_gap_of_equal_groups_may_be_nothing(groups):
    """Its own percentiles would never hold 0 (fairlearn's intervals of max-min: 0 of 30); ours do in at least 93 % of 300 draws."""
    random = np.random.default_rng(4)
    held = 0
    for _ in range(300):
        rates = random.binomial(100, 0.5, groups) / 100
        replicates = random.binomial(100, rates, (400, groups)) / 100
        gaps = rates - rates.mean()
        low, high, _ = largest_gap_interval(gaps, replicates - replicates.mean(axis=1, keepdims=True), 0.95)
        held += low == 0
        assert low <= np.abs(gaps).max() <= high
    assert held / 300 >= 0.93


def test_a_real_gap_is_told_from_nothing():
    random = np.random.default_rng(5)
    low, high, _ = largest_gap_interval(np.array([0.3, 0.0]), random.normal([0.3, 0.0], 0.05, (1000, 2)), 0.95)
    assert 0.15 < low < 0.3 < high < 0.45


@pytest.mark.parametrize("power", [1, 3])
def test_bca_is_that_of_scipy(power):
    """T13 (fairpipe): the mean of 0 to 99, and a skewed one where percentiles and BCa part; within the error of 20,000 replicates."""
    data = (np.arange(100.0) / 100) ** power
    replicates = np.random.default_rng(1).choice(data, (20_000, 100)).mean(axis=1)
    low, high, reason = bca_interval(replicates, data.mean(), data - data.mean(), 0.95)
    expected = stats.bootstrap((data,), np.mean, n_resamples=20_000, method="BCa", rng=2).confidence_interval
    assert (low, high) == pytest.approx(expected, rel=0.004)
    assert reason is None
    plain = percentile_interval(replicates, 0.95)
    assert (low > plain[0] + 0.002) == (power == 3), "the correction of a skewed mean shifts the interval up"


def test_bca_holds_its_value_or_says_why_there_is_none():
    replicates = np.linspace(0, 1, 1001)
    low, high, _ = bca_interval(replicates, 0.999, np.array([-1.0, 0.5, 0.5]), 0.95)
    assert low <= 0.999 <= high
    assert bca_interval(replicates, 2.0, np.array([-1.0, 1.0]), 0.95)[2] == "no interval: all replicates lie on one side of the value"
    assert "undefined in 1001 of 1001" in bca_interval(np.full(1001, np.nan), 0.5, np.ones(3), 0.95)[2]
