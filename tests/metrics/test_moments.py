"""Moments are sums, whatever the numbers of texts; the variance they give is the jackknife, of a group and of everybody else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.metrics.comparisons import compare, wilson
from stages.metrics.moments import BOUNDS, EXACT, Moments, joined, moments, of_kinds

PERSON = st.integers(1, EXACT).flatmap(lambda texts: st.tuples(st.integers(0, texts), st.just(texts)))


def of(people: list[tuple[int, int]]) -> Moments:
    hits, texts = (np.array(part, dtype=float) for part in zip(*people, strict=True))
    return moments(hits, texts, np.zeros(len(hits), dtype=np.int64), 1)


def jackknife(hits: np.ndarray, texts: np.ndarray) -> float:
    """(people - 1) / people x the sum of squares of how far the rate moves when a person is left out."""
    moved = (hits.sum() - hits) / (texts.sum() - texts) - hits.sum() / texts.sum()
    return float((len(hits) - 1) / len(hits) * (moved**2).sum())


@given(st.lists(PERSON, min_size=2, max_size=12))
def test_the_variance_is_the_jackknife(people):
    hits, texts = np.array(people, dtype=float).T
    assert of(people).variance()[0] == pytest.approx(jackknife(hits, texts), abs=1e-12)


@given(st.lists(PERSON, min_size=1, max_size=8), st.lists(PERSON, min_size=2, max_size=8))
def test_that_of_everybody_else_is_a_difference(group, rest):
    left = of(group + rest).without(of(group))
    assert left.variance()[0] == pytest.approx(of(rest).variance()[0], abs=1e-10)
    assert left.effective()[0] == pytest.approx(of(rest).effective()[0])


def test_people_with_very_many_texts_are_told_apart_nearly():
    """Numbers of texts within 3 % of each other are taken for their mean: standard errors are within 1 % of the jackknife's."""
    random = np.random.default_rng(3)
    apart = []
    for _ in range(300):
        texts = np.floor(random.pareto(1.1, 30) + 1)
        hits = random.binomial(texts.astype(int), random.beta(0.5, 0.5, 30)).astype(float)
        if 0 < hits.sum() < texts.sum():
            apart.append(moments(hits, texts, np.zeros(30, dtype=np.int64), 1).variance()[0] / jackknife(hits, texts))
    assert len(apart) > 250
    np.testing.assert_allclose(apart, 1, atol=0.02)


@pytest.mark.parametrize(("people", "texts"), [(5, 1), (5, 5), (20, 3), (100, 40)])
def test_people_with_equally_many_texts_vary_as_the_textbook_says(people, texts):
    """Then the jackknife is the sum of squared residuals over (sum of texts)^2, by people / (people - 1)."""
    hits = np.random.default_rng(people).integers(0, texts, people, endpoint=True).astype(float)
    rate = hits.sum() / (people * texts)
    expected = ((hits - rate * texts) ** 2).sum() / (people * texts) ** 2 * people / (people - 1)
    found = of(list(zip(hits, np.full(people, texts), strict=True)))
    assert found.variance()[0] == pytest.approx(expected, rel=1e-9)
    assert found.effective()[0] == pytest.approx(people)


def test_an_author_with_most_texts_leaves_few_effective_people():
    assert of([(0, 30), *[(1, 1)] * 70]).effective()[0] == pytest.approx(100**2 / (900 + 70))
    assert of([(5, 10)]).effective()[0] == 1
    assert np.isnan(of([(0, 0)]).effective()[0])


def test_one_author_who_is_nearly_the_group_leaves_it_wide():
    """One of two people has 99 of 100 texts: nobody knows whether others would be like that person, though texts are many."""
    one = of([(10, 99), (1, 1)])
    low, high = (end[0] for end in wilson(one.value(), one.worth(), 0.95)[1:])
    assert low <= 0.11 <= high
    assert high - low > 0.6
    alone = of([(10, 99)])
    low, high = (end[0] for end in wilson(alone.value(), alone.worth(), 0.95)[1:])
    assert high - low > 0.7


def test_lots_of_groups_stand_side_by_side_and_kinds_of_people_are_people():
    one, other = of([(1, 2), (3, 40)]), of([(0, 7)])
    both = joined([one, other])
    np.testing.assert_allclose(both.texts, [42, 7])
    np.testing.assert_allclose(both.variance()[0], one.variance()[0])
    kinds = of_kinds(np.array([[1.0], [3.0]]), np.array([[2.0], [40.0]]), np.array([2.0, 1.0]))
    np.testing.assert_allclose(kinds.variance(), of([(1, 2), (1, 2), (3, 40)]).variance())
    assert (np.diff(BOUNDS) > 0).all()


def sizes(world: str, people: int, random: np.random.Generator) -> np.ndarray:
    """How many texts each person has: one with 30 % of all, Pareto's with the exponent 1.1, or five each."""
    if world == "pareto":
        return np.minimum(np.floor(random.pareto(1.1, people) + 1), 10_000)
    texts = np.full(people, 5.0)
    if world == "heavy":
        texts[0] = np.rint(0.3 / 0.7 * 5 * (people - 1))
    return texts


def studied(world: str, people: int, rate: float, alike: float, random: np.random.Generator) -> tuple[Moments, Moments]:
    """Moments of a group and of everyone, 100 others among them, whose texts are correlated by ``alike`` within a person."""
    texts = np.concatenate([sizes(world, people, random), sizes(world, 100, random)])
    each = np.full(len(texts), rate) if alike == 0 else random.beta(*(np.array([rate, 1 - rate]) * (1 - alike) / alike), len(texts))
    hits = random.binomial(texts.astype(int), each).astype(float)
    group, everyone = (np.arange(len(texts)) >= people).astype(np.int64), np.zeros(len(texts), dtype=np.int64)
    own = moments(hits, texts, group, 2)
    return Moments(own.sizes, own.sums[:, :, :1]), moments(hits, texts, everyone, 1)


@pytest.mark.parametrize("world", ["equal", "heavy", "pareto"])
@pytest.mark.parametrize(("people", "rate", "alike"), [(10, 0.5, 0.3), (20, 0.1, 0.3), (20, 0.5, 0.0), (100, 0.1, 0.3), (100, 0.9, 0.3)])
def test_rates_and_differences_are_held_whoever_writes_much(world, people, rate, alike):
    """Of 600 studies 93 % and more; residuals that ignore leverage held rates in 86 to 92 % with one heavy author or Pareto's texts."""
    random = np.random.default_rng(people)
    held = np.zeros(2)
    for _ in range(600):
        own, everyone = studied(world, people, rate, alike, random)
        correlated = everyone.alike(everyone.value() * (1 - everyone.value()))
        found = wilson(own.value(), own.worth(correlated), 0.95)
        apart = compare(own, everyone, np.array(True), 0.95, correlated)[0]
        held += [found.low[0] <= rate <= found.high[0], apart.low[0] <= 1e-12 and apart.high[0] >= -1e-12]
    assert (held / 600 >= 0.93).all(), held / 600
