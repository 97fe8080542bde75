"""Binomial draws have SciPy's distribution at every size, and move with the true rates."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from stages.metrics.binomials import Binomials


@pytest.mark.parametrize(
    ("texts", "true", "most"),
    [(1, 0.3, 1e-3), (5, 0.1, 1e-3), (20, 0.9, 1e-3), (100, 0.02, 1e-3), (200, 0.01, 0.01), (1000, 0.3, 0.002), (500, 0.002, 0.03)],
)
def test_draws_are_binomial(texts, true, most):
    drawn = Binomials(np.array([true, 0.5]), np.array([texts, 7.0]), 20000, (1,)).drawn(np.array([true, 0.5]))[:, 0] * texts
    hits = np.arange(texts + 1)
    shares = np.array([(drawn <= hit + 1e-9).mean() for hit in hits])
    assert np.abs(shares - stats.binom.cdf(hits, texts, true)).max() <= most


def test_certain_rates_are_drawn_with_certainty_and_groups_apart():
    groups = Binomials(np.array([0.2, 0.4, 0.5, 0.5]), np.array([5.0, 400, 50, 300]), 1000, (1,))
    drawn = groups.drawn(np.array([0.0, 1.0, 0.5, 0.5]))
    assert (drawn[:, 0] == 0).all()
    assert (drawn[:, 1] == 1).all()
    assert abs(np.corrcoef(drawn[:, 2], drawn[:, 3])[0, 1]) < 0.1


@pytest.mark.parametrize("texts", [8.0, 300.0])
def test_higher_rates_never_draw_lower_shares(texts):
    """Common random numbers, so that a search along true rates meets no noise."""
    groups = Binomials(np.array([0.2, 0.4]), np.array([texts, texts]), 500, (1,))
    steps = [groups.drawn(np.full(2, true)) for true in np.linspace(0.05, 0.95, 10)]
    assert all((later >= earlier).all() for earlier, later in pairwise(steps))


def test_the_two_clusters_are_cut_where_they_fit_and_move_about_everyone():
    groups = Binomials(np.array([0.5, 0.1, 0.12, 0.48, 0.09]), np.array([10.0, 20, 30, 40, 50]), 100, (1,))
    way = groups.clusters(0.01)
    assert way[[0, 3]] == pytest.approx(way[0])
    assert way[[1, 2, 4]] == pytest.approx(way[1])
    assert way[0] - way[1] == pytest.approx(0.41)
    assert way @ groups.texts == pytest.approx(0)


@pytest.mark.parametrize("texts", [20, 200])
def test_the_largest_of_many_groups_reaches_as_far_as_chance_does(texts):
    """A rate that one group in 2,500 shows, and 1 in 25 of a hundred groups: with 500 draws it must not be missed."""
    tail = stats.binom.isf(0.001, texts, 0.1) + 1
    drawn = np.concatenate([Binomials(np.full(100, 0.1), np.full(100, texts), 500, (seed,)).drawn(np.full(100, 0.1)) for seed in range(20)])
    expected = 1 - stats.binom.cdf(tail - 1, texts, 0.1) ** 100
    assert (drawn.max(axis=1) >= tail / texts - 1e-9).mean() == pytest.approx(expected, rel=0.25)
