"""The test of marked words against others as frequent: exact by enumeration, right in size, and its interval holds the planted shift."""

import itertools

import numpy as np
import pytest

from stages.explanations.leaning import FEW, NO_BAND, Permutations, compared

QUICK = Permutations(draws=999, seed=1, confidence=0.9)


def test_the_difference_is_taken_inside_bands_of_like_frequency():
    frequency = np.array([4, 5, 7, 64, 65, 100, 1000])
    marked = np.array([True, False, False, True, True, False, True])
    values = np.array([3.0, 1.0, 2.0, 10.0, 12.0, 5.0, 99.0])
    found = compared(values, marked, frequency, QUICK)
    assert found["difference"] == pytest.approx((1 * (3 - 1.5) + 2 * (11 - 5)) / 3)
    assert found["identity"] - found["other"] == pytest.approx(found["difference"])
    assert (found["terms"], found["others"]) == (3, 3), "nothing is as frequent as the word of 1000 texts"


def test_p_is_that_of_all_permutations():
    values = np.array([0.9, 0.2, 0.3, 0.4, 0.1, 0.6, 0.5, 0.7])
    marked = np.arange(8) < 2
    all_of_them = [values[list(pair)].mean() - np.delete(values, pair).mean() for pair in itertools.combinations(range(8), 2)]
    observed = values[:2].mean() - values[2:].mean()
    exact = 2 * min(np.mean(np.array(all_of_them) >= observed - 1e-12), np.mean(np.array(all_of_them) <= observed + 1e-12))
    found = compared(values, marked, np.full(8, 3), Permutations(20_000, 3, 0.95))
    assert found["p_value"] == pytest.approx(exact, abs=0.02)


def planted(random, shift):
    frequency = np.concatenate([np.full(60, 10), np.full(60, 100)])
    marked = np.concatenate([np.arange(60) < 4, np.arange(60) < 10])
    values = random.exponential(1.0, 120) + np.where(frequency == 100, 3.0, 0.0) + shift * marked
    return compared(values, marked, frequency, Permutations(399, int(random.integers(1 << 30)), 0.9))


def test_chance_alone_is_called_a_difference_as_seldom_as_the_level_says():
    """More frequent words weigh more and more marks are among them: without bands that would look like leaning."""
    random = np.random.default_rng(5)
    refused = np.mean([planted(random, 0.0)["p_value"] <= 0.1 for _ in range(300)])
    assert refused <= 0.1 + 3 * np.sqrt(0.1 * 0.9 / 300)


def test_the_interval_holds_the_planted_shift_and_the_test_finds_it():
    random = np.random.default_rng(6)
    found = [planted(random, 1.2) for _ in range(200)]
    held = np.mean([one["ci_low"] <= 1.2 <= one["ci_high"] for one in found])
    assert abs(held - 0.9) <= 3 * np.sqrt(0.1 * 0.9 / 200)
    assert np.mean([one["p_value"] <= 0.1 for one in found]) > 0.9
    assert all((one["p_value"] > 0.1) == (one["ci_low"] <= 0 <= one["ci_high"]) for one in found)


def test_one_word_among_few_has_no_interval_and_none_as_frequent_no_value():
    one = compared(np.array([5.0, 1.0, 2.0]), np.array([True, False, False]), np.full(3, 2), QUICK)
    assert (one["ci_low"], one["reason"]) == (None, FEW)
    assert one["p_value"] == pytest.approx(2 / 3, abs=0.05)
    alone = compared(np.array([5.0, 1.0]), np.array([True, False]), np.array([1, 50]), QUICK)
    assert (alone["difference"], alone["p_value"], alone["reason"]) == (None, None, NO_BAND)
    nobody = compared(np.array([5.0]), np.array([False]), np.array([1]), QUICK)
    assert (nobody["terms"], nobody["reason"]) == (0, NO_BAND)
