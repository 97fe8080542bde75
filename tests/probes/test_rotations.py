"""The null is that of whole random rotations, its fast path that of plain ones, and its p-values hold what they promise."""

import numpy as np
import pytest
from scipy import stats

from stages.probes import rotations
from stages.probes.frequent_words import Categories, by_category
from stages.probes.spaces import unit

NEAREST = pytest.mark.parametrize("nearest", ["euclid", "inner_product"])


def planted(seed: int = 0, groups: int = 4, words: int = 400, kinds: int = 5, width: int = 10) -> tuple[np.ndarray, Categories]:
    rng = np.random.default_rng(seed)
    centres = np.stack([unit(rng.normal(size=(30, width)) + rng.normal(size=width)).mean(axis=0) for _ in range(groups)])
    rows = unit(rng.normal(size=(words, width)) + rng.normal(size=width) / 2)
    return centres, by_category([f"w{row}" for row in range(words)], rows, np.sort(np.arange(words) % kinds)[rng.permutation(words)])


def plainly(centres, categories, each, nearest):
    """sigma by its definition, cell by cell; NaN where a cell has too few words."""
    sigma = np.full((len(centres), len(categories.lengths)), np.nan)
    for group, category in np.ndindex(sigma.shape):
        words = categories.rows[categories.of == category]
        if nearest == "euclid":
            own = np.array([np.argmin(np.linalg.norm(word - centres, axis=1)) == group for word in words])
        else:
            own = np.array([np.argmax(centres @ word) == group for word in words])
        apart = centres[group] - centres.mean(axis=0)
        if own.sum() >= each:
            largest = sorted(words[own], key=lambda word: -apart @ word)[:each]
            sigma[group, category] = apart @ (np.mean(largest, axis=0) - words.mean(axis=0))
    return sigma


@NEAREST
def test_scores_are_those_of_the_definition(nearest):
    centres, categories = planted(words=90, groups=6)
    rows, numbers = rotations.chosen(centres, categories, 3, nearest)
    sigma, means = rotations.scores(centres, categories, rows)
    np.testing.assert_allclose(sigma, plainly(centres, categories, 3, nearest), atol=1e-12)
    assert numbers.sum() == len(categories.words)
    assert np.isnan(sigma).any()
    assert ((numbers < 3) == np.isnan(sigma)).all()
    assert (np.isnan(means).any(axis=2) == np.isnan(sigma)).all()


@NEAREST
def test_a_rotation_of_names_is_one_of_words(nearest):
    """The fast path, for the frames that it draws, gives what the definition gives for words turned the other way."""
    centres, categories = planted(words=120)
    turned = rotations.rotated(centres, 3, range(4))
    np.testing.assert_allclose(turned @ turned.transpose(0, 2, 1), np.broadcast_to(centres @ centres.T, (4, 4, 4)), atol=1e-12)
    extended = np.hstack([categories.rows, np.ones((len(categories.rows), 1))]).T
    fast = list(rotations._scores_of(turned, rotations.heights(centres, nearest), categories, extended, 2))
    for found, one in zip(fast, turned, strict=True):
        # The orthogonal matrix that takes the centres to where they were turned.
        left, _, right = np.linalg.svd(one.T @ centres)
        matrix = left @ right
        np.testing.assert_allclose(centres @ matrix.T, one, atol=1e-9)
        words = Categories(categories.words, categories.rows @ matrix, categories.lengths)
        expected = plainly(centres, words, 2, nearest)
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_frames_are_uniform():
    """Of uniform directions in three dimensions each coordinate is uniform on [-1, 1]; of two orthogonal ones, too."""
    turned = rotations.rotated(np.eye(3)[:2], 1, range(2000))
    for row in (0, 1):
        for coordinate in range(3):
            assert stats.kstest(turned[:, row, coordinate], "uniform", (-1, 2)).pvalue > 1e-3


def test_neither_threads_nor_batches_change_a_p_value(monkeypatch):
    centres, categories = planted()
    sigma, _ = rotations.scores(centres, categories, rotations.chosen(centres, categories, 3, "euclid")[0])
    given = sigma, centres, categories, 3, "euclid", 50
    found, counted = rotations.p_values(*given, 7)
    np.testing.assert_array_equal(found, rotations.p_values(*given, 7, threads=3)[0])
    for at_once in (1, 7, 64):
        monkeypatch.setattr(rotations, "AT_ONCE", at_once)
        np.testing.assert_array_equal(found, rotations.p_values(*given, 7)[0])
    assert (rotations.p_values(*given, 8)[0] != found).any()
    assert (found >= 1 / (1 + counted)).all()
    assert counted.max() <= 50


@NEAREST
def test_under_the_null_p_values_are_as_small_as_they_say(nearest):
    """Words turned at random: of the cells that can be tested, a share alpha has p <= alpha."""
    centres, categories = planted(words=200, kinds=2)
    small = []
    for turn in range(80):
        matrix = stats.ortho_group.rvs(10, random_state=np.random.default_rng(turn))
        words = Categories(categories.words, categories.rows @ matrix, categories.lengths)
        sigma, _ = rotations.scores(centres, words, rotations.chosen(centres, words, 2, nearest)[0])
        p = rotations.p_values(sigma, centres, words, 2, nearest, 99, turn + 1000)[0]
        p = p[np.isfinite(p)]
        small.append([np.sum(p <= 0.05), np.sum(p <= 0.2), len(p)])
    *hits, number = np.transpose(small)
    for count, alpha in zip(hits, (0.05, 0.2), strict=True):
        error = np.std(count - alpha * number) * np.sqrt(80) / number.sum()
        assert abs(count.sum() / number.sum() - alpha) < 3 * error + 0.005, "cells of one turn are not independent"


def test_a_category_between_the_groups_is_no_finding():
    """Words that are equally far from all groups are in any turn nearer to one, which leaves others too few: no low score, but none."""
    rng = np.random.default_rng(0)
    centres, rows = 0.6 * np.eye(24)[:3], 0.25 * rng.normal(size=(180, 24))
    rows[:, 10] += 1.5
    categories = by_category([f"w{row}" for row in range(180)], unit(rows), np.zeros(180, dtype=np.int64))
    sigma, _ = rotations.scores(centres, categories, rotations.chosen(centres, categories, 3, "euclid")[0])
    p, counted = rotations.p_values(sigma, centres, categories, 3, "euclid", 499, 1)
    assert (counted < 499).all()
    assert (p > 0.05).all()


def test_what_leans_is_found():
    rng = np.random.default_rng(0)
    centres = 0.6 * np.eye(30)[:3]
    rows = rng.normal(size=(600, 30))
    rows[:15] = 0.1 * rng.normal(size=(15, 30)) + 10 * (centres[1] - centres.mean(axis=0))
    categories = by_category([f"w{row}" for row in range(600)], unit(rows), np.arange(600) // 200)
    rows_of, _ = rotations.chosen(centres, categories, 3, "euclid")
    sigma, _ = rotations.scores(centres, categories, rows_of)
    p, _ = rotations.p_values(sigma, centres, categories, 3, "euclid", 499, 1)
    assert p[1, 0] == 1 / 500
    assert {categories.words[row] for row in rows_of[1, 0]} <= {f"w{row}" for row in range(15)}
    assert (np.delete(p.ravel(), 3) > 0.01).all()
