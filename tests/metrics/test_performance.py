"""Performance figures equal scikit-learn's and SciPy's, weighted or not."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sklearn_metrics

from stages.metrics.performance import METRICS, author_weights, influence, performance, replicates


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    favourable = random.random(200) < 0.4
    score = np.round(np.clip(favourable * 0.3 + random.random(200) * 0.7, 0, 1), 1)  # many ties
    return favourable.astype(float), score, favourable, score >= 0.5


def test_equal_to_scikit_learn_with_weights(data):
    y, score, favourable, selected = data
    weights = np.random.default_rng(1).integers(0, 4, (3, 200)).astype(float)
    found = performance(y, score, favourable, selected, weights)
    for row, weight in enumerate(weights):
        expected = {
            "accuracy": sklearn_metrics.accuracy_score(favourable, selected, sample_weight=weight),
            "f1": sklearn_metrics.f1_score(favourable, selected, sample_weight=weight),
            "auc": sklearn_metrics.roc_auc_score(favourable, score, sample_weight=weight),
            "mse": sklearn_metrics.mean_squared_error(y, score, sample_weight=weight),
            "pearson_r": stats.pearsonr(np.repeat(y, weight.astype(int)), np.repeat(score, weight.astype(int))).statistic,
        }
        for metric, value in expected.items():
            assert found[metric][row] == pytest.approx(value, abs=1e-12)


def test_constant_predictions_have_no_correlation_and_chance_auc(data):
    y, _, favourable, _ = data
    found = performance(y, np.full(200, 0.3), favourable, np.zeros(200, bool), np.ones((1, 200)))
    assert np.isnan(found["pearson_r"][0])
    assert found["auc"][0] == 0.5
    assert found["f1"][0] == 0


def test_authors_are_drawn_whole():
    authors = np.array(["a", "a", "b", "c", "c", "c"])
    weights = np.concatenate(list(author_weights(authors, 450, seed=2)))
    assert weights.shape == (450, 6)
    assert (weights[:, 0] == weights[:, 1]).all()
    assert (weights[:, 3] == weights[:, 5]).all()
    assert ((weights[:, 0] + weights[:, 2] + weights[:, 3]) == 3).all()


def test_influence_is_the_derivative(data):
    """A little more weight on one text changes each figure by that text's influence."""
    found = influence(*data)
    y, score, favourable, selected = data
    for text in (0, 7, int(np.flatnonzero(favourable)[3])):
        weights = np.ones((2, 200))
        weights[:, text] += [1e-5, -1e-5]
        moved = performance(y, score, favourable, selected, weights)
        for metric in METRICS:
            assert found[metric][text] == pytest.approx((moved[metric][0] - moved[metric][1]) / 2e-5, abs=1e-7), metric
    assert all(abs(values.sum()) < 1e-9 for values in found.values())


def test_many_people_give_the_interval_that_drawing_them_gives(monkeypatch):
    """2,000 people with two dependent texts each: drawn one by one, and from the normal limit."""
    random = np.random.default_rng(5)
    authors = np.repeat(np.arange(2_000), 2).astype(str)
    favourable = np.repeat(random.random(2_000) < 0.4, 2)
    score = np.clip(0.2 + favourable * 0.3 + np.repeat(random.normal(0, 0.2, 2_000), 2) + random.normal(0, 0.05, 4_000), 0, 1)
    data = (favourable.astype(float), score, favourable, score >= 0.5)
    drawn = replicates(*data, authors, 2_000, seed=1)
    monkeypatch.setattr("stages.metrics.performance.MANY", 2_000)
    limit = replicates(*data, authors, 2_000, seed=1)
    for metric in METRICS:
        ends, expected = (np.quantile(values[metric], [0.025, 0.975]) for values in (limit, drawn))
        assert np.abs(ends - expected).max() < 0.1 * (expected[1] - expected[0]), metric


def test_a_rare_label_is_drawn_however_many_people(monkeypatch):
    """With 20 favourable texts the AUC is not normal: its replicates are those of people drawn, whatever their number."""
    random = np.random.default_rng(6)
    favourable = np.arange(1_000) < 20
    score = random.random(1_000)
    data = (favourable.astype(float), score, favourable, score >= 0.5)
    authors = np.arange(1_000).astype(str)
    drawn = replicates(*data, authors, 50, seed=1)
    monkeypatch.setattr("stages.metrics.performance.MANY", 1_000)
    np.testing.assert_array_equal(replicates(*data, authors, 50, seed=1)["auc"], drawn["auc"])
