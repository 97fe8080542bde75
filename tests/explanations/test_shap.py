"""Shapley values: of a linear model in closed form, of any model by enumeration, and always adding up."""

import itertools
import math

import numpy as np
import pytest

from stages.explanations import shap


def values(model, words, samples, seed=4):
    params = shap.Params(samples=samples)
    held = shap.asked(words, params, seed)
    return shap.explained(held, model(held), params, seed)[0]


def enumerated(model, words):
    """phi_j = sum over subsets S without j of |S|! (M - |S| - 1)! / M! (f(S and j) - f(S))."""
    found = np.zeros(words)
    for word in range(words):
        others = [other for other in range(words) if other != word]
        for number in range(words):
            weight = math.factorial(number) * math.factorial(words - number - 1) / math.factorial(words)
            for subset in itertools.combinations(others, number):
                pair = np.zeros((2, words), dtype=bool)
                pair[:, list(subset)] = True
                pair[1, word] = True
                without, with_it = model(pair)
                found[word] += weight * (with_it - without)
    return found


def curved(held):
    weights = np.random.default_rng(8).normal(size=held.shape[1])
    return 1 / (1 + np.exp(-(held @ weights + 2.0 * held[:, 0] * held[:, 1] - 1.5 * held[:, 1] * held[:, 2])))


@pytest.mark.parametrize("words", [1, 2, 7, 20])
def test_a_linear_model_gives_its_weights(words):
    """w_j (x_j - E x_j) with x_j = 1 and a taken out word, 0, as the baseline."""
    weights = np.random.default_rng(words).normal(size=words)
    assert values(lambda held: held @ weights - 4, words, 200) == pytest.approx(weights, abs=1e-9)


@pytest.mark.parametrize("words", [3, 6])
def test_short_texts_are_exact(words):
    assert values(curved, words, 2048) == pytest.approx(enumerated(curved, words), abs=1e-9)


def test_long_texts_are_near_and_add_up():
    found = values(curved, 12, 500)
    ends = curved(np.array([[True] * 12, [False] * 12]))
    assert found.sum() == pytest.approx(ends[0] - ends[1], abs=1e-9)
    assert np.sqrt(np.mean((found - enumerated(curved, 12)) ** 2)) < 0.02


def test_the_seed_decides_and_numpys_own_generator_is_left_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first, again, other = (values(curved, 14, 120, seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002
