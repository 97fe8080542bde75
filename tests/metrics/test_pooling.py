"""Pooled rates recover a planted lattice better than raw rates do, with intervals that hold it, and keep to their limits."""

from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from stages.contract.bad_input import BadInput
from stages.metrics import pooling
from stages.metrics.comparisons import wilson
from stages.metrics.moments import moments
from stages.metrics.pooling import Cells, pool

# Tumours among 71 groups of female rats, the standard example (Tarone 1982; Gelman et al. 2013, table 5.1).
TUMOURS = (
    "0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 2 1 5 2 5 3 2 7 7 3 3 2 9 10 4 4 4 4 4 4 4 10 4 4 4 5 11 12 5 5 6 5 6 6"
)
TUMOURS += " 6 6 16 15 15 9 4"
RATS = "20 20 20 20 20 20 20 19 19 19 19 18 18 17 20 20 20 20 19 19 18 18 25 24 23 20 20 20 20 20 20 10 49 19 46 27 17 49 47 20 20 13 48 50"
RATS += " 20 20 20 20 20 20 20 48 19 19 19 22 46 49 20 20 23 19 22 20 20 20 52 46 47 24 14"
SIZES = (2, 3, 3, 3, 3)


def lattice(codes: np.ndarray) -> np.ndarray:
    """The group of each cell in every set of attributes [cells, sets], order by order."""
    columns, start = [], 0
    for order in range(1, codes.shape[1] + 1):
        for chosen in combinations(range(codes.shape[1]), order):
            names, place = np.unique(codes[:, chosen], axis=0, return_inverse=True)
            columns.append(place.ravel() + start)
            start += len(names)
    return np.stack(columns, axis=1)


def cells(sizes: tuple[int, ...], hits, texts) -> Cells:
    codes = np.indices(sizes).reshape(len(sizes), -1).T
    return Cells(codes, lattice(codes), np.asarray(hits, dtype=float), np.asarray(texts, dtype=float))


def totals(found: Cells, values: np.ndarray) -> np.ndarray:
    return np.bincount(found.group.ravel(), np.repeat(values, found.group.shape[1]))


def planted(random: np.random.Generator, people: int, interaction: float, main: float = 0.4, sizes=SIZES):
    """Masses and rates of all cells: effects on the logit scale of every category, pair, triple, ..., each order smaller than the last."""
    codes = np.indices(sizes).reshape(len(sizes), -1).T
    mass = np.prod([random.dirichlet(np.full(size, 3.0))[codes[:, index]] for index, size in enumerate(sizes)], axis=0)
    logits = np.zeros(len(codes))
    for order in range(1, len(sizes) + 1):
        for chosen in combinations(range(len(sizes)), order):
            spread = main if order == 1 else interaction * 0.7 ** (order - 2)
            logits += random.normal(0, spread, [sizes[index] for index in chosen])[tuple(codes[:, chosen].T)]
    return mass, special.expit(logits), random.multinomial(people, mass)


def test_rats():
    """Gelman et al. find alpha and beta of 2.4 and 14.3, on average, in Beta(alpha, beta), and 0.22 for the last group of 4 in 14."""
    tumours, rats = (np.array(numbers.split(), dtype=float) for numbers in (TUMOURS, RATS))
    assert (len(rats), tumours.sum(), rats.sum()) == (71, 267, 1739)
    found = pool(cells((71,), tumours, rats), 0.95)
    assert 11 < found.strength < 20
    assert found.foretold == pytest.approx(np.full(71, 0.143), abs=0.01)
    assert found.mean[-1] == pytest.approx(0.22, abs=0.02)
    assert found.mean[0] == pytest.approx(2.4 / 36.7, abs=0.01)
    assert 0.06 < found.low[0] + found.high[0] < 0.2


def test_groups_of_one_attribute_have_the_closed_form():
    """Beta(s m + hits, s (1 - m) + misses), a little wider as m is an estimate."""
    hits, texts = np.array([3.0, 30, 400, 90] * 10), np.array([10.0, 60, 1000, 100] * 10)
    found = pool(cells((40,), hits, texts), 0.9)
    a, b = found.strength * found.foretold + hits, found.strength * (1 - found.foretold) + texts - hits
    assert found.mean == pytest.approx(a / (a + b), abs=1e-12)
    low, high = stats.beta.ppf([[0.05], [0.95]], a, b)
    assert (found.high - found.low > high - low).all()
    assert (found.high - found.low < 1.05 * (high - low)).all()


def test_large_groups_keep_their_rates():
    random = np.random.default_rng(1)
    rates = random.uniform(0.1, 0.9, 12)
    grown = cells((2, 2, 3), 1e6 * rates, np.full(12, 1e6))
    found, truth = pool(grown, 0.95), totals(grown, rates) / totals(grown, np.ones(12))
    assert found.mean == pytest.approx(truth, abs=1e-4)
    half = 1.96 * np.sqrt(rates * (1 - rates) / 1e6)
    assert (found.high - found.low)[-12:] == pytest.approx(2 * half, rel=0.01)


