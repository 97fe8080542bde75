"""A fast subset of the simulation studies of template scores: who keeps the level, who holds the truth, and that truths are truths."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.contrasts import PLANTED, REFERENCES, TERMS, World, measured, study
from stages.contrasts.methods import Rules

SMALL = World(template=0.3, name=0.25, templates=12, names=10)
RULES = Rules(REFERENCES, methods=("beta_expected", "beta_cluster", "mixed", "ols_as_published"))
WAYS = ("template", "name")


def test_truths_are_what_very_many_names_and_templates_show():
    world = replace(SMALL, templates=60, names=150, effects=PLANTED)
    found, truth = study(world, WAYS, replace(RULES, methods=("beta_expected", "mixed", "ols_as_published")), (1,)), world.truth()
    for method, rows in found.groupby("method"):
        assert list(rows["term"]) == list(TERMS)
        np.testing.assert_allclose(rows["estimate"], truth[method], atol=0.1 if method != "ols_as_published" else 0.02)


@pytest.mark.parametrize(
    ("world", "least", "most"),
    [
        (SMALL, 0.2, 1.0),  # the paper's test finds effects where there are none
        (replace(SMALL, template=0.6, name=0.0), 0.0, 0.02),  # it finds nothing at all
        (replace(SMALL, name=0.1, agreement=0.4), 0.1, 1.0),  # and again too much: of gender, not of race
    ],
)
def test_only_clustered_and_mixed_tests_keep_their_level(world, least, most):
    found = measured(world, WAYS, RULES, [(2, seed) for seed in range(40)])["found"]
    assert found[["beta_cluster", "mixed"]].max() < 0.1
    assert least <= found[["beta_expected", "ols_as_published"]].min()
    assert found[["beta_expected", "ols_as_published"]].max() <= most


def test_clustered_and_mixed_intervals_hold_planted_effects():
    held = measured(replace(SMALL, effects=PLANTED), WAYS, RULES, [(3, seed) for seed in range(40)])["held"]
    assert held["beta_cluster"] > 0.9
    assert held["mixed"] > 0.9
    assert held[["beta_expected", "ols_as_published"]].max() < 0.85
