"""Rates, differences and ratios have the intervals of the literature, hold their point, and keep their coverage in tiny groups."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from stages.metrics.comparisons import compare, difference, quotient, wilson
from stages.metrics.moments import Moments, moments, of_kinds

COUNTS = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda pair: (pair[0], sum(pair))).filter(lambda pair: pair[1] > 0)


def single(hits, texts) -> Moments:
    """Moments of people with one text each."""
    hits, texts = np.asarray(hits, dtype=float), np.asarray(texts, dtype=float)
    return Moments(np.zeros(1, dtype=np.int64), np.stack([hits, texts, texts, hits, hits, texts])[None])


def to_whole(part: Moments, whole: Moments, confidence: float):
    return compare(part, whole, np.array(True), confidence)


def bounded(hits: int, texts: int, confidence: float = 0.95):
    return wilson(single(hits, texts).value(), single(hits, texts).worth(), confidence)


@given(COUNTS)
def test_wilson_is_that_of_statsmodels_and_texts_of_single_authors_are_all_worth_one(counts):
    found = bounded(*counts)
    assert single(*counts).worth() == pytest.approx(counts[1])
    np.testing.assert_allclose([found.low, found.high], proportion_confint(*counts, method="wilson"), atol=1e-12)


@given(COUNTS, COUNTS)
def test_the_difference_is_newcombes(one, other):
    found = difference(bounded(*one), bounded(*other))
    expected = confint_proportions_2indep(*one, *other, compare="diff", method="newcomb")
    np.testing.assert_allclose([found.low, found.high], expected, atol=1e-12)
    assert found.low <= found.value <= found.high


@given(COUNTS, COUNTS)
def test_swapping_the_groups_turns_the_ratio_over_and_its_ends_are_where_the_difference_is_just_apart(one, other):
    a, b = bounded(*one), bounded(*other)
    found, turned = quotient(a, b), quotient(b, a)
    if a.value == 0 or b.value == 0:
        assert np.isnan(turned.value if a.value == 0 else found.value)
        return
    assert found.low <= found.value <= found.high
    assert found.low * turned.high == pytest.approx(1)
    for r, mine, theirs in ((found.low, a.low, b.high), (found.high, a.high, b.low)):
        assert (a.value - r * b.value) ** 2 == pytest.approx((a.value - mine) ** 2 + r**2 * (theirs - b.value) ** 2, abs=1e-9)


@given(COUNTS, COUNTS)
def test_a_part_and_its_whole_agree_with_the_part_and_the_rest(part, rest):
    whole = single(part[0] + rest[0], part[1] + rest[1])
    apart, times = to_whole(single(*part), whole, 0.95)
    assert apart.value == pytest.approx(part[0] / part[1] - whole.value(), abs=1e-12)
    assert apart.low - 1e-12 <= apart.value <= apart.high + 1e-12
    if whole.value() > 0:
        assert times.value == pytest.approx(part[0] / part[1] / whole.value())
        assert np.isnan(times.low) or times.low <= times.value <= times.high


def test_a_group_that_is_everyone_is_compared_with_nobody():
    apart, times = to_whole(single(3, 10), single(3, 10), 0.95)
    assert np.isnan([apart.value, times.value]).all()


def test_texts_of_one_person_count_less_and_splitting_people_into_groups_adds_up():
    hits, texts, kind = (np.repeat(values, (10, 10, 7)) for values in ([5.0, 0.0, 2.0], [5.0, 5.0, 4.0], [0, 0, 1]))
    # Twenty people who always or never have a hit tell as much as twenty texts (nineteen, as the mean is estimated too).
    together = moments(hits, texts, np.zeros(27, dtype=np.int64), 1)
    apart = moments(hits, texts, kind, 2)
    np.testing.assert_allclose(apart.sums.sum(axis=2), together.sums[:, :, 0])
    assert apart.worth()[0] == pytest.approx(19)
    np.testing.assert_allclose(together.without(Moments(apart.sizes, apart.sums[:, :, :1])).texts, [28.0])


@pytest.mark.parametrize(("texts", "rest", "rate"), [(5, 95, 0.4), (10, 40, 0.1), (20, 400, 0.7), (5, 2000, 0.15)])
def test_differences_and_ratios_of_tiny_groups_hold_the_truth(texts, rest, rate):
    """Parity of a group with everyone: at least 93 % of 95 % intervals hold 0 and 1 in 4,000 studies, exactly enumerated weights apart."""
    random = np.random.default_rng(texts)
    part, others = random.binomial(texts, rate, 4000), random.binomial(rest, rate, 4000)
    group = single(part, np.full(4000, texts))
    apart, times = to_whole(group, single(part + others, np.full(4000, texts + rest)), 0.95)
    assert ((apart.low <= 1e-12) & (apart.high >= -1e-12)).mean() >= 0.93
    known = np.isfinite(times.low)
    assert ((times.low <= 1 + 1e-12) & (times.high >= 1 - 1e-12))[known].mean() >= 0.93


def test_wilson_needs_somebody():
    found = wilson(np.array([np.nan]), np.array([0.0]), 0.95)
    assert np.isnan(found).all()
    assert wilson(np.array(0.0), np.array(10.0), 0.9).high == pytest.approx(1 / (1 + 10 / stats.norm.ppf(0.95) ** 2))


def test_kinds_of_people_are_people():
    hits, texts, number = np.array([[2.0], [0.0]]), np.array([[3.0], [1.0]]), np.array([4.0, 5.0])
    people = moments(np.repeat([2.0, 0.0], [4, 5]), np.repeat([3.0, 1.0], [4, 5]), np.zeros(9, dtype=np.int64), 1)
    np.testing.assert_allclose(of_kinds(hits, texts, number).sums, people.sums)


@pytest.mark.parametrize("people", [5, 100])
def test_a_rate_of_clustered_texts_is_covered(people):
    """People with three texts that agree four times in five, beside 400 like them; 95 % intervals of P(selected) = 0.3 over 1,000 draws."""
    random = np.random.default_rng(2)
    covered = 0
    for _ in range(1000):
        own = random.random((400 + people, 1)) < 0.3
        hits = np.where(random.random((400 + people, 3)) < 0.8, own, random.random((400 + people, 3)) < 0.3).sum(axis=1).astype(float)
        group = (np.arange(400 + people) < people).astype(np.int64)
        everyone = moments(hits, np.full(len(hits), 3.0), np.zeros(len(hits), dtype=np.int64), 1)
        found = moments(hits, np.full(len(hits), 3.0), group, 2)
        bound = wilson(found.value(), found.worth(everyone.alike(everyone.value() * (1 - everyone.value()))), 0.95)
        covered += bound.low[1] <= 0.3 <= bound.high[1]
    assert 0.93 <= covered / 1000 <= 0.99
