"""The maximum is statsmodels', does not hang on units, has its digits where scores hardly vary; where there is none, why."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from statsmodels.othermod.betareg import BetaModel

from stages.contract.bad_input import BadInput
from stages.contrasts.beta_regression import BetaFit, fit
from stages.contrasts.clustered import clustered
from tests.contrasts.test_beta_regression import simulated


def groups(seed: int, rows: int = 200):
    """Two groups whose scores do not differ in truth, an intercept, and what says which is which."""
    group = np.arange(rows) % 2.0
    return expit(np.random.default_rng(seed).normal(0, 0.3, rows)), np.column_stack([np.ones(rows), group])


@pytest.mark.parametrize("seed", range(60))
def test_a_group_of_one_score_has_a_precision_without_bound(seed):
    scores, matrix = groups(seed)
    constant = np.where(matrix[:, 1] == 1, 0.3, scores)
    why = "scores do not vary within groups in 100 of 200 rows, so that their precision has no bound"
    assert fit(constant, matrix, matrix) == why
    assert fit(constant, matrix[:, :1], matrix) == why


def test_covariates_that_say_the_same_have_no_effects_of_their_own():
    scores, matrix = groups(1)
    why = "the 3 covariates of the mean say what 2 of them say, so that their effects cannot be told apart"
    assert fit(scores, matrix[:, [0, 1, 1]]) == why
    assert "1 of 3 covariates of the mean are 0" in fit(scores, np.column_stack([matrix, np.zeros(200)]))
    assert "the 2 covariates of the precision say what 1 of them say" in fit(scores, matrix, matrix[:, [0, 0]])
    assert "1e-120 to 1e+00: give them in other units" in fit(scores, matrix * [1, 1e-120])
    with pytest.raises(BadInput, match="1 covariates of the mean are no numbers"):
        fit(scores, np.where(np.arange(200)[:, None] + [0, 1] == 0, np.nan, matrix))


@pytest.mark.parametrize("scale", [1e-6, 1e-12, 1e12])
def test_the_unit_of_a_covariate_changes_its_coefficient_alone(scale):
    scores, matrix, precision = simulated(5, 300)
    plain, scaled = fit(scores, matrix, precision), fit(scores, matrix * [1, scale, 1, 1], precision * [1, 1 / scale])
    unit = np.array([1, scale, 1, 1, 1, 1 / scale])
    np.testing.assert_allclose(np.r_[scaled.mean, scaled.precision] * unit, np.r_[plain.mean, plain.precision], rtol=1e-9)
    for information in ("expected", "observed"):
        np.testing.assert_allclose(scaled.standard_errors(information) * unit, plain.standard_errors(information), rtol=1e-9)
    assert scaled.log_likelihood == pytest.approx(plain.log_likelihood, rel=1e-12)
    names = pd.DataFrame({"name": np.arange(300) % 30})
    wide, narrow = (clustered(found.contributions, found.informations, names)(np.eye(6))[0] for found in (plain, scaled))
    np.testing.assert_allclose(narrow * unit, wide, rtol=1e-8)


@pytest.mark.parametrize("spread", [1e-4, 1e-6, 1e-8, 1e-10, 1e-12])
def test_scores_that_hardly_vary_have_the_effects_of_least_squares(spread):
    """Where a Beta law is this narrow it is normal: an effect is a difference of means, its variance that of maximum likelihood."""
    random, matrix = np.random.default_rng(0), groups(0)[1]
    scores = 0.4 + spread * (random.normal(size=200) + matrix[:, 1])
    away = scores - 0.4
    means = [away[matrix[:, 1] == group].mean() for group in (0, 1)]
    error = np.sqrt((away - np.array(means)[matrix[:, 1].astype(int)]).var() * 2 / 100)
    found = fit(scores, matrix)
    digits = max(10 * spread, 1e-3 * 1e-12 / spread, 1e-6)  # of the law's shape, of the scores' own digits
    slope = 0.4 * 0.6  # of a score by its logit
    np.testing.assert_allclose(found.mean[1] * slope, means[1] - means[0], rtol=digits)
    np.testing.assert_allclose(found.standard_errors("expected")[1] * slope, error, rtol=digits)
    assert "do not vary within groups in 200 of 200" in fit(0.4 + 1e-16 * random.integers(-2, 3, 200), matrix)


@pytest.mark.parametrize("seed", range(12))
def test_ordinary_data_have_the_maximum_of_statsmodels(seed):
    scores, matrix, precision = simulated(seed, 300)
    matrix = np.column_stack([matrix, np.random.default_rng(seed).normal(3, 2, 300)])
    ours, model = fit(scores, matrix, precision), BetaModel(scores, matrix, exog_precision=precision)
    theirs = model.fit(model.fit(disp=0, skip_hessian=True).params, method="newton", disp=0)
    np.testing.assert_allclose(np.r_[ours.mean, ours.precision], theirs.params, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.observed, theirs.cov_params(), rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(ours.expected, np.linalg.inv(-model.hessian(theirs.params, observed=False)), rtol=1e-7, atol=1e-10)
    assert ours.log_likelihood == pytest.approx(theirs.llf, rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["plain", "twice", "zero", "sum", "constant group"]), st.integers(-12, 12), st.booleans())
def test_no_design_raises_and_units_do_not_matter(seed, kind, power, varying):
    random = np.random.default_rng(seed)
    rows = int(random.integers(8, 60))
    matrix = np.column_stack([np.ones(rows), random.normal(size=rows), random.integers(0, 2, rows)])
    added = {"twice": matrix[:, 1], "zero": np.zeros(rows), "sum": matrix @ [1, -2, 3]}
    whole = np.column_stack([matrix, added[kind]]) if kind in added else matrix
    scores = expit(matrix @ random.normal(0, 0.5, 3) + random.normal(0, 0.5, rows))
    scores = np.where((matrix[:, 2] == 1) & (kind == "constant group"), 0.3, scores)
    precision = whole[:, [0, 2]] if varying else None
    scaled = whole * 10.0 ** (power * (np.arange(whole.shape[1]) == 1))
    one, other = fit(scores, whole, precision), fit(scores, scaled, precision)
    assert isinstance(one, BetaFit) == isinstance(other, BetaFit)
    if kind in added:
        assert isinstance(one, str)
    if isinstance(one, BetaFit) and isinstance(other, BetaFit):
        np.testing.assert_allclose(other.mean * 10.0 ** (power * np.array([0, 1, 0])), one.mean, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(other.precision, one.precision, rtol=1e-6, atol=1e-9)