def test_without_variation_everyone_is_estimated():
    """Every group has a rate of exactly 0.3, which pooling keeps, with intervals that raw groups of 20 texts cannot have."""
    found = pool(cells(SIZES, np.full(162, 6.0), np.full(162, 20.0)), 0.95)
    assert found.mean == pytest.approx(np.full(len(found.mean), 0.3), abs=0.002)
    _, low, high = wilson(np.array(0.3), np.array(20.0), 0.95)
    assert (found.high - found.low).max() < 0.5 * (high - low)


def test_foretold_is_the_additive_logistic_regression_of_large_groups():
    random = np.random.default_rng(2)
    codes = np.indices((6, 7)).reshape(2, -1).T
    rates = special.expit(random.normal(0, 0.7, 6)[codes[:, 0]] + random.normal(0, 0.7, 7)[codes[:, 1]])
    hits = random.binomial(4000, rates)
    found = pool(cells((6, 7), hits, np.full(42, 4000)), 0.95)
    design = np.column_stack([np.ones(42), np.eye(6)[codes[:, 0]][:, 1:], np.eye(7)[codes[:, 1]][:, 1:]])
    fitted = sm.GLM(np.column_stack([hits, 4000 - hits]), design, family=sm.families.Binomial()).fit().fittedvalues
    assert found.foretold[-42:] == pytest.approx(fitted, abs=0.002)


@pytest.mark.parametrize(("interaction", "widest"), [(0.0, 1.0), (0.15, 0.98), (0.5, 0.98)])
def test_a_planted_lattice_is_recovered(interaction, widest):
    """Five attributes, 2,000 people, groups of 5 to 20: pooled rates are nearer to the truth than raw ones and everyone's.

    Their 95 % intervals hold it, and err on the wide side where no attributes interact.
    """
    random = np.random.default_rng(3)
    rows = []
    for _ in range(15):
        mass, rates, texts = planted(random, 2000, interaction)
        drawn = cells(SIZES, random.binomial(texts, rates), texts)
        found, truth = pool(drawn, 0.95), totals(drawn, mass * rates) / totals(drawn, mass)
        number = totals(drawn, drawn.texts)
        small = (number >= 5) & (number <= 20)
        raw, everyone = totals(drawn, drawn.hits)[small] / number[small], drawn.hits.sum() / 2000
        held = (found.low <= truth) & (truth <= found.high)
        rows.append(np.stack([(raw - truth[small]) ** 2, (found.mean - truth)[small] ** 2, (everyone - truth[small]) ** 2, held[small]]))
    raw, pooled, everyone, held = np.concatenate(rows, axis=1).mean(axis=1)
    assert np.sqrt(pooled) < (0.65 if interaction < 0.5 else 0.9) * np.sqrt(raw)
    assert np.sqrt(pooled) < 0.65 * np.sqrt(everyone)
    assert 0.92 <= held <= widest, held


def test_several_texts_of_an_author_count_as_the_caller_says():
    """Five texts an author, who leans one way in all: intervals of groups of 5 to 20 authors hold, and would not from bare texts."""
    random = np.random.default_rng(4)
    held = {"worth": [], "bare": []}
    for _ in range(25):
        mass, rates, people = planted(random, 600, 0.15, sizes=(2, 3, 3))
        owner = np.repeat(np.arange(18), people)
        leaning = random.beta(2 * rates[owner], 2 * (1 - rates[owner]))
        hits, texts = random.binomial(5, leaning).astype(float), np.full(600, 5.0)
        share = moments(hits, texts, np.zeros(600, dtype=np.int64), 1).worth()[0] / 3000
        drawn = cells((2, 3, 3), np.bincount(owner, hits, 18), 5.0 * people)
        truth = totals(drawn, mass * rates) / totals(drawn, mass)
        small = (totals(drawn, people) >= 5) & (totals(drawn, people) <= 20)
        for name, factor in (("worth", share), ("bare", 1.0)):
            found = pool(Cells(drawn.codes, drawn.group, drawn.hits * factor, drawn.texts * factor, drawn.texts), 0.95)
            held[name].append(((found.low <= truth) & (truth <= found.high))[small])
    held = {name: np.concatenate(values).mean() for name, values in held.items()}
    assert 0.92 <= held["worth"] <= 0.98, held
    assert held["bare"] < 0.9, held


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_pooled_rate_lies_in_its_interval_and_between_0_and_1(data):
    sizes = data.draw(st.sampled_from([(1,), (4,), (2, 2), (2, 1, 3), (3, 2, 2, 2)]))
    number = int(np.prod(sizes))
    texts = np.array(data.draw(st.lists(st.sampled_from([0, 0.5, 1, 3.7, 20, 1e5]), min_size=number, max_size=number)))
    shares = np.array(data.draw(st.lists(st.sampled_from([0, 0.1, 0.5, 1]), min_size=number, max_size=number)))
    found = pool(cells(sizes, shares * texts, texts), data.draw(st.sampled_from([0.01, 0.5, 0.95, 0.999])))
    if texts.sum() == 0:
        assert all(np.isnan(values).all() for values in (found.mean, found.low, found.high, found.foretold))
    else:
        assert ((found.mean > 0) & (found.mean < 1) & (found.foretold > 0) & (found.foretold < 1)).all()
        assert ((found.low >= 0) & (found.low <= found.mean) & (found.mean <= found.high) & (found.high <= 1)).all()


