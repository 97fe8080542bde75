"""Max T tests: the level at equality, a planted group found and no other, and what happens to groups that cannot be measured."""

from typing import NamedTuple

import numpy as np
import pytest

from stages.metrics import between
from stages.metrics.furthest import StepDown, distances, signed_root


class Found(NamedTuple):
    statistic: np.ndarray
    p_groups: np.ndarray
    p_sets: np.ndarray


def adjusted(rates: np.ndarray, null: np.ndarray, everyone: float, starts: np.ndarray, texts: np.ndarray) -> Found:
    """Tests of rates [groups] with null rates [draws, groups], each worth its texts corrected for drawing without return."""
    with np.errstate(divide="ignore", invalid="ignore"):
        worth = texts * (texts.sum() - 1) / (texts.sum() - texts)
    statistic = np.where(np.isfinite(worth), signed_root(rates, everyone, worth), np.nan)
    tests = StepDown(statistic, starts)
    for part in np.array_split(null, 3):
        tests.add(signed_root(part, everyone, worth))
    return Found(statistic, tests.p_values(), tests.p_families())


def dealt(random: np.random.Generator, texts: np.ndarray, hits: int, draws: int) -> np.ndarray:
    """Rates [draws, groups] when so many hits are dealt among all texts."""
    return random.multivariate_hypergeometric(texts, hits, size=draws) / texts


@pytest.mark.parametrize(
    ("texts", "rate"), [([50, 50], 0.3), ([5] * 20, 0.1), ([5, 10, 40, 200, 500], 0.4), ([20] * 60, 0.3)], ids=["2", "20", "mixed", "60"]
)
def test_equal_groups_are_found_different_in_five_percent_of_studies(texts, rate):
    random, texts = np.random.default_rng(len(texts)), np.array(texts)
    p_values = []
    for _ in range(300):
        hits = random.binomial(texts.sum(), rate)
        rates = dealt(random, texts, hits, 200)
        found = adjusted(rates[0], rates[1:], hits / texts.sum(), np.array([0, len(texts)]), texts)
        assert found.p_sets[0] == found.p_groups.min()
        p_values.append(found.p_sets[0])
    assert np.mean(np.array(p_values) <= 0.05) <= 0.075  # 0.05 and two standard errors


def test_a_planted_group_is_found_and_no_other_is():
    random, texts = np.random.default_rng(1), np.array([900, 60, 800, 10, 850])
    true = np.array([0.3, 0.7, 0.3, 0.3, 0.3])
    others = 0
    for _ in range(100):
        hits = random.binomial(texts, true)
        found = adjusted(hits / texts, dealt(random, texts, hits.sum(), 200), hits.sum() / texts.sum(), np.array([0, 5]), texts)
        assert np.abs(found.statistic).argmax() == 1
        assert found.p_sets[0] == pytest.approx(1 / 201)
        assert found.statistic[1] > 4
        others += (found.p_groups[[0, 2, 3, 4]] <= 0.05).any()
    assert others <= 10


def test_one_person_of_a_rare_outcome_does_not_dominate():
    """As a z-score it would be 9.9 and hide the group of 400, which is truly twice as often selected."""
    random, texts = np.random.default_rng(2), np.array([2000, 400, 1])
    hits = np.array([15, 8, 1])
    rate = hits.sum() / texts.sum()
    found = adjusted(hits / texts, dealt(random, texts, hits.sum(), 2000), rate, np.array([0, 3]), texts)
    assert found.statistic[2] == pytest.approx(np.sqrt(-2 * np.log(rate)), rel=0.1)
    assert found.p_groups[2] >= 0.01


def test_the_statistic_is_a_signed_root_of_the_likelihood_ratio():
    """With 20 of 50 against 0.3 and texts dealt to 50 of 1,000: G = 2 sum k log(k / expected), corrected for dealing without return."""
    random, texts = np.random.default_rng(3), np.array([50, 950])
    found = adjusted(np.array([0.4, 0.3]), dealt(random, texts, 300, 20000), 0.3, np.array([0, 2]), texts)
    likelihood = 2 * (20 * np.log(20 / 15) + 30 * np.log(30 / 35)) * 999 / 950
    assert found.statistic[0] == pytest.approx(np.sqrt(likelihood), rel=0.02)
    assert found.statistic[1] == 0
    assert adjusted(np.array([0.2, 0.3]), dealt(random, texts, 300, 200), 0.3, np.array([0, 2]), texts).statistic[0] < 0


def test_step_down_is_never_above_single_step_and_keeps_the_order():
    random, texts = np.random.default_rng(4), np.full(12, 40)
    rates, null = random.binomial(texts, np.linspace(0.2, 0.6, 12)) / texts, dealt(random, texts, 192, 500)
    found = adjusted(rates, null, 0.4, np.array([0, 12]), texts)
    alone = adjusted(rates, null, 0.4, np.arange(13), texts)
    order = np.argsort(-np.abs(found.statistic))
    assert (np.diff(found.p_groups[order]) >= 0).all()
    assert (found.p_groups >= alone.p_groups - 1e-12).all()
    assert found.p_groups[order[-1]] == pytest.approx(max(alone.p_groups[order[-1]], found.p_groups[order[-2]]))


def test_groups_without_a_value_are_no_members_of_the_family():
    random, texts = np.random.default_rng(5), np.array([40, 60, 30])
    null = dealt(random, texts, 50, 400)
    sizes = np.array([2.5, 0.3, 1.0])
    alone, several = StepDown(sizes, np.array([0, 3])), StepDown(np.append(sizes, [np.nan, np.nan]), np.array([0, 5, 5]))
    drawn = signed_root(null, 50 / 130, texts)
    alone.add(drawn)
    several.add(np.column_stack([drawn, np.full(400, 9.0), np.full(400, np.nan)]))
    assert np.isnan(several.p_values()[3:]).all()
    np.testing.assert_array_equal(several.p_values()[:3], alone.p_values())
    assert several.p_families()[0] == alone.p_families()[0]
    assert np.isnan(several.p_families()[1])


def test_a_group_that_few_draws_measure_is_not_found_for_that():
    null = np.full((1000, 2), np.nan)
    null[:, 0] = np.random.default_rng(6).normal(size=1000)
    null[:20, 1] = np.tile([-3.0, 3.0], 10)
    tests = StepDown(np.array([0.5, 3.0]), np.array([0, 2]))
    tests.add(null)
    assert tests.p_values()[1] == pytest.approx(1)


def test_distances_of_a_gap_leave_out_draws_that_measure_one_group_alone():
    random, texts = np.random.default_rng(7), np.array([40, 60, 30, 25, 25])
    null, starts = dealt(random, texts, 60, 999), np.array([0, 3, 5])
    np.testing.assert_allclose(distances(between.MAX_MINUS_MIN, null, texts, starts)[:, 0], np.ptp(null[:, :3], axis=1))
    ratios = distances(between.MIN_OVER_MAX, null, texts, starts)[:, 1]
    np.testing.assert_allclose(1 - ratios, null[:, 3:].min(axis=1) / null[:, 3:].max(axis=1))
    some = np.tile([[0.2, 0.5], [0.2, np.nan]], (50, 1))
    found = distances(between.LOWEST_GAP, some, np.array([10, 20]), np.array([0, 2]))
    np.testing.assert_allclose(found[::2], 0.2)
    assert np.isnan(found[1::2]).all()
