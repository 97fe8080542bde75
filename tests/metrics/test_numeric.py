"""Figures of regression outputs against NumPy, group by group, and gaps that no binning would show."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.contract.bad_input import BadInput
from stages.metrics import gaps, groupwise, numeric

number = st.integers(-40, 40).map(lambda value: value / 8)
rows = st.lists(st.tuples(number, number, st.booleans(), st.booleans()), min_size=1, max_size=25)


def columns(table: list[tuple]) -> tuple[np.ndarray, np.ndarray, groupwise.Membership]:
    true, predicted, one, other = (np.array(column) for column in zip(*table, strict=True))
    return true, predicted, groupwise.of_masks({"one": one, "other": other})


@given(rows)
def test_every_figure_equals_numpy_in_each_group(table):
    true, predicted, membership = columns(table)
    found = numeric.figures(true, predicted, membership)
    for group in range(2):
        inside = membership.rows(group)
        y, p = true[inside], predicted[inside]
        assert found["n"][group] == len(inside)
        if not len(inside):
            assert all(np.isnan(values[group]) for name, values in found.items() if name != "n")
            continue
        expected = {"mean_true": y.mean(), "mean_predicted": p.mean(), "mean_error": (p - y).mean(), "mae": np.abs(p - y).mean()}
        expected |= {"mse": ((p - y) ** 2).mean(), "rmse": np.sqrt(((p - y) ** 2).mean())}
        varies = len(set(y)) > 1 and len(set(p)) > 1
        expected["pearson_r"] = np.corrcoef(y, p)[0, 1] if varies else np.nan
        for name, value in expected.items():
            assert found[name][group] == pytest.approx(value, abs=1e-9, nan_ok=True), name


@given(rows, st.integers(0, 9))
def test_replicates_of_weights_are_repeated_rows(table, seed):
    true, predicted, membership = columns(table)
    repeats = np.random.default_rng(seed).integers(0, 3, (2, len(true)))
    found = numeric.figures(true, predicted, membership, repeats.astype(float))
    levels = np.array([0.1, 0.5, 0.9])
    for replicate, repeat in enumerate(repeats):
        again = np.repeat(np.arange(len(true)), repeat)
        repeated = groupwise.Membership(membership.names, membership.member[again])
        alone = numeric.figures(true[again], predicted[again], repeated)
        for name, values in found.items():
            np.testing.assert_allclose(values[replicate], alone[name], atol=1e-9)
        weighted = numeric.quantiles(predicted, membership, levels, repeat.astype(float))
        np.testing.assert_array_equal(weighted, numeric.quantiles(predicted[again], repeated, levels))


@given(rows)
def test_quantiles_are_values_of_the_group_with_that_share_at_or_below(table):
    _, predicted, membership = columns(table)
    found = numeric.quantiles(predicted, membership, np.array([0.5, 0.8]))
    for group in range(2):
        values = predicted[membership.rows(group)]
        for level, quantile in zip((0.5, 0.8), found[group], strict=True):
            if not len(values):
                assert np.isnan(quantile)
                continue
            assert quantile in values
            assert (values <= quantile).mean() >= level - 1e-12 > (values < quantile).mean() - 2e-12


def test_the_median_is_the_quantile_at_one_half():
    """Holistic AI's "Q50" is computed at 0.8."""
    membership = groupwise.of_values(["a"] * 11)
    assert numeric.quantiles(np.arange(11.0), membership, np.array([0.5, 0.8])).tolist() == [[5, 8]]


def test_constant_outputs_have_no_correlation_however_they_round():
    true = np.array([0.1, 0.2, 0.7, 0.3])
    found = numeric.figures(true, np.full(4, 0.1 + 0.2), groupwise.of_values("aaaa"), np.array([[3.0, 1, 0, 2], [3, 0, 0, 0]]))
    assert np.isnan(found["pearson_r"]).all()
    assert found["mean_predicted"].ravel() == pytest.approx([0.3, 0.3])


def test_continuous_scores_of_two_groups_are_far_apart_and_not_at_parity():
    """fairlearn's demographic parity of these scores is 0.0."""
    scores, truth = np.array([0.9, 0.8, 0.95, 0.1, 0.2, 0.05]), np.array([0.5] * 6)
    membership = groupwise.of_values("aaabbb")
    found = numeric.figures(truth, scores, membership)
    overall = numeric.figures(truth, scores, groupwise.of_values(["everyone"] * 6))
    summary = gaps.summary(found["mean_predicted"], overall["mean_predicted"][0], reference=0)
    assert summary["difference_to_reference"].tolist() == pytest.approx([0, 0.35 / 3 - 2.65 / 3])
    assert gaps.max_minus_min(numeric.quantiles(scores, membership, np.array([0.5])).T).tolist() == pytest.approx([0.8])


def test_an_error_gap_is_the_worse_groups():
    truth, outputs = np.zeros(6), np.array([1.0, -1, 1, 3, -3, 3])
    mae = numeric.figures(truth, outputs, groupwise.of_values("aaabbb"))["mae"]
    assert mae.tolist() == [1, 3]
    assert (gaps.max_minus_min(mae), gaps.worst_group(mae, "highest"), gaps.worst_gap(mae, np.array(2.0), "highest")) == (2, 1, 1)


def test_what_cannot_be_measured_is_refused():
    membership = groupwise.of_values("ab")
    with pytest.raises(BadInput, match="1 of 2 outputs are not finite"):
        numeric.figures(np.zeros(2), np.array([0, np.inf]), membership)
    with pytest.raises(BadInput, match="between 0 and 1"):
        numeric.quantiles(np.zeros(2), membership, np.array([50.0]))
