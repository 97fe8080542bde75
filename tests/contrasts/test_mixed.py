"""The mixed model is statsmodels' where that is feasible, the exact F test where data are balanced, and least squares without clusters."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.regression.mixed_linear_model import MixedLM

from stages.contrasts import mixed, ordinary

CELLS = np.array([[1, 0, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]], dtype=float)


def corpus(seed: int, names: int = 16, templates: int = 9, deviations=(0.5, 0.3, 0.2), rest: float = 0.4):
    random = np.random.default_rng(seed)
    name, template = (part.ravel() for part in np.indices((names, templates)))
    group = name % 4
    outcome = CELLS[group] @ [0.3, 0.2, -0.1, 0.1] + random.normal(0, rest, len(name))
    outcome += random.normal(0, deviations[0], templates)[template] + random.normal(0, deviations[1], names)[name]
    return outcome + random.normal(0, deviations[2], (templates, 4))[template, group], CELLS[group], template, name, group


@pytest.mark.parametrize("deviations", [(0.5, 0.3, 0.2), (1.0, 0.5, 0.3)])
def test_crossed_and_unbalanced_is_statsmodels(deviations):
    outcome, matrix, template, name, group = corpus(1, deviations=deviations)
    kept = np.random.default_rng(2).random(len(outcome)) < 0.7
    outcome, matrix, template, name, group = (part[kept] for part in (outcome, matrix, template, name, group))
    ours = mixed.fit(outcome, matrix, [template, name, template * 4 + group])
    frame = pd.DataFrame(matrix[:, 1:], columns=["race", "gender", "both"]).assign(y=outcome, t=template, n=name, g=template * 4 + group)
    effects = {"a": "0 + C(t)", "b": "0 + C(n)", "c": "0 + C(g)"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = MixedLM.from_formula("y ~ race + gender + both", frame, groups=np.ones(len(frame)), vc_formula=effects).fit()
    assert ours.log_likelihood >= theirs.llf - 1e-6
    assert ours.log_likelihood == pytest.approx(theirs.llf, abs=1e-4)
    np.testing.assert_allclose(ours.coefficients, theirs.fe_params, atol=2e-4)
    np.testing.assert_allclose(ours.spread(np.eye(4))[0], theirs.bse_fe, rtol=5e-3)
    np.testing.assert_allclose(ours.variances, [*theirs.vcomp, theirs.scale], rtol=2e-2, atol=2e-3)


def test_balanced_is_the_test_of_names_means():
    """With names nested in groups and crossed with templates, t is exactly that of the means of names, on names - groups degrees."""
    outcome, matrix, template, name, _ = corpus(3, deviations=(0.5, 0.5, 0))
    ours = mixed.fit(outcome, matrix, [template, name])
    assert (ours.variances > 0).all()
    means = ordinary.fit(pd.Series(outcome).groupby(name).mean().to_numpy(), pd.DataFrame(matrix).groupby(name).first().to_numpy())
    np.testing.assert_allclose(ours.coefficients, means.coefficients, atol=1e-10)
    errors, degrees = ours.spread(np.eye(4)[1:])
    np.testing.assert_allclose(errors, np.sqrt(np.diag(means.covariance))[1:], rtol=1e-5)
    np.testing.assert_allclose(degrees, 16 - 4, rtol=1e-5)


def test_balanced_variances_are_those_of_the_mean_squares():
    outcome, matrix, template, name, _ = corpus(5, deviations=(0.5, 0.5, 0))
    table = pd.DataFrame(outcome.reshape(16, 9) - (matrix @ ordinary.fit(outcome, matrix).coefficients).reshape(16, 9))
    names, templates = 9 * (table.mean(axis=1) ** 2).sum() / (16 - 4), 16 * table.mean(axis=0).var(ddof=1)
    rest = table.sub(table.mean(axis=1), axis=0).sub(table.mean(axis=0), axis=1).to_numpy()
    rest = (rest**2).sum() / (16 * 9 - 1 - 3 - 12 - 8)
    ours = mixed.fit(outcome, matrix, [template, name])
    np.testing.assert_allclose(ours.variances, [(templates - rest) / 16, (names - rest) / 9, rest], rtol=1e-5)


def test_clusters_that_are_not_alike_leave_least_squares():
    outcome, matrix, template, name, _ = corpus(11, deviations=(0, 0, 0))
    residuals = outcome - matrix @ ordinary.fit(outcome, matrix).coefficients
    table = residuals.reshape(16, 9)  # names in rows
    outcome = outcome - (table.mean(axis=1)[name] + table.mean(axis=0)[template]) * 0.9  # less alike than chance would make them
    ours, plain = mixed.fit(outcome, matrix, [template, name]), ordinary.fit(outcome, matrix)
    np.testing.assert_array_equal(ours.variances[:2], 0)
    np.testing.assert_allclose(ours.coefficients, plain.coefficients)
    errors, degrees = ours.spread(np.eye(4))
    np.testing.assert_allclose(errors, np.sqrt(np.diag(plain.covariance)))
    np.testing.assert_allclose(degrees, plain.degrees)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_units_and_levels_do_not_matter(scale):
    outcome, matrix, template, name, _ = corpus(7)
    one, other = (mixed.fit(y, matrix, [template, name]) for y in (outcome, scale * outcome + 100 * scale))
    np.testing.assert_allclose(other.coefficients[1:], scale * one.coefficients[1:], rtol=1e-6, atol=1e-9 * scale)
    np.testing.assert_allclose(other.variances, scale**2 * one.variances, rtol=1e-4)


def test_variances_of_very_different_sizes_are_found():
    outcome, matrix, template, name, _ = corpus(8, names=80, templates=40, deviations=(10.0, 0.1, 0), rest=0.01)
    found = np.sqrt(mixed.fit(outcome, matrix, [template, name]).variances)
    np.testing.assert_allclose(found / [10.0, 0.1, 0.01], 1, atol=0.3)


def test_what_cannot_be_fitted_says_why():
    outcome, matrix, template, name, group = corpus(9)
    assert "nothing is left" in mixed.fit(np.random.default_rng(0).normal(size=9)[template], matrix, [template, name])
    assert "cannot be told apart" in mixed.fit(outcome, matrix, [template, template])
    assert "cannot be told apart" in mixed.fit(outcome, matrix, [template, group])  # one name a group
    assert "too few" in mixed.fit(outcome[:4], matrix[:4], [template[:4]])


def test_p_values_at_equality_are_uniform():
    p_values = []
    for seed in range(200):
        outcome, matrix, template, name, _ = corpus(100 + seed, names=12, templates=6, deviations=(0.5, 0.5, 0))
        found = mixed.fit(outcome, matrix, [template, name])
        (error,), (degrees,) = found.spread(np.eye(4)[1:2])
        p_values.append(2 * stats.t.sf(abs(found.coefficients[1] - 0.2) / error, degrees))
    assert stats.kstest(p_values, "uniform").pvalue > 0.01