def test_other_names_and_orders_change_nothing():
    random = np.random.default_rng(6)
    _, rates, texts = planted(random, 800, 0.3, sizes=(2, 3, 4))
    drawn = cells((2, 3, 4), random.binomial(texts, rates), texts)
    rows, columns = random.permutation(24), [2, 0, 1]
    codes = np.stack([random.permutation(50)[drawn.codes[:, column]] for column in columns], axis=1)[rows]
    names = random.permutation(drawn.group.max() + 1)
    renamed = Cells(codes, names[drawn.group][rows], drawn.hits[rows], drawn.texts[rows])
    one, other = pool(drawn, 0.95), pool(renamed, 0.95)
    for field in ("mean", "low", "high", "foretold"):
        assert getattr(other, field)[names] == pytest.approx(getattr(one, field), abs=1e-4)


def test_parts_of_a_group_average_to_it():
    random = np.random.default_rng(7)
    _, rates, texts = planted(random, 300, 0.3, sizes=(2, 3, 2))
    drawn = cells((2, 3, 2), random.binomial(texts, rates), texts)
    mean, number = pool(drawn, 0.95).mean, totals(drawn, drawn.texts)
    whole = drawn.group[:, -1]
    for index in range(drawn.group.shape[1] - 1):
        inside = np.bincount(drawn.group[:, index], mean[whole] * number[whole])
        assert inside[drawn.group[:, index]] == pytest.approx((mean * number)[drawn.group[:, index]])


def test_a_group_without_texts_is_foretold_and_tells_nobody_anything():
    random = np.random.default_rng(8)
    _, rates, texts = planted(random, 2000, 0.1, sizes=(2, 3, 3))
    full = cells((2, 3, 3), random.binomial(texts, rates), texts)
    kept = np.arange(18) != 5
    listed = cells((2, 3, 3), full.hits * kept, full.texts * kept)
    seen = listed.texts > 0
    unlisted = Cells(listed.codes[seen], lattice(listed.codes[seen]), listed.hits[seen], listed.texts[seen])
    before, one, other = pool(full, 0.95), pool(listed, 0.95), pool(unlisted, 0.95)
    empty = listed.group[5, -1]
    assert one.mean[empty] == one.foretold[empty]
    assert (one.high - one.low)[empty] > (before.high - before.low)[empty]
    assert np.delete(one.mean, empty) == pytest.approx(other.mean, abs=1e-6)
    assert np.delete(one.high, empty) == pytest.approx(other.high, abs=1e-6)


def test_what_cannot_be_pooled_is_refused():
    with pytest.raises(BadInput, match="1 of 2 cells do not have 0 <= hits <= texts"):
        pool(cells((2,), [3, 2], [2, 2]), 0.95)
    with pytest.raises(BadInput, match="1 of 2 cells"):
        pool(cells((2,), [1, np.nan], [2, 2]), 0.95)
    with pytest.raises(BadInput, match="2 groups numbered up to 2: number them from 0 without a gap"):
        pool(Cells(np.array([[0], [1]]), np.array([[0], [2]]), np.ones(2), np.ones(2)), 0.95)


def test_more_effects_than_can_be_estimated_leave_pairs_to_the_cells(monkeypatch):
    """2 + 3 + 3 categories and an intercept fit in 9, their 21 pairs do not; the planted rates are still recovered."""
    random = np.random.default_rng(9)
    mass, rates, texts = planted(random, 5000, 0.0, sizes=(2, 3, 3))
    drawn = cells((2, 3, 3), random.binomial(texts, rates), texts)
    truth = totals(drawn, mass * rates) / totals(drawn, mass)
    for most, order in ((500, 2), (30, 2), (29, 1), (9, 1), (8, 0)):
        monkeypatch.setattr(pooling, "MOST_EFFECTS", most)
        found = pool(drawn, 0.95)
        assert found.order == order
        assert np.abs(found.mean - truth).max() < 0.12
