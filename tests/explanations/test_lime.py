"""LIME as its authors' package computes it, and faithful to a linear model."""

import numpy as np
import pytest

from stages.explanations import lime

# LimeTextExplainer(random_state=np.random.RandomState(7), feature_selection="none").explain_instance of lime 0.2.0.1.
PACKAGE = [
    0.40165924621807425,
    -0.007244843507701848,
    -0.2372438157489083,
    0.011021161644332658,
    -0.012688439890416594,
    0.2735239065597898,
    -0.01333043688351649,
    -0.01402490375749389,
]
PACKAGE_SCORE = 0.8779281314125623


def published(held):
    """What the package was asked about with 500 samples of 8 words: a probability of a few words with a pair that count together."""
    first, second, third = held[:, 0], held[:, 2], held[:, 5]
    return 1 / (1 + np.exp(-(0.8 * first - 1.5 * second + 2.0 * first * third - 0.3)))


def test_the_figures_are_those_of_the_authors_package():
    params = lime.Params(samples=500)
    held = lime.asked(8, params, 7)
    found, fit = lime.explained(held, published(held), params, 7)
    assert found == pytest.approx(PACKAGE, abs=1e-12)
    assert fit == pytest.approx(PACKAGE_SCORE, abs=1e-12)


def test_a_linear_model_is_recovered_but_for_the_penalty():
    """Ridge's shrinkage falls as 1 / samples, so with thousands the weights are the model's; with penalty 0 at once."""
    weights = np.random.default_rng(0).normal(size=9)
    held = lime.asked(9, lime.Params(samples=200), 1)
    found, fit = lime.explained(held, held @ weights + 3, lime.Params(penalty=0), 1)
    assert found == pytest.approx(weights, abs=1e-9)
    assert fit == pytest.approx(1)
    many = lime.asked(9, lime.Params(samples=20_000), 1)
    assert lime.explained(many, many @ weights, lime.Params(), 1)[0] == pytest.approx(weights, abs=0.02)


def test_the_weighted_ridge_is_the_normal_equations():
    held = lime.asked(5, lime.Params(samples=60), 3)
    said = np.random.default_rng(1).random(60)
    ones = held.astype(float)
    cosine = (ones @ np.ones(5)) / (np.linalg.norm(ones, axis=1) * np.sqrt(5) + (held.sum(axis=1) == 0))
    weights = np.sqrt(np.exp(-((100 * (1 - cosine)) ** 2) / 25**2))
    design = np.column_stack([ones, np.ones(60)])
    solved = np.linalg.solve(design.T @ (weights[:, None] * design) + np.diag([1.0] * 5 + [0.0]), design.T @ (weights * said))
    assert lime.explained(held, said, lime.Params(), 3)[0] == pytest.approx(solved[:5], abs=1e-10)


def test_the_first_text_is_whole_and_every_other_lacks_a_word():
    held = lime.asked(4, lime.Params(samples=300), 2)
    assert held[0].all()
    assert not held[1:].all(axis=1).any()
    assert np.array_equal(held, lime.asked(4, lime.Params(samples=300), 2))
    assert not np.array_equal(held, lime.asked(4, lime.Params(samples=300), 3))


def test_a_model_that_always_says_the_same_has_no_fit():
    held = lime.asked(3, lime.Params(samples=50), 2)
    found, fit = lime.explained(held, np.full(50, 0.25), lime.Params(), 2)
    assert found == pytest.approx(np.zeros(3), abs=1e-12)
    assert fit is None
