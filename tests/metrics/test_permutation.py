"""The size-matched null keeps what it must keep, and both ways of dealing demographics draw from the same distribution."""

import numpy as np
import pandas as pd
import pytest

from stages.metrics import permutation
from stages.metrics.contingency import tabulate
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
    for chunk in null_sums(data, SETS, 50, seed=1):
        np.testing.assert_allclose(chunk[:, :, 0], np.broadcast_to(data.sums(SETS)[:, 0], chunk.shape[:2]))
        np.testing.assert_allclose(chunk[:, 0], np.broadcast_to(data.sums(SETS)[0], chunk[:, 0].shape))
        assert chunk[:, 1, 2].std() > 0


def test_moments_are_those_of_sampling_without_replacement():
    """One text an author: selections in a group of n are hypergeometric, n K/N (1 - K/N) (N - n)/(N - 1)."""
    data = table(3000, 1)
    drawn = np.concatenate(list(null_sums(data, SETS, 20_000, seed=2)))
    total, _, selected, _ = data.sums(SETS)[0]
    number, share = data.sums(SETS)[1, 0], selected / total
    assert drawn[:, 1, 2].mean() == pytest.approx(number * share, rel=0.005)
    assert drawn[:, 1, 2].var() == pytest.approx(number * share * (1 - share) * (total - number) / (total - 1), rel=0.04)


def test_shuffled_and_drawn_tables_agree(monkeypatch):
    """The cost rule chooses between two samplers of one distribution: means, variances and a correlation agree."""
    data = table(300, 2)
    samples = []
    for cost in (0, 10**9):
        monkeypatch.setattr(permutation, "HYPERGEOMETRIC_COST", cost)
        samples.append(np.concatenate(list(null_sums(data, SETS, 20_000, seed=3)))[:, [1, 2, 5, 6]].reshape(20_000, -1))
    one, other = samples
    np.testing.assert_allclose(one.mean(axis=0), other.mean(axis=0), rtol=0.01)
    np.testing.assert_allclose(one.std(axis=0)[one.std(axis=0) > 0], other.std(axis=0)[one.std(axis=0) > 0], rtol=0.04)
    assert np.corrcoef(one[:, 2], one[:, 3])[0, 1] == pytest.approx(np.corrcoef(other[:, 2], other[:, 3])[0, 1], abs=0.03)


def test_among_favourable_texts_each_group_keeps_its_own_count_of_them():
    data = favourable_only(table(2000, 1))
    assert data.favourable.all()
    full = table(2000, 1).sums(SETS)
    np.testing.assert_array_equal(data.sums(SETS)[:, 0], full[:, 1])
    drawn = np.concatenate(list(null_sums(data, SETS, 20, seed=1)))
    np.testing.assert_array_equal(drawn[:, :, 1], np.broadcast_to(full[:, 1], drawn.shape[:2]))


def test_the_same_seed_deals_the_same():
    one, other = (np.concatenate(list(null_sums(table(50, 2), SETS, 30, seed=4))) for _ in range(2))
    np.testing.assert_array_equal(one, other)
