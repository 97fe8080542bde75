"""Clustered standard errors are statsmodels', or those of leaving clusters out; never below one way's, never of a cluster alone."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from statsmodels.stats.sandwich_covariance import cov_cluster, cov_cluster_2groups

from stages.contrasts import beta_regression, ordinary
from stages.contrasts.clustered import clustered

CELLS = np.array([[1, 0, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]], dtype=float)
NAMES, TEMPLATES = 24, 15


@pytest.fixture
def corpus():
    """Outcomes, matrix and clusters of names in templates, some missing."""
    random = np.random.default_rng(4)
    names, templates = (part.ravel() for part in np.indices((NAMES, TEMPLATES)))
    group = names % 4
    outcome = (
        random.normal(0, 0.3, NAMES)[names] + random.normal(0, 0.3, (TEMPLATES, 4))[templates, group] + random.normal(0, 0.3, len(names))
    )
    kept = random.random(len(names)) < 0.8
    return outcome[kept], CELLS[group[kept]], pd.DataFrame({"template": templates[kept], "name": names[kept]})


def least_squares(outcome, matrix):
    found = ordinary.fit(outcome, matrix)
    return (outcome - matrix @ found.coefficients)[:, None] * matrix, matrix[:, :, None] * matrix[:, None, :]


@pytest.mark.parametrize("correction", ["degrees", "jackknife"])
def test_one_way_is_statsmodels(corpus, correction):
    outcome, matrix, clusters = corpus
    errors, degrees = clustered(*least_squares(outcome, matrix), clusters[["name"]], correction)(np.eye(4))
    kind = {"degrees": "cluster", "jackknife": "cluster-crv3"}[correction]
    theirs = cov_cluster(sm.OLS(outcome, matrix).fit(), clusters["name"].to_numpy(), crv_type=kind)
    np.testing.assert_allclose(errors**2, np.diag(theirs), rtol=1e-9)
    assert (degrees == NAMES - 1).all()


def test_two_ways_are_statsmodels_and_never_below_one_way(corpus):
    outcome, matrix, clusters = corpus
    errors, degrees = clustered(*least_squares(outcome, matrix), clusters, "degrees")(np.eye(4))
    parts = cov_cluster_2groups(sm.OLS(outcome, matrix).fit(), clusters["template"].to_numpy(), clusters["name"].to_numpy())
    both, *single = (np.diag(part) for part in parts)
    assert (both > np.maximum(*single)).any()
    np.testing.assert_allclose(errors**2, np.maximum(both, np.maximum(*single)), rtol=1e-9)
    assert (degrees == TEMPLATES - 1).all()


def test_templates_levels_make_the_plain_two_way_variance_negative_and_leave_ours_alone():
    """They cancel in a contrast of names that are in all templates, but not in the intersections that are taken off."""
    random = np.random.default_rng(0)
    names, templates = (part.ravel() for part in np.indices((NAMES, TEMPLATES)))
    matrix, clusters = CELLS[names % 4], pd.DataFrame({"template": templates, "name": names})
    outcome = random.normal(0, 3, TEMPLATES)[templates] + random.normal(0, 0.1, NAMES)[names] + random.normal(0, 0.1, len(names))
    plain = cov_cluster_2groups(sm.OLS(outcome, matrix).fit(), templates, names)[0]
    assert (np.diag(plain)[1:] < 0).all()
    two, one = (clustered(*least_squares(outcome, matrix), clusters[ways])(np.eye(4))[0] for ways in (["template", "name"], ["name"]))
    np.testing.assert_allclose(two[1:], one[1:])


def test_the_jackknife_of_a_beta_regression_is_near_that_of_fits_without_each_cluster(corpus):
    outcome, matrix, clusters = corpus
    scores = 1 / (1 + np.exp(-outcome))
    whole = beta_regression.fit(scores, matrix)
    ours = clustered(whole.contributions, whole.informations, clusters[["name"]])(np.eye(5)[:4])[0]
    left_out = [
        beta_regression.fit(scores[rest], matrix[rest]).mean for rest in (clusters["name"].to_numpy() != name for name in range(NAMES))
    ]
    theirs = np.sqrt((NAMES - 1) / NAMES * ((np.array(left_out) - whole.mean) ** 2).sum(axis=0))
    np.testing.assert_allclose(ours, theirs, rtol=0.05)
    assert (ours > 0.99 * theirs).all()


def test_a_cluster_alone_in_its_group_says_nothing_of_its_like(corpus):
    outcome, matrix, clusters = corpus
    alone = clusters.assign(name=np.where(matrix[:, 3] == 1, 3, clusters["name"]))
    why = clustered(*least_squares(outcome, matrix), alone)
    assert why == "1 of 19 clusters by name are the only one of their group, so that its spread is unknown"
    assert "have one template" in clustered(*least_squares(outcome, matrix), clusters.assign(template=0))
