"""The likelihood is SciPy's, its slope the numerical derivative, also for fractions of texts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from stages.metrics.beta_binomial import log_likelihood, slope, trigamma


@given(st.integers(0, 60), st.integers(0, 60), st.floats(0.01, 0.99), st.floats(0.5, 5000))
def test_likelihood_is_scipys(hits, misses, mean, strength):
    counts = np.array([hits, 0.0]), np.array([hits + misses, 0.0])
    found = log_likelihood(*counts, np.array(mean), strength)
    expected = stats.betabinom.logpmf(hits, hits + misses, strength * mean, strength * (1 - mean))
    assert found == pytest.approx([expected, 0], rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("strength", [1.0, 30.0, 20_000.0])
def test_slope_is_the_derivative_by_the_logit(strength):
    hits, texts, logits = np.array([0, 0.7, 3, 8]), np.array([5, 1.4, 5, 8]), np.array([-2, 0.3, 0.1, 1])

    def at(shift):
        return log_likelihood(hits, texts, special.expit(logits + shift), strength)

    first, information = slope(hits, texts, special.expit(logits), strength)
    assert first == pytest.approx((at(1e-5) - at(-1e-5)) / 2e-5, rel=1e-4, abs=1e-6)
    observed = -(at(1e-3) - 2 * at(0) + at(-1e-3)) / 1e-6
    mean = special.expit(logits)
    quasi = texts * mean * (1 - mean) / (1 + (texts - 1) / (strength + 1))
    assert information == pytest.approx(np.maximum(observed, quasi), rel=1e-3)


def test_without_overdispersion_the_information_is_that_of_a_binomial():
    mean = np.array([0.1, 0.5, 0.8])
    _, information = slope(np.array([2.0, 10, 30]), np.array([20.0, 20, 40]), mean, 1e7)
    assert information == pytest.approx(np.array([20, 20, 40]) * mean * (1 - mean), rel=1e-3)


def test_trigamma_is_scipys():
    x = np.geomspace(1e-7, 1e6, 200)
    assert trigamma(x) == pytest.approx(special.polygamma(1, x), rel=1e-9)
