"""Design effects of groups equal closed forms and what simulated authors show; with one text an author a rate's is one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.metrics.effective_sizes import Clustered, design_effect, intraclass_correlation


def sums(hits: np.ndarray, texts: np.ndarray) -> Clustered:
    """The sums [1] of authors with so many hits and texts."""
    return Clustered(*(np.array([part.sum()], dtype=float) for part in (hits, texts, hits**2, hits * texts, texts**2)))


def within(of: Clustered) -> np.ndarray:
    """The unbiased variance of one text of a rate."""
    value = of.value()
    return value * (1 - value) * of.texts / (of.texts - 1)


@settings(max_examples=50)
@given(st.integers(0, 40), st.integers(2, 40), st.floats(0.05, 0.95))
def test_one_text_an_author_is_one_independent_text(selected, number, everyone):
    hits = (np.arange(number) < selected).astype(float)
    of = sums(hits, np.ones(number))
    typical = np.array([everyone * (1 - everyone)])
    assert design_effect(of, within(of), typical, np.array([0.0]), np.array([float(number)]))[0] == pytest.approx(1)


def test_texts_repeated_k_times_have_a_design_effect_of_k():
    """Each of many authors with k equal texts: one text's worth of knowledge each."""
    hits, texts = np.repeat([0.0, 7.0], [400, 600]), np.full(1000, 7.0)
    of = sums(hits, texts)
    alike = intraclass_correlation(of, within(of))
    assert alike[0] == pytest.approx(1, abs=2e-3)
    assert design_effect(of, within(of), np.array([0.24]), alike, np.array([1000.0]))[0] == pytest.approx(7, rel=2e-3)


@pytest.mark.parametrize(("texts", "icc"), [((5, 5), 0.3), ((1, 11), 0.3), ((2, 40), 0.1)])
def test_effects_are_the_variance_between_simulated_studies(texts, icc):
    """Half of the authors write few and half many texts, alike by ``icc`` (beta-binomial): Var(rate) = effect x p (1 - p) / texts."""
    random, rate, wrote = np.random.default_rng(1), 0.3, np.repeat(texts, 60)
    leaning = (1 - icc) / icc
    found, effects, correlations = [], [], []
    for _ in range(3000):
        of = sums(random.binomial(wrote, random.beta(rate * leaning, (1 - rate) * leaning, 120)).astype(float), wrote.astype(float))
        alike = intraclass_correlation(of, within(of))
        found.append(of.value()[0])
        correlations.append(alike[0])
        effects.append(design_effect(of, within(of), np.array([0.21]), alike, np.array([120.0]))[0])
    assert np.mean(correlations) == pytest.approx(icc, abs=0.03)
    assert np.mean(effects) * rate * (1 - rate) / wrote.sum() == pytest.approx(np.var(found), rel=0.1)


def test_a_few_who_happen_to_agree_have_no_standard_error_of_nothing():
    hits, texts = np.zeros(3), np.full(3, 5.0)
    effect = design_effect(sums(hits, texts), np.array([0.0]), np.array([0.25]), np.array([0.5]), np.array([3.0]))[0]
    assert effect == pytest.approx(1 + 4 * 0.5), "nothing but what everyone's texts are alike by"


def test_effective_authors_are_kishs():
    assert sums(np.zeros(4), np.array([5.0, 5, 5, 5])).authors()[0] == 4
    assert sums(np.zeros(4), np.array([97.0, 1, 1, 1])).authors()[0] == pytest.approx(100**2 / (97**2 + 3))
