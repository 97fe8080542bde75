"""The permutation test: exact where every partition counts, seeded where they are drawn, never below one over their number."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stages.probes import partitions

NUMBERS = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=6)  # whole numbers, so that there are ties


def by_hand(x, y):
    """Every partition in turn, in exact arithmetic of whole numbers."""
    both = np.concatenate([x, y])
    sums = [both[list(chosen)].sum() for chosen in combinations(range(len(both)), len(x))]
    return np.mean([total >= x.sum() for total in sums])


@given(NUMBERS, NUMBERS)
def test_exact_p_is_that_of_all_partitions_one_by_one_ties_included(x, y):
    x, y = np.array(x), np.array(y)
    assert partitions.p_value(x, y, 0, 0) == by_hand(x, y)


@pytest.mark.parametrize(("size", "least"), [(1, 1 / 2), (2, 1 / 6), (4, 1 / 70), (8, 1 / 12870)])
def test_perfect_separation_has_the_least_p_there_is(size, least):
    assert partitions.p_value(np.ones(size), np.zeros(size), 0, 0) == pytest.approx(least, rel=1e-15)
    assert partitions.p_value(np.zeros(size), np.ones(size), 0, 0) == 1


def test_ties_are_ties_whatever_the_order_of_summing():
    """Ten times 0.1 in another order is not the same double, and the same sum."""
    x, y = np.array([0.1, 0.7, 0.2]), np.array([0.3, 0.6, 0.1])
    assert partitions.p_value(x, y, 0, 0) == by_hand(np.array([1, 7, 2]), np.array([3, 6, 1]))


def test_sixteen_and_sixteen_agree_with_scipy_within_its_draws():
    rng = np.random.default_rng(3)
    x, y = rng.normal(0.6, 1, 16), rng.normal(0, 1, 16)
    drawn = stats.permutation_test(
        (x, y), lambda a, b, axis: a.mean(axis) - b.mean(axis), vectorized=True, n_resamples=50_000, alternative="greater", rng=1
    ).pvalue
    assert partitions.p_value(x, y, 0, 0) == pytest.approx(drawn, abs=4 * np.sqrt(drawn / 50_000))


def test_beyond_forty_numbers_partitions_are_drawn_and_p_is_never_zero():
    x, y = np.arange(25) + 100.0, np.arange(25.0)
    assert partitions.p_value(x, y, 1000, 1) == 1 / 1001
    rng = np.random.default_rng(2)
    x, y = rng.normal(0.3, 1, 20), rng.normal(0, 1, 20)
    exact = partitions.p_value(x, y, 0, 0)
    draws = partitions.drawn(x, y, 50_000, 1)
    assert (draws >= x.mean() - y.mean()).mean() == pytest.approx(exact, abs=4 * np.sqrt(exact / 50_000))
    np.testing.assert_array_equal(draws, partitions.drawn(x, y, 50_000, 1))
    assert not np.array_equal(draws, partitions.drawn(x, y, 50_000, 2))


def test_p_is_uniform_when_nothing_differs():
    rng = np.random.default_rng(5)
    p = np.array([partitions.p_value(*rng.normal(size=(2, 8)), 0, 0) for _ in range(2000)])
    assert stats.kstest(p, "uniform").pvalue > 0.01
    assert (p <= 0.05).mean() <= 0.065


def test_the_number_of_subsets_is_a_binomial_coefficient():
    values = np.zeros(24)
    assert partitions.at_least(values, 12) == comb(24, 12)
