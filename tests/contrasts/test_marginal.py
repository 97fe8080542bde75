"""Contrasts on the score's scale are differences of fitted means, and their slopes are derivatives."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from statsmodels.discrete.discrete_model import Logit
from statsmodels.tools.numdiff import approx_fprime

from stages.contrasts import marginal, ordinary
from stages.contrasts.design_matrix import design_matrix, name
from stages.contrasts.estimates import spread


@pytest.fixture
def people():
    random = np.random.default_rng(1)
    chosen = {"race": ["white", "Black", "Latino"], "gender": ["man", "woman"], "template": ["a", "b", "c"]}
    return pd.DataFrame({attribute: random.choice(groups, 300) for attribute, groups in chosen.items()})


@pytest.fixture
def design(people):
    return design_matrix(people, {"race": "white", "gender": "man"}, adjusted=["template"])


def test_effects_are_what_changing_everyone_changes(people, design):
    coefficients = np.random.default_rng(2).normal(size=len(design.terms))
    names = [name(term) for term in design.terms]
    effects = dict(zip(names, marginal.contrasts(design, coefficients, "logit")[0], strict=True))

    def mean(**changes):
        codes = design.codes.copy()
        for attribute, category in changes.items():
            codes[:, list(design.categories).index(attribute)] = design.categories[attribute].index(category)
        return expit(design.columns(codes) @ coefficients).mean()

    assert effects["intercept"] == pytest.approx(mean(race="white", gender="man"))
    assert effects["race[Latino]"] == pytest.approx(mean(race="Latino") - mean(race="white"))
    both = mean(race="Latino", gender="woman") - mean(race="Latino", gender="man")
    both -= mean(race="white", gender="woman") - mean(race="white", gender="man")
    assert effects["race[Latino]:gender[woman]"] == pytest.approx(both)


@pytest.mark.parametrize("link", ["logit", "identity"])
def test_slopes_are_derivatives(design, link):
    coefficients = np.random.default_rng(3).normal(size=len(design.terms))
    slopes = marginal.contrasts(design, coefficients, link)[1]
    numeric = approx_fprime(coefficients, lambda changed: marginal.contrasts(design, changed, link)[0], centered=True)
    np.testing.assert_allclose(slopes, numeric, atol=1e-8)


def test_effects_and_their_standard_errors_are_statsmodels_marginal_effects():
    """Of a logit model without interactions, whose margins statsmodels has, each attribute changed from its reference for everyone."""
    random = np.random.default_rng(5)
    people = pd.DataFrame({"race": random.choice(["white", "Black"], 300, p=[0.8, 0.2]), "gender": random.choice(["man", "woman"], 300)})
    design = design_matrix(people, {"race": "white", "gender": "man"}, order=1)
    fitted = Logit(random.random(300) < expit(design.matrix @ [-0.5, 1.0, 0.4]), design.matrix).fit(disp=0)
    theirs = fitted.get_margeff(at="overall", dummy=True)
    effects, slopes = marginal.contrasts(design, fitted.params, "logit")
    np.testing.assert_allclose(effects[1:], theirs.margeff)
    np.testing.assert_allclose(spread(fitted.cov_params(), np.inf)(slopes)[0][1:], theirs.margeff_se)


def test_without_a_link_an_interaction_is_its_coefficient_and_no_effect_none(people, design):
    fitted = ordinary.fit(np.random.default_rng(4).normal(size=300), design.matrix)
    effects, _ = marginal.contrasts(design, fitted.coefficients, "identity")
    for term, effect, coefficient in zip(design.terms, effects, fitted.coefficients, strict=True):
        if len(term) == 2:
            assert effect == pytest.approx(coefficient)
    intercept_only = np.r_[0.3, np.zeros(len(design.terms) - 1)]
    np.testing.assert_allclose(marginal.contrasts(design, intercept_only, "logit")[0][1:], 0, atol=1e-15)
