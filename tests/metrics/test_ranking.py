"""Ranking and calibration against scikit-learn, SciPy and pair-by-pair counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics

from stages.contract.bad_input import BadInput
from stages.metrics import calibration, groupwise, ranking

# Few distinct scores, so that there are ties.
rows = st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.sampled_from("ab"), st.booleans()), min_size=2, max_size=40)


def columns(table: list[tuple]) -> tuple[np.ndarray, np.ndarray, groupwise.Membership]:
    score, label, value, mentions = (np.array(column) for column in zip(*table, strict=True))
    groups = {"a": value == "a", "b": value == "b", "mentions": mentions}
    return score / 6, label, groupwise.of_masks(groups)


@given(rows)
def test_auc_equals_scikit_learn_and_mann_whitney(table):
    score, label, _ = columns(table)
    found = ranking.auc(score, label)
    if label.all() or not label.any():
        assert np.isnan(found)
        return
    assert found == pytest.approx(metrics.roc_auc_score(label, score), abs=1e-12)
    statistic = stats.mannwhitneyu(score[label], score[~label], method="asymptotic").statistic
    assert found == pytest.approx(statistic / (label.sum() * (~label).sum()), abs=1e-12)


def wins(score: np.ndarray, upper: np.ndarray, lower: np.ndarray) -> float:
    """Pair by pair."""
    if not (upper.any() and lower.any()):
        return np.nan
    apart = score[upper][:, None] - score[lower]
    return float(((apart > 0) + (apart == 0) / 2).mean())


@given(rows)
def test_the_five_comparisons_pair_by_pair(table):
    score, label, membership = columns(table)
    found = ranking.auc_by_group(score, label, membership)
    for group in range(3):
        inside = np.zeros(len(score), dtype=bool)
        inside[membership.rows(group)] = True
        expected = {
            "subgroup_auc": wins(score, inside & label, inside & ~label),
            "bpsn_auc": wins(score, ~inside & label, inside & ~label),
            "bnsp_auc": wins(score, inside & label, ~inside & ~label),
            "positive_aeg": 0.5 - wins(score, inside & label, ~inside & label),
            "negative_aeg": 0.5 - wins(score, inside & ~label, ~inside & ~label),
        }
        for name, value in expected.items():
            assert found[name][group] == pytest.approx(value, abs=1e-12, nan_ok=True), name


@given(rows, st.integers(0, 9))
def test_weights_are_repeated_rows(table, seed):
    score, label, membership = columns(table)
    repeats = np.random.default_rng(seed).integers(0, 3, len(score))
    again = np.repeat(np.arange(len(score)), repeats)
    repeated = groupwise.Membership(membership.names, membership.member[again])
    weights = repeats.astype(float)
    one, other = ranking.auc_by_group(score, label, membership, weights), ranking.auc_by_group(score[again], label[again], repeated)
    for name in one:
        np.testing.assert_allclose(one[name], other[name], atol=1e-12)
    np.testing.assert_allclose(
        calibration.brier(score, label, membership, weights), calibration.brier(score[again], label[again], repeated)
    )
    sides = calibration.calibration(score, label, membership, 4, weights), calibration.calibration(score[again], label[again], repeated, 4)
    np.testing.assert_allclose(sides[0].expected_error(), sides[1].expected_error(), atol=1e-12)


@given(rows)
def test_any_rising_transformation_keeps_every_auc(table):
    score, label, membership = columns(table)
    for one, other in zip(
        ranking.auc_by_group(score, label, membership).values(),
        ranking.auc_by_group(np.exp(3 * score), label, membership).values(),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)


def test_a_group_shifted_upwards_is_found_by_bpsn_and_not_by_its_own_auc():
    """The reason for BPSN: a model that scores one group's texts higher, all else equal."""
    random = np.random.default_rng(0)
    label, inside = random.random(4000) < 0.5, random.random(4000) < 0.3
    score = label + random.normal(size=4000) + 1.0 * inside
    found = ranking.auc_by_group(score, label, groupwise.of_masks({"shifted": inside}))
    own = stats.norm.cdf(1 / np.sqrt(2))
    assert found["subgroup_auc"][0] == pytest.approx(own, abs=0.03)
    assert found["bpsn_auc"][0] == pytest.approx(0.5, abs=0.03)
    assert found["bnsp_auc"][0] == pytest.approx(stats.norm.cdf(2 / np.sqrt(2)), abs=0.03)
    assert found["positive_aeg"][0] == pytest.approx(0.5 - own, abs=0.03)


@given(rows)
def test_brier_equals_scikit_learn(table):
    score, label, membership = columns(table)
    found = calibration.brier(score, label, membership)
    for group in range(3):
        inside = membership.rows(group)
        expected = metrics.brier_score_loss(label[inside], score[inside], pos_label=True) if len(inside) else np.nan
        assert found[group] == pytest.approx(expected, nan_ok=True)


def test_calibration_by_hand():
    score, label = np.array([0.1, 0.1, 0.7, 0.9, 1.0]), np.array([False, True, True, True, False])
    membership = groupwise.of_masks({"all": np.ones(5, dtype=bool), "nobody": np.zeros(5, dtype=bool)})
    found = calibration.calibration(score, label, membership, bins=2)
    assert found.texts.tolist() == [[2, 3], [0, 0]]
    assert found.mean_score[0].tolist() == pytest.approx([0.1, 2.6 / 3])
    assert found.base_rate[0].tolist() == pytest.approx([1 / 2, 2 / 3])
    assert found.expected_error().tolist() == pytest.approx([(0.8 + 0.6) / 5, np.nan], nan_ok=True)
    assert found.in_the_large().tolist() == pytest.approx([(2.8 - 3) / 5, np.nan], nan_ok=True)


def test_a_calibrated_group_and_one_that_is_promised_too_much():
    random = np.random.default_rng(1)
    score, promised = random.random(40_000), random.random(40_000) < 0.5
    label = random.random(40_000) < np.where(promised, score / 2, score)
    found = calibration.calibration(score, label, groupwise.of_masks({"calibrated": ~promised, "promised": promised}))
    assert found.expected_error() == pytest.approx([0, 0.25], abs=0.015)
    assert found.in_the_large() == pytest.approx([0, 0.25], abs=0.015)


def test_scores_that_cannot_be_used_are_refused():
    membership = groupwise.of_values("ab")
    label = np.array([True, False])
    with pytest.raises(BadInput, match="1 of 2 scores are not finite"):
        ranking.auc(np.array([np.nan, 1]), label)
    for score in (np.array([0.5, 1.2]), np.array([np.nan, 0.2])):
        with pytest.raises(BadInput, match="1 of 2 scores are no probabilities"):
            calibration.brier(score, label, membership)
        with pytest.raises(BadInput, match="1 of 2 scores are no probabilities"):
            calibration.calibration(score, label, membership)
