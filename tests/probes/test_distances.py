"""AMAE, ARMSE, RND, MAC, ECT and RIPA against their definitions word by word, closed forms and scipy."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import cosine

from stages.probes import distances
from stages.probes.spaces import unit

RNG = np.random.default_rng(0)
WORDS, GROUPS = RNG.normal(size=(12, 6)), [RNG.normal(size=(number, 6)) for number in (3, 4, 5)]


def nearness(words=WORDS, groups=GROUPS):
    return np.stack([(unit(words) @ unit(group).T).mean(axis=1) for group in groups], axis=1)


def by_word(word, group):
    return np.mean([1 - cosine(word, term) for term in group])


def test_amae_and_armse_word_by_word():
    pairs = list(combinations(GROUPS, 2))
    apart = [[by_word(word, one) - by_word(word, other) for word in WORDS] for one, other in pairs]
    assert distances.amae(nearness()) == pytest.approx(np.mean([np.mean(np.abs(pair)) for pair in apart]), rel=1e-12)
    assert distances.armse(nearness()) == pytest.approx(np.mean([np.sqrt(np.mean(np.square(pair))) for pair in apart]), rel=1e-12)


def test_rnd_word_by_word():
    one, other = (unit(group).mean(axis=0) for group in GROUPS[:2])
    expected = np.mean([np.linalg.norm(word - one) - np.linalg.norm(word - other) for word in unit(WORDS)])
    lengths = np.array([np.linalg.norm(one), np.linalg.norm(other)])
    assert distances.rnd(nearness(groups=GROUPS[:2]), lengths) == pytest.approx(expected, rel=1e-12)


def test_mac_is_the_mean_cosine_distance_over_terms():
    assert distances.mac(nearness()) == pytest.approx(np.mean([[1 - by_word(word, group) for group in GROUPS] for word in WORDS]))


def test_ect_is_scipys_spearman_with_the_mean_vectors():
    means = [unit(group).mean(axis=0) for group in GROUPS]
    sides = [[1 - cosine(word, mean) for word in WORDS] for mean in means]
    expected = np.mean([stats.spearmanr(one, other).statistic for one, other in combinations(sides, 2)])
    assert distances.ect(nearness()) == pytest.approx(expected, rel=1e-12)


def test_ect_of_ties_has_mid_ranks():
    held = RNG.integers(0, 4, size=(3, 20, 2)).astype(float)
    expected = [stats.spearmanr(one[:, 0], one[:, 1]).statistic for one in held]
    np.testing.assert_allclose(distances.ect(held), expected, rtol=1e-12)


def test_ripa_pair_by_pair():
    first, second = GROUPS[0], GROUPS[1][:3]
    expected = [[word @ (x - y) / np.linalg.norm(x - y) for x, y in zip(first, second, strict=True)] for word in WORDS]
    np.testing.assert_allclose(distances.ripa(WORDS, first, second), expected, rtol=1e-12)


def test_groups_of_the_same_terms_are_at_parity():
    same = nearness(groups=[GROUPS[0], GROUPS[0]])
    assert (distances.amae(same), distances.armse(same), distances.ect(same)) == pytest.approx((0, 0, 1))
    assert distances.rnd(same, np.ones(2)) == 0


def test_opposite_groups_in_closed_form():
    """Words along an axis, groups at its two ends: x is 1 and -1, so that AMAE = ARMSE = 2, MAC = 1, |w - g1| - |w - g2| = -2."""
    words, ends = np.tile([1.0, 0.0], (3, 1)), [np.array([[2.0, 0.0]]), np.array([[-3.0, 0.0]])]
    held = nearness(words, ends)
    assert (distances.amae(held), distances.armse(held), distances.mac(held)) == (2, 2, 1)
    assert distances.rnd(held, np.ones(2)) == -2
    np.testing.assert_array_equal(distances.ripa(words, *ends), np.ones((3, 1)))


def test_replicates_on_leading_axes_are_each_their_own():
    rows = RNG.integers(12, size=(4, 12))
    held = nearness()[rows]
    for statistic in (distances.amae, distances.armse, distances.mac, distances.ect):
        np.testing.assert_allclose(statistic(held), [statistic(part) for part in held], rtol=1e-12)
