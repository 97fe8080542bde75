"""ROC curves are scikit-learn's, and thinning keeps a curve's own points, its ends and its area."""

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from sklearn.metrics import roc_auc_score, roc_curve

from stages.metrics.roc_curves import MOST, SCHEMA, area, curve, roc_curves, thin
from stages.metrics.shown_groups import EVERYONE, Panel


def drawn(texts: int, digits: int, signal: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    favourable = random.random(texts) < 0.4
    favourable[:2] = True, False
    return np.round(random.normal(signal * favourable), digits), favourable


@pytest.mark.parametrize(("texts", "digits"), [(40, 6), (500, 1), (3000, 6)])
def test_a_curve_is_that_of_scikit_learn(texts, digits):
    score, favourable = drawn(texts, digits, 1.0, texts)
    x, y = curve(score, favourable)
    fpr, tpr, _ = roc_curve(favourable, score, drop_intermediate=False)
    np.testing.assert_allclose((x, y), (fpr, tpr), atol=1e-15)
    assert area(x, y) == pytest.approx(roc_auc_score(favourable, score), abs=1e-12)


@settings(max_examples=60)
@given(st.integers(2, 5000), st.integers(0, 6), st.floats(-3, 3), st.integers(0, 1000))
def test_thinning_keeps_the_area_and_the_curves_own_points(texts, digits, signal, seed):
    x, y = curve(*drawn(texts, digits, signal, seed))
    thinned = thin(x, y)
    assert len(thinned[0]) <= MOST
    assert abs(area(*thinned) - area(x, y)) < 0.001
    assert set(zip(*thinned, strict=True)) <= set(zip(x, y, strict=True))
    assert (thinned[0][0], thinned[1][0], thinned[0][-1], thinned[1][-1]) == (0, 0, 1, 1)


def test_the_table_has_a_curve_a_group_and_counts_those_without():
    score, favourable = drawn(300, 6, 1.0, 1)
    frame = pd.DataFrame({"y_true": favourable.astype(float), "y_score": score, "favourable": favourable})
    groups = {EVERYONE: np.arange(300), "x": np.arange(200), "one label": np.flatnonzero(favourable)}
    found = roc_curves(frame, [Panel("a", groups, 2)]).to_pandas()
    assert found["left_out"].unique() == [3]
    assert list(found["group"].unique()) == [EVERYONE, "x"]
    x = found[found["group"] == "x"]
    assert x["auc"].unique() == pytest.approx([roc_auc_score(favourable[:200], score[:200])], abs=1e-6)
    assert (x["n"].iloc[0], x["n_favourable"].iloc[0]) == (200, favourable[:200].sum())
    assert area(x["fpr"].to_numpy(), x["tpr"].to_numpy()) == pytest.approx(x["auc"].iloc[0], abs=0.001)


def test_labels_that_are_no_decisions_have_no_curve():
    frame = pd.DataFrame({"y_true": [1.5, 2.5], "y_score": [1.0, 2.0], "favourable": [False, True]})
    assert roc_curves(frame, [Panel(EVERYONE, {EVERYONE: np.arange(2)}, 0)]).equals(SCHEMA.empty_table())
