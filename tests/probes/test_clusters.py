"""Cosmetic debiasing shows: taking out she - he leaves words apart that leaned before, and mixing them up does not."""

import numpy as np
import pytest
from scipy import stats

from stages.probes import clusters, spaces
from stages.probes.base import Base
from stages.probes.word_sets import WordSets

PARAMS = clusters.Params(clustered=60, classified=120, neighbours=20, permutations=200)
WORDS = WordSets(sets={"listed": ("nurse",)})


def names(number: int) -> list[str]:
    return ["w" + "".join("abcdefghij"[int(digit)] for digit in f"{row:04d}") for row in range(number)]


def planted(seed: int = 0, number: int = 600, width: int = 20):
    """she and he, then words that lean along she - he and, as much, along a second direction."""
    rng = np.random.default_rng(seed)
    lean = rng.normal(size=number)
    matrix = 0.3 * rng.normal(size=(number + 2, width))
    matrix[2:, 0] += lean
    matrix[2:, 1] += lean
    matrix[:2] = 0
    matrix[:2, 0] = 2, -2
    return spaces.static(["she", "he", *names(number)], matrix), matrix


def figures(before: spaces.Space, after: spaces.Space) -> dict:
    found = clusters.measure(Base([after], [before], None, lambda *_: []), WORDS, PARAMS, 1)
    return {figure.statistic: figure for _, figure in found}


def changed(before: spaces.Space, matrix) -> spaces.Space:
    return spaces.static(before.frequent, matrix)


def test_cosmetic_debiasing_shows():
    before, matrix = planted()
    cosmetic = matrix.copy()
    cosmetic[2:, 0] = 0
    found = figures(before, changed(before, cosmetic))
    assert found["direct_bias"].value == 0
    for what in ("cluster_accuracy", "classification_accuracy", "neighbour_correlation"):
        assert found[what].value > 0.9
        assert found[what].ci[0] > found[what].null[1]
        assert found[what].p_value < 0.01


def test_nothing_is_told_when_nothing_is_left():
    before, matrix = planted()
    clean = matrix.copy()
    clean[2:, :2] = 0
    found = figures(before, changed(before, clean))
    for what in ("cluster_accuracy", "classification_accuracy", "neighbour_correlation"):
        assert found[what].null[0] <= found[what].value <= found[what].null[1], what
        assert found[what].p_value > 0.02


def test_without_a_debiaser_the_lean_itself_is_found():
    before, _ = planted()
    found = figures(before, before)
    assert found["direct_bias"].value > 0.4
    assert found["cluster_accuracy"].value == pytest.approx(1, abs=0.02)
    assert found["cluster_accuracy"].n == 120
    assert found["classification_accuracy"].n == 192, "four fifths of 240"


def test_p_of_clusters_is_exact_given_their_sizes():
    """As Fisher's test of words by cluster and gender, both tails: here the clusters' sizes are equal, so that it is symmetric."""
    rng = np.random.default_rng(1)
    leaning = clusters.Leaning(np.sort(rng.normal(size=400)), spaces.unit(rng.normal(size=(400, 5))), np.arange(400))
    found = clusters.cluster_accuracy(leaning, PARAMS.model_copy(update={"clustered": 100}), 1)
    vectors, _, feminine = leaning.extreme(100)
    from sklearn.cluster import KMeans

    label = KMeans(2, n_init=10, random_state=1).fit_predict(vectors)
    table = np.array([[np.sum((label == one) & (feminine == other)) for other in (0, 1)] for one in (0, 1)])
    assert found.p_value == pytest.approx(stats.fisher_exact(table).pvalue, rel=1e-9)
    assert found.value == max(table[0, 0] + table[1, 1], table[0, 1] + table[1, 0]) / 200


def test_gendered_words_and_names_are_no_candidates():
    space = spaces.static(["the", "mother", "Adam", "nurse", "u.s.", "waiter"], np.ones((6, 2)))
    assert clusters.candidates(space, WORDS, clusters.Params()) == ["the", "nurse"]
    assert clusters.candidates(spaces.Space("alone", "", "", space.rows), WORDS, clusters.Params()) == ["nurse"]


def test_no_direction_and_few_words_have_a_reason():
    before, matrix = planted()
    without = spaces.static(before.frequent[1:], matrix[1:])
    assert all("no direction" in figure.reason for figure in figures(without, without).values())
    same = changed(before, np.where(np.arange(len(matrix))[:, None] == 1, matrix[0], matrix))
    assert all("no direction" in figure.reason for figure in figures(before, same).values())
    few, _ = planted(number=30)
    assert all("30 words to tell apart" in figure.reason for figure in figures(few, few).values())
