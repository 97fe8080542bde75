"""Beta regression prints what R's betareg prints, finds planted effects, and says why where there is no fit."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import expit
from statsmodels.tools.numdiff import approx_fprime, approx_hess

from stages.contract.bad_input import BadInput
from stages.contrasts.beta_regression import BetaFit, fit, likelihood_ratio, squeeze

CELLS = np.array([[1, 0, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]], dtype=float)


def close(found, printed, digits: int) -> None:
    """Equal in all printed digits."""
    np.testing.assert_allclose(found, printed, rtol=0, atol=0.51 * 10.0**-digits)


@pytest.fixture(scope="module")
def golden(shared):
    return json.loads((shared / "golden/published.json").read_text())["beta_regression_R"]


def gasoline(shared):
    frame = pd.read_csv(shared / "data/betareg/GasolineYield.csv")
    batches = [(frame["batch"] == batch).astype(float) for batch in range(1, 10)]  # batch 10 is the reference
    return frame["yield"].to_numpy(), np.column_stack([np.ones(len(frame)), *batches, frame["temp"]])


def food(shared):
    frame = pd.read_csv(shared / "data/betareg/FoodExpenditure.csv")
    return (frame["food"] / frame["income"]).to_numpy(), np.column_stack([np.ones(len(frame)), frame[["income", "persons"]]])


def test_gasoline(shared, golden):
    printed, found = golden["GasolineYield yield~batch+temp logit"], fit(*gasoline(shared))
    errors, phi = found.standard_errors("expected"), np.exp(found.precision[0])
    close(found.mean, list(printed["coef"].values()), 6)
    close(errors[[0, 10]], [printed["se_expected"]["(Intercept)"], printed["se_expected"]["temp"]], 6)
    close(phi, printed["phi"], 5)
    close(phi * errors[-1], printed["se_phi"], 1)  # R prints 110.0
    close(found.log_likelihood, printed["logLik"], 3)
    close(found.pseudo_r2, printed["pseudoR2"], 5)
    close(2 * (found.parameters - found.log_likelihood), printed["AIC"], 1)


def test_gasoline_with_precision_by_temperature(shared, golden):
    printed, (scores, matrix) = golden["GasolineYield |temp"], gasoline(shared)
    found = fit(scores, matrix, matrix[:, [0, -1]])
    close(found.precision, printed["phi_coef"], 5)
    close(found.standard_errors("expected")[-2:], printed["se"], 5)
    close(found.log_likelihood, printed["logLik"], 3)


def test_food(shared, golden):
    printed, (scores, matrix) = golden["FoodExpenditure food/income~income+persons"], food(shared)
    found = fit(scores, matrix)
    errors = found.standard_errors("expected")
    close(found.mean, printed["coef"], 8)
    close(errors[:3], printed["se"], 9)
    z = found.mean / errors[:3]
    close(z, printed["z"], 6)
    np.testing.assert_allclose(2 * stats.norm.sf(np.abs(z)), printed["p"], rtol=1e-6)
    close(np.exp(found.precision[0]), printed["phi"], 5)
    close(np.exp(found.precision[0]) * errors[3], printed["se_phi"], 6)
    close(found.log_likelihood, printed["logLik"], 4)
    close(found.pseudo_r2, printed["pseudoR2"], 3)
    by_persons = fit(scores, matrix, matrix[:, [0, 2]])
    close(by_persons.log_likelihood, 49.185, 3)
    statistic, degrees, p_value = likelihood_ratio(by_persons, found)
    assert (round(statistic, 2), degrees) == (7.70, 1)
    assert p_value == pytest.approx(stats.chi2.sf(statistic, 1))


def simulated(seed: int, rows: int = 4000):
    random = np.random.default_rng(seed)
    matrix = CELLS[random.integers(0, 4, rows)]
    precision = matrix[:, [0, 2]]
    mean, phi = expit(matrix @ [-0.3, 0.2, -0.1, 0.15]), np.exp(precision @ [2.0, 0.5])
    return random.beta(mean * phi, (1 - mean) * phi), matrix, precision


def test_planted_effects_are_found():
    found = fit(*simulated(1, 40_000))
    for information in ("expected", "observed"):
        z = (np.r_[found.mean, found.precision] - [-0.3, 0.2, -0.1, 0.15, 2.0, 0.5]) / found.standard_errors(information)
        assert np.abs(z).max() < 3


def test_scores_and_informations_are_the_derivatives_of_the_beta_law():
    """By finite differences of scipy's density."""
    scores, matrix, precision = simulated(2, 60)
    found = fit(scores, matrix, precision)

    def each(both):
        mean, phi = expit(matrix @ both[:4]), np.exp(precision @ both[4:])
        return stats.beta.logpdf(scores, mean * phi, (1 - mean) * phi)

    at = np.r_[found.mean, found.precision]
    assert found.log_likelihood == pytest.approx(each(at).sum())
    np.testing.assert_allclose(found.contributions, approx_fprime(at, each, centered=True), atol=1e-6)
    np.testing.assert_allclose(found.contributions.sum(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(found.informations.sum(axis=0), -approx_hess(at, lambda both: each(both).sum()), rtol=1e-3, atol=1e-2)
    np.testing.assert_allclose(np.linalg.inv(found.observed), found.informations.sum(axis=0), rtol=1e-8, atol=1e-8)


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_scores_that_are_the_same_in_every_group_have_no_effects(seed):
    scores = np.random.default_rng(seed).uniform(0.05, 0.95, 12)
    found = fit(np.tile(scores, 4), np.repeat(CELLS, 12, axis=0))
    np.testing.assert_allclose(found.mean[1:], 0, atol=1e-6)


def test_another_reference_changes_signs_as_algebra_demands():
    scores, matrix, _ = simulated(3, 500)
    swapped = matrix.copy()
    swapped[:, 1] = 1 - matrix[:, 1]
    swapped[:, 3] = swapped[:, 1] * swapped[:, 2]
    first, second = fit(scores, matrix), fit(scores, swapped)
    base, race, gender, both = first.mean
    np.testing.assert_allclose(second.mean, [base + race, -race, gender + both, -both], atol=1e-6)
    assert first.log_likelihood == pytest.approx(second.log_likelihood)


@given(st.lists(st.floats(-1, 2), min_size=2, max_size=30))
def test_squeezing_keeps_order_and_counts_what_lay_outside(values):
    scores = np.array(values)
    found, outside = squeeze(scores)
    inside = (scores > 0) & (scores < 1)
    assert outside == (~inside).sum()
    assert ((found > 0) & (found < 1)).all()
    assert (np.diff(found[np.argsort(scores)]) >= 0).all()
    if inside.all():
        np.testing.assert_array_equal(found, scores)
    else:
        assert found.min() >= 0.5 / len(scores) - 1e-12


def test_zero_half_and_one():
    """statsmodels stops with a blank assertion here."""
    found, outside = squeeze(np.array([0, 0.5, 1]))
    np.testing.assert_allclose(found, [1 / 6, 1 / 2, 5 / 6])
    assert outside == 2
    with pytest.raises(BadInput, match="2 of 3 scores are not between 0 and 1: squeeze"):
        fit(np.array([0, 0.5, 1]), np.ones((3, 1)))
    with pytest.raises(BadInput, match="1 of 2 scores are no numbers"):
        squeeze(np.array([0.1, np.nan]))


@pytest.mark.parametrize(
    ("scores", "why"),
    [
        ([0.2, 0.3, 0.4, 0.5, 0.6], "5 scores are too few for 5 parameters"),
        ([0.3] * 8, "all 8 scores are the same"),
        ([0.2, 0.4, 0.5, 0.7] * 2, "scores do not vary within groups"),
    ],
)
def test_what_cannot_be_fitted_says_why(scores, why):
    matrix = np.tile(CELLS, (2, 1))[: len(scores)]
    found = fit(np.array(scores), matrix)
    assert isinstance(found, str)
    assert why in found


def test_likelihood_ratios_keep_their_level():
    p_values = []
    for seed in range(60):
        scores = np.random.default_rng(seed).beta(3, 4, 60)
        larger, smaller = fit(scores, np.repeat(CELLS, 15, axis=0)), fit(scores, np.ones((60, 1)))
        assert isinstance(larger, BetaFit)
        p_values.append(likelihood_ratio(larger, smaller)[2])
    assert stats.kstest(p_values, "uniform").pvalue > 0.01
    with pytest.raises(BadInput, match="swap them"):
        likelihood_ratio(smaller, larger)
