"""Intervals of gaps over many groups hold parity at equality and the truth elsewhere, however small and many the groups are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.contract.bad_input import BadInput
from stages.metrics import between, gaps

GAPS = {
    "max_minus_min": between.MAX_MINUS_MIN,
    "min_over_max": between.MIN_OVER_MAX,
    "lowest": between.LOWEST_GAP,
    "highest": between.HIGHEST_GAP,
    "differential_fairness": between.DIFFERENTIAL_FAIRNESS,
}
SLICES = ((slice(0, 2), 2), (slice(2, 5), 3))
groups = st.lists(st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=2, max_size=5)


def interval_of(gap: between.Gap, rates, texts, **settings) -> between.Interval:
    rates, texts = np.asarray(rates, dtype=float), np.asarray(texts, dtype=float)
    return between.intervals(gap, rates, texts, np.array([0, rates.shape[-1]]), **({"confidence": 0.95, "draws": 200} | settings))[0]


def held(gap: between.Gap, true: np.ndarray, texts: np.ndarray, truth: float, studies: int = 100) -> tuple[float, float]:
    """How many of the 95 % intervals hold the truth, and of their lower ends are above it."""
    random = np.random.default_rng(len(true))
    found = [interval_of(gap, random.binomial(texts, true) / texts, texts, seed=seed)[:2] for seed in range(studies)]
    low, high = np.array(found).T
    return float(np.mean((low <= truth) & (truth <= high))), float(np.mean(low > truth))


@given(groups)
def test_each_gap_is_as_defined_for_any_groups(counted):
    hits, texts = np.array(counted, dtype=float).T
    rates, everyone = hits / texts, np.array(hits.sum() / texts.sum())
    counts = np.stack([texts, 0 * texts, hits, 0 * texts], axis=-1)
    expected = {
        "max_minus_min": gaps.max_minus_min(rates),
        "min_over_max": gaps.min_over_max(rates),
        "lowest": gaps.worst_gap(rates, everyone),
        "highest": gaps.worst_gap(rates, everyone, "highest"),
        "differential_fairness": gaps.differential_fairness(counts, "decisions"),
    }
    for name, gap in GAPS.items():
        assert gap.of(rates, texts) == pytest.approx(expected[name], abs=1e-12, nan_ok=True)
    raw = between.DIFFERENTIAL_FAIRNESS.true(rates, texts)
    assert raw == pytest.approx(gaps.differential_fairness(counts, "decisions", concentration=0), abs=1e-9)


@given(groups, st.sampled_from(sorted(GAPS)))
def test_a_gap_lies_in_its_own_interval_within_its_range(counted, name):
    hits, texts = np.array(counted, dtype=float).T
    value, gap = GAPS[name].of(hits / texts, texts), GAPS[name]
    low, high, reason = interval_of(gap, hits / texts, texts, draws=80)
    if np.isnan(value):
        assert np.isnan(low)
        assert reason == between.UNDEFINED
    else:
        assert reason is None
        assert 0 <= low <= value <= high <= (np.inf if name == "differential_fairness" else 1)


@pytest.mark.parametrize(("number", "texts", "rate"), [(3, 100, 0.5), (2, 5, 0.4), (20, 5, 0.1), (40, 20, 0.4)])
@pytest.mark.parametrize("name", ["max_minus_min", "min_over_max", "lowest"])
def test_equal_groups_hold_parity(number, texts, rate, name):
    """Bootstrap percentiles of max - min hold 0 in none of the studies."""
    gap = GAPS[name]
    covered, _ = held(gap, np.full(number, rate), np.full(number, texts), gap.parity)
    assert covered >= 0.94


@pytest.mark.parametrize("true", [[0.1, 0.3], [0.4, 0.4, 0.4, 0.4, 0.6], np.linspace(0.15, 0.65, 12)])
@pytest.mark.parametrize("texts", [5, 20, 100])
def test_unequal_groups_are_covered(true, texts):
    covered, above = held(between.MAX_MINUS_MIN, np.array(true), np.full(len(true), texts), max(true) - min(true))
    assert covered >= 0.91  # 0.95 less two standard errors of 100 studies
    assert above <= 0.07


@pytest.mark.parametrize("name", ["min_over_max", "lowest", "highest", "differential_fairness"])
def test_other_gaps_are_covered_in_groups_of_all_sizes(name):
    true, texts = np.array([0.6, 0.4, 0.4, 0.4, 0.2]), np.array([5, 20, 50, 200, 500])
    truth = (GAPS[name].true or GAPS[name].of)(true, texts.astype(float))
    assert held(GAPS[name], true, texts, float(truth))[0] >= 0.91


def test_a_single_large_pair_is_the_usual_interval_of_a_difference():
    """|p1 - p2| of two groups of 2,000, where everyone agrees: difference +- 1.96 standard errors."""
    low, high, _ = interval_of(between.MAX_MINUS_MIN, [0.3, 0.45], [2000, 2000], draws=4000)
    reach = 1.96 * np.sqrt((0.3 * 0.7 + 0.45 * 0.55) / 2000)
    assert (low, high) == pytest.approx((0.15 - reach, 0.15 + reach), abs=0.003)


def test_equalised_odds_is_the_further_of_two_rates():
    """Equal FPR beside a TPR gap; both equal; and one of them unmeasured."""
    texts = np.array([[200.0, 200, 200], [150, 150, 150]])
    low, high, _ = interval_of(between.MAX_MINUS_MIN, [[0.3, 0.6, 0.5], [0.2, 0.2, 0.2]], texts)
    assert 0.15 < low < 0.3 < high < 0.45
    assert interval_of(between.MAX_MINUS_MIN, [[0.5, 0.52, 0.5], [0.2, 0.2, 0.22]], texts)[0] == 0
    assert interval_of(between.MAX_MINUS_MIN, [[0.3, 0.6, 0.5], [0.2, np.nan, np.nan]], texts)[2] == between.FEW


def test_few_texts_that_agree_are_no_certainty_of_parity():
    """Two groups of five without a single hit may differ by a half; two of 500 may not."""
    assert interval_of(between.MAX_MINUS_MIN, [0, 0], [5, 5])[1] > 0.4
    assert interval_of(between.MAX_MINUS_MIN, [0, 0], [500, 500])[1] < 0.02
    assert interval_of(between.DIFFERENTIAL_FAIRNESS, [0, 0.3], [5, 50])[1] == np.inf


def test_more_texts_tell_more_and_unmeasured_groups_nothing():
    widths = [np.diff(interval_of(between.MAX_MINUS_MIN, [0.3, 0.4, 0.6], np.full(3, texts))[:2])[0] for texts in (10, 100, 1000)]
    assert widths[0] > widths[1] > widths[2]
    alone = interval_of(between.MAX_MINUS_MIN, [0.3, 0.6], [50, 50])
    assert interval_of(between.MAX_MINUS_MIN, [0.3, 0.6, np.nan], [50, 50, 0]) == alone
    assert interval_of(between.MAX_MINUS_MIN, [0.3, np.nan], [50, 0])[2] == between.FEW
    assert interval_of(between.MIN_OVER_MAX, [0, 0], [50, 50])[2] == between.UNDEFINED


def test_a_set_has_the_same_interval_whichever_sets_stand_beside_it():
    rates, texts = np.array([0.1, 0.5, 0.3, 0.3, 0.9]), np.array([20.0, 30, 5, 200, 40])
    together = between.intervals(between.MAX_MINUS_MIN, rates, texts, np.array([0, 2, 5]), 0.95)
    alone = [between.intervals(between.MAX_MINUS_MIN, rates[part], texts[part], np.array([0, n]), 0.95)[0] for part, n in SLICES]
    assert together == alone
    assert together == between.intervals(between.MAX_MINUS_MIN, rates, texts, np.array([0, 2, 5]), 0.95)


def test_too_few_draws_are_refused():
    with pytest.raises(BadInput, match=r"20 draws cannot tell tails of 0\.025: draw at least 80 times"):
        interval_of(between.MAX_MINUS_MIN, [0.3, 0.6], [50, 50], draws=20)


def test_clustered_texts_count_for_the_gap_and_not_for_its_certainty():
    """100 texts a group by 20 people: everyone's mean and the smoothing are those of texts, the width that of people."""
    rates, counted, worth = [0.3, 0.5, 0.4], np.array([100.0, 300, 100]), np.array([20.0, 30, 20])
    counts = np.stack([counted, 0 * counted, counted * rates, 0 * counted], axis=-1)
    low, high, _ = interval_of(between.DIFFERENTIAL_FAIRNESS, rates, worth, counted=counted)
    assert low <= gaps.differential_fairness(counts, "decisions") <= high
    sure = interval_of(between.LOWEST_GAP, rates, counted, counted=counted)
    unsure = interval_of(between.LOWEST_GAP, rates, worth, counted=counted)
    assert unsure[0] < sure[0] < 0.44 - 0.3 < sure[1] < unsure[1]
