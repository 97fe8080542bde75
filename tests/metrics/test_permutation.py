"""The size-matched null keeps what it must keep, and both ways of dealing demographics draw from the same distribution."""

import numpy as np
import pandas as pd
import pytest

from stages.metrics import permutation
from stages.metrics.contingency import sides, tabulate
from stages.metrics.permutation import favourable_only, null_sums

SETS = [("gender",), ("gender", "race")]


def table(people: int, texts: int, seed: int = 0):
    """Outcomes that go together within an author, demographics that have nothing to do with them, some unknown."""
    random = np.random.default_rng(seed)
    author = np.repeat(np.arange(people), texts)
    status = pd.DataFrame(
        {name: random.choice(["protected", "privileged", None], people, p=[0.3, 0.6, 0.1])[author] for name in ("gender", "race")}
    )
    leaning = random.random(people)[author]
    label = random.random(len(author)) < leaning
    return tabulate(status, label, random.random(len(author)) < (leaning + label) / 2, author)


@pytest.mark.parametrize(("people", "texts"), [(40, 3), (4000, 1)])
def test_sizes_and_outcomes_stay_as_they_are(people, texts):
    """Group sizes in texts and the outcomes of everyone are margins; what moves is who has which outcome."""
    data = table(people, texts)
    own = data.clustered(SETS)
    np.testing.assert_allclose(own[:, :4], sides(data.sums(SETS), axis=0))
    for chunk in null_sums(data, SETS, 50, seed=1):
        np.testing.assert_allclose(chunk[:, :, 0], np.broadcast_to(own[:, 0], chunk.shape[:2]))
        np.testing.assert_allclose(chunk[:, 0], np.broadcast_to(own[0], chunk[:, 0].shape))
        assert chunk[:, 1, 2].std() > 0


def test_moments_are_those_of_sampling_without_replacement():
    """One text an author: selections in a group of n are hypergeometric, n K/N (1 - K/N) (N - n)/(N - 1)."""
    data = table(3000, 1)
    drawn = np.concatenate(list(null_sums(data, SETS, 20_000, seed=2)))
    total, _, selected, _ = data.sums(SETS)[0]
    number, share = data.sums(SETS)[1, 0], selected / total
    assert drawn[:, 1, 2].mean() == pytest.approx(number * share, rel=0.005)
    assert drawn[:, 1, 2].var() == pytest.approx(number * share * (1 - share) * (total - number) / (total - 1), rel=0.04)


@pytest.mark.parametrize(("people", "texts"), [(300, 2), (2400, 1)])
def test_the_samplers_of_one_distribution_agree(monkeypatch, people, texts):
    """What a deal costs chooses the sampler: means, variances and a correlation agree whichever it is."""
    data = table(people, texts)
    samples = []
    for cost, many in ((0, 1), (10**9, 10**9), (10**9, 100)):  # cell by cell, shuffled, turned circles
        monkeypatch.setattr(permutation, "CELL_COST", cost)
        monkeypatch.setattr(permutation, "MANY", many)
        samples.append(np.concatenate(list(null_sums(data, SETS, 12_000, seed=3)))[:, 1:5, :4].reshape(12_000, -1))
    for other in samples[1:]:
        one = samples[0]
        np.testing.assert_allclose(one.mean(axis=0), other.mean(axis=0), rtol=0.01)
        np.testing.assert_allclose(one.std(axis=0)[one.std(axis=0) > 0], other.std(axis=0)[one.std(axis=0) > 0], rtol=0.05)
        assert np.corrcoef(one[:, 2], one[:, 3])[0, 1] == pytest.approx(np.corrcoef(other[:, 2], other[:, 3])[0, 1], abs=0.03)


def test_turned_circles_are_the_same_by_transform_and_one_by_one(monkeypatch):
    """Every deal keeps all margins, and the fast Fourier transform gives the whole numbers that adding up does."""
    data = table(600, 3)
    _, outcomes, blocks = permutation.blocks_of(data)
    status, kind = (np.repeat(index.ravel(), blocks.ravel()) for index in np.indices(blocks.shape))
    ways = []
    for cost in (0, 10**9):
        monkeypatch.setattr(permutation, "FOURIER_COST", cost)
        ways.append(permutation._shifted(status, outcomes[kind], len(blocks), 50, np.random.default_rng(5)))
    np.testing.assert_array_equal(*ways)
    np.testing.assert_array_equal(ways[0].sum(axis=1), np.broadcast_to(blocks.sum(axis=0) @ outcomes, (50, 4)))


def test_among_favourable_texts_each_group_keeps_its_own_count_of_them():
    data = favourable_only(table(2000, 1))
    assert data.favourable.all()
    full = sides(table(2000, 1).sums(SETS), axis=0)
    np.testing.assert_array_equal(sides(data.sums(SETS), axis=0)[:, 0], full[:, 1])
    drawn = np.concatenate(list(null_sums(data, SETS, 20, seed=1)))
    np.testing.assert_array_equal(drawn[:, :, 1], np.broadcast_to(full[:, 1], drawn.shape[:2]))


def test_the_same_seed_deals_the_same():
    one, other = (np.concatenate(list(null_sums(table(50, 2), SETS, 30, seed=4))) for _ in range(2))
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("people", [60, 3000])
def test_people_one_by_one_are_dealt_like_tables_of_them(people):
    """Outcomes that are numbers keep their total and the moments of sampling without replacement."""
    random = np.random.default_rng(7)
    status, outcomes = random.integers(0, 3, people), np.stack([random.normal(size=people), np.ones(people)], axis=1)
    drawn = np.concatenate(list(permutation.deal_people(status, outcomes, 3, 4000, seed=8)))
    np.testing.assert_allclose(drawn.sum(axis=1), np.broadcast_to(outcomes.sum(axis=0), (4000, 2)), atol=1e-8)
    number = np.bincount(status)
    np.testing.assert_allclose(drawn[:, :, 1], np.broadcast_to(number, (4000, 3)), atol=1e-8)
    spread = number * (people - number) / (people - 1) * outcomes[:, 0].var()
    np.testing.assert_allclose(drawn[:, :, 0].var(axis=0), spread, rtol=0.08)
