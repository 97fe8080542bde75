"""The theorems that gaps obey, and what they make of groups that cannot be measured."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.contract.bad_input import BadInput
from stages.metrics import gaps, groupwise

cells = st.tuples(*[st.integers(0, 30)] * 4)


def tables_of(fewest: int, most: int) -> st.SearchStrategy[np.ndarray]:
    return st.lists(cells, min_size=fewest, max_size=most).map(lambda found: np.array([counts_of(*cell) for cell in found]))


tables = tables_of(2, 6)
NAMED = (
    gaps.statistical_parity,
    gaps.equal_opportunity,
    gaps.equalised_odds,
    lambda counts: gaps.equalised_odds(counts, "mean"),
    lambda counts: gaps.equalised_odds(counts, "ratio"),
    lambda counts: gaps.differential_fairness(counts, "decisions"),
    gaps.bias_amplification,
)


def counts_of(hit: int, miss: int, false_alarm: int, rejected: int) -> list[float]:
    return [float(hit + miss + false_alarm + rejected), float(hit + miss), float(hit + false_alarm), float(hit)]


def every_gap(counts: np.ndarray) -> np.ndarray:
    """All gaps over groups, of all rates."""
    overall = groupwise.rates(counts.sum(axis=-2))
    found = [gap(counts) for gap in NAMED]
    for name, (values, _) in groupwise.rates(counts).items():
        summary = gaps.summary(values, overall[name][0])
        found += [summary[gap] for gap in ("max_minus_min", "min_over_max", "worst_gap")]
        found.append(gaps.worst_gap(values, overall[name][0], "highest"))
    return np.stack(found)


@given(tables, st.randoms(use_true_random=False))
def test_reordering_groups_changes_no_gap(counts, random):
    order = random.sample(range(len(counts)), len(counts))
    np.testing.assert_allclose(every_gap(counts[order]), every_gap(counts), atol=1e-12)


@given(tables)
def test_an_empty_group_changes_no_gap(counts):
    np.testing.assert_allclose(every_gap(np.concatenate([counts, np.zeros((1, 4))])), every_gap(counts), atol=1e-12)


@given(tables)
def test_splitting_a_group_in_identical_halves_changes_no_gap(counts):
    """But smoothed differential fairness, whose pseudo-counts weigh more in smaller groups."""
    split = np.concatenate([counts[:1] / 2, counts[:1] / 2, counts[1:]])
    for name, (values, _) in groupwise.rates(counts).items():
        if np.isfinite(values).sum() >= 2:
            halves, overall = groupwise.rates(split)[name][0], groupwise.rates(counts.sum(axis=0))[name][0]
            for gap in ("max_minus_min", "min_over_max", "worst_gap"):
                assert gaps.summary(halves, overall)[gap] == pytest.approx(gaps.summary(values, overall)[gap], abs=1e-12, nan_ok=True)
    if (counts[:, 0] > 0).sum() >= 2:
        raw = [gaps.differential_fairness(part, "decisions", concentration=0) for part in (split, counts)]
        assert raw[0] == pytest.approx(raw[1])


@given(tables)
def test_swapping_two_groups_inverts_ratios_and_flips_differences(counts):
    for values, _ in groupwise.rates(counts[:2]).values():
        one, other = (gaps.summary(values, values.mean(), reference) for reference in (0, 1))
        assert one["difference_to_reference"][1] == pytest.approx(-other["difference_to_reference"][0], nan_ok=True)
        ratios = one["ratio_to_reference"][1], other["ratio_to_reference"][0]
        if np.isfinite(ratios).all():
            assert ratios[0] * ratios[1] == pytest.approx(1)
    for absolute in (False, True):
        there, back = gaps.average_odds(counts, 0, absolute)[1], gaps.average_odds(counts, 1, absolute)[0]
        assert there == pytest.approx(back if absolute else -back, nan_ok=True)


@given(tables)
def test_a_perfect_classifier_has_no_gap_of_odds(counts):
    counts[:, 2] = counts[:, 3] = counts[:, 1]
    for gap, parity in ((gaps.equal_opportunity, 0), (gaps.equalised_odds, 0), (gaps.bias_amplification, 0)):
        assert np.isnan(gap(counts)) or gap(counts) == parity
    for found in (gaps.average_odds(counts, 0), gaps.average_odds(counts, 0, absolute=True)):
        assert (np.isnan(found) | (found == 0)).all()


@given(tables)
def test_max_minus_min_bounds_every_pair_and_the_worst_group_is_at_its_end(counts):
    overall = groupwise.rates(counts.sum(axis=0))
    for name, (values, _) in groupwise.rates(counts).items():
        defined = values[np.isfinite(values)]
        gap, worst = gaps.max_minus_min(values), gaps.worst_group(values)
        if len(defined) < 2:
            assert np.isnan(gap)
            assert worst == -1
            continue
        assert gap == pytest.approx(np.abs(defined[:, None] - defined).max())
        assert (values[worst], values[gaps.worst_group(values, "highest")]) == (defined.min(), defined.max())
        assert gaps.worst_gap(values, overall[name][0]) == pytest.approx(overall[name][0] - defined.min())


@given(st.lists(tables_of(3, 3), min_size=2, max_size=3))
def test_replicates_give_what_each_gives_alone(replicates):
    together = every_gap(np.stack(replicates))
    for index, counts in enumerate(replicates):
        np.testing.assert_array_equal(together[:, index], every_gap(counts))


def test_a_group_without_favourable_labels_is_excluded_and_listed():
    """Of three groups the two measured ones make the gap; of two, one alone makes none."""
    counts = np.array([counts_of(1, 1, 1, 1), counts_of(0, 0, 1, 2), counts_of(3, 1, 0, 2)])
    tpr = groupwise.rates(counts)["tpr"][0]
    assert gaps.undefined_groups(tpr, "abc") == ["b"]
    assert gaps.max_minus_min(tpr) == 0.25
    assert gaps.worst_group(tpr) == 0
    assert np.isnan(gaps.max_minus_min(tpr[:2]))
    assert gaps.worst_group(tpr[:2]) == -1


def test_the_worst_gap_is_not_the_gap_of_a_better_group():
    values, everyone = np.array([0.5, 0.6, 0.95]), np.array(0.6)
    assert gaps.worst_gap(values, everyone) == pytest.approx(0.1)
    assert gaps.worst_gap(values, everyone, "highest") == pytest.approx(0.35)


def test_differential_fairness_by_hand():
    counts = np.array([[8.0, 4, 2, 1], [8, 4, 6, 3]])
    assert gaps.differential_fairness(counts, "labels") == 0
    assert gaps.differential_fairness(counts, "decisions", concentration=0) == pytest.approx(np.log(3))
    assert gaps.differential_fairness(counts, "decisions") == pytest.approx(np.log(6.5 / 2.5))
    assert gaps.bias_amplification(counts) == pytest.approx(np.log(6.5 / 2.5))


def test_an_outcome_that_only_one_group_has_is_infinitely_unfair_and_one_that_nobody_has_is_not():
    counts = np.array([[8.0, 0, 0, 0], [8, 0, 6, 0]])
    assert gaps.differential_fairness(counts, "decisions", concentration=0) == np.inf
    assert gaps.differential_fairness(counts, "labels", concentration=0) == 0
    assert np.isnan(gaps.differential_fairness(counts[:1], "labels"))
    with pytest.raises(BadInput, match="concentration is -1"):
        gaps.differential_fairness(counts, "labels", concentration=-1)
