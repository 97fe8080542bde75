"""Performance figures equal scikit-learn's and SciPy's, weighted or not."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sklearn_metrics

from stages.metrics.performance import author_weights, performance


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
