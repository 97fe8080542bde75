"""Rank correlations are SciPy's, their p-values count orders of the embeddings, and few embeddings tell nothing."""

import numpy as np
import pytest
from scipy import stats

from stages.metrics.correlations import CANNOT_TELL, centred, correlate, kendall, rows, spearman


@pytest.mark.parametrize(("of", "reference"), [(spearman, stats.spearmanr), (kendall, stats.kendalltau)])
def test_coefficients_are_those_of_scipy_with_ties(of, reference):
    random = np.random.default_rng(1)
    figures, embedding = random.integers(0, 4, (3, 6)).astype(float), random.integers(0, 6, 40)
    outcomes = random.integers(0, 9, 40).astype(float)
    expected = [reference(row[embedding], outcomes).statistic for row in figures]
    np.testing.assert_allclose(of(figures, embedding, outcomes), expected, atol=1e-12)


def test_each_task_is_centred_over_what_is_defined():
    np.testing.assert_allclose(centred(np.array([[1, 3, np.nan], [np.nan, np.nan, np.nan]])), [[-1, 1, np.nan], [np.nan] * 3])


def test_wholly_alike_orders_have_the_smallest_p_there_is():
    """Five embeddings have 120 orders, of which the observed and its opposite are the furthest."""
    found = correlate(np.arange(5.0), np.arange(5.0)[None], "spearman", 1000, 0.95, 1)
    assert (found.value, found.p_value, found.n) == (1, pytest.approx(2 / 120), 5)
    assert found.reason == "no interval: the two orders agree wholly, or are opposite"
    assert correlate(np.arange(5.0), -np.arange(5.0)[None], "kendall", 1000, 0.95, 1).value == -1


def test_fewer_than_five_embeddings_cannot_tell():
    figures = np.array([1, 2, 3, 4, np.nan])
    found = correlate(figures, np.arange(10.0).reshape(2, 5), "kendall", 1000, 0.95, 1)
    assert (found.n, found.reason) == (4, CANNOT_TELL)
    assert np.isnan([found.value, found.p_value]).all()


def test_figures_or_outcomes_all_alike_have_no_correlation():
    reason = "undefined: the figures or the outcomes do not vary"
    assert correlate(np.ones(6), np.arange(6.0)[None], "spearman", 1000, 0.95, 1).reason == reason
    assert correlate(np.arange(6.0), np.full((2, 6), [[0.1], [0.7]]), "kendall", 1000, 0.95, 1).reason == reason


def study(seed: int, slope: float, embeddings: int, tasks: int):
    """Figures and outcomes with a level of each task and an own part of each embedding common to all its tasks."""
    random = np.random.default_rng(seed)
    figures = random.normal(size=embeddings)
    own = slope * figures + random.normal(size=embeddings)
    return figures, own + 0.5 * random.normal(size=(tasks, embeddings)) + random.normal(size=(tasks, 1)) * 5


@pytest.mark.parametrize("coefficient", ["spearman", "kendall"])
@pytest.mark.parametrize("embeddings", [5, 9])
def test_p_values_keep_their_level_though_an_embedding_has_several_tasks(coefficient, embeddings):
    p_values = np.array([correlate(*study(seed, 0, embeddings, 6), coefficient, 199, 0.95, seed).p_value for seed in range(300)])
    for level in (0.05, 0.2, 0.5):
        assert abs((p_values <= level).mean() - level) < 4 * np.sqrt(level * (1 - level) / 300)


def test_intervals_hold_the_truth_and_a_strong_relation_is_found():
    """The truth is Spearman's rho among 4,000 embeddings."""
    truth = correlate(*study(0, 1, 4000, 2), "spearman", 1, 0.95, 0).value
    found = [correlate(*study(seed, 1, 12, 6), "spearman", 99, 0.95, seed) for seed in range(1, 200)]
    assert np.mean([one.low <= truth <= one.high for one in found]) > 0.92
    assert np.mean([one.p_value <= 0.05 for one in found]) > 0.5


def test_rows_have_a_q_value_within_outcome_and_coefficient():
    figures = {"weat gender s": np.arange(8.0), "weat race s": np.random.default_rng(1).normal(size=8), "lost": np.full(8, np.nan)}
    found = rows(figures, {"fv": np.arange(8.0)[None] + np.array([[0], [3]])}, 199, 0.95, 1)
    assert [(row["probe"], row["coefficient"]) for row in found][:3] == [(name, "spearman") for name in figures]
    assert found[0]["q_value"] == pytest.approx(2 * found[0]["p_value"])
    assert found[2]["p_value"] is None
    assert found[2]["n"] == 0
