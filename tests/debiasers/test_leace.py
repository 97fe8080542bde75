"""LEACE: no linear classifier sees the classes any more, and no other map that achieves this moves the vectors less."""

import numpy as np
import pytest

from stages.contract.bad_input import BadInput
from stages.debiasers import gendered_words
from stages.debiasers.leace import Params, debias_vectors, eraser
from tests.debiasers.planted import leaning_words


def labelled(classes=2, number=900, width=10, seed=0):
    """Correlated vectors whose classes, of unequal size, have planted means."""
    rng = np.random.default_rng(seed)
    label = np.sort(rng.choice(classes, number, p=np.array([0.5, 0.3, 0.2][:classes]) / sum([0.5, 0.3, 0.2][:classes])))
    mixing = rng.normal(size=(width, width)) * np.logspace(-1, 1, width)
    return 5 + rng.normal(size=(number, width)) @ mixing + 3 * rng.normal(size=(classes, width))[label], label


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("shrinkage", [True, False])
def test_class_means_become_equal_and_a_probe_on_the_same_data_is_at_chance(classes, shrinkage):
    from sklearn.linear_model import LogisticRegression

    vectors, label = labelled(classes)
    erased = eraser(vectors, label, shrinkage).of(vectors)
    means = np.array([erased[label == number].mean(axis=0) for number in range(classes)])
    np.testing.assert_allclose(means, np.broadcast_to(vectors.mean(axis=0), means.shape), atol=1e-5)
    majority = np.bincount(label).max() / len(label)
    before, after = (LogisticRegression(max_iter=5000).fit(x, label).score(x, label) for x in (vectors, erased))
    assert before > majority + 0.2
    assert after == pytest.approx(majority), "it can do no better than always say the largest class"


@pytest.mark.parametrize("classes", [2, 3])
def test_no_map_that_erases_moves_less(classes):
    """P is optimal iff E[(r(x) - x) (N x)'] = 0 for every N with N Cov(x, z) = 0, by which P could still be turned."""
    vectors, label = labelled(classes)
    found = eraser(vectors, label, shrinkage=False)
    centred, one_hot = vectors - vectors.mean(axis=0), np.eye(classes)[label]
    cross = centred.T @ (one_hot - one_hot.mean(axis=0))
    assert np.linalg.matrix_rank(np.eye(10) - found.weight) == classes - 1
    best = np.square(found.of(vectors) - vectors).sum()
    for seed in range(20):
        turned = np.random.default_rng(seed).normal(size=(10, 10)) @ (np.eye(10) - cross @ np.linalg.pinv(cross))
        weight = found.weight + 1e-3 * turned
        np.testing.assert_allclose(weight @ cross, 0, atol=1e-6 * np.abs(cross).max())
        assert np.square(centred @ weight.T - centred).sum() > best


def test_the_map_is_a_projection_that_leaves_the_mean_and_a_second_time_finds_nothing():
    vectors, label = labelled()
    found = eraser(vectors, label, shrinkage=True)
    np.testing.assert_allclose(found.weight @ found.weight, found.weight, atol=1e-9)
    np.testing.assert_allclose(found.of(vectors).mean(axis=0), vectors.mean(axis=0), atol=1e-9)
    with pytest.raises(BadInput, match="the 2 classes have one mean already"):
        eraser(found.of(vectors), label, shrinkage=True)


def test_dimensions_that_never_vary_stay_and_do_no_harm():
    vectors, label = labelled()
    wide = np.hstack([vectors, np.full((len(vectors), 2), 7.0)])
    erased = eraser(wide, label, shrinkage=False).of(wide)
    np.testing.assert_allclose(erased[:, 10:], 7)
    np.testing.assert_allclose(erased[label == 0].mean(axis=0), erased[label == 1].mean(axis=0), atol=1e-6)


def test_words_that_leaned_have_equal_means_afterwards():
    words, matrix = leaning_words()
    params = Params(words_per_class=60)
    vectors, label = gendered_words.examples(words, matrix, 60, 10_000, neutral=False)
    debiased = debias_vectors(words, matrix, {}, params, 0)
    assert debiased.dtype == np.float32
    erased = gendered_examples_of(debiased, matrix, vectors)
    np.testing.assert_allclose(erased[label == 0].mean(axis=0), erased[label == 1].mean(axis=0), atol=1e-5)
    assert debiased.tobytes() == debias_vectors(words, matrix, {}, params, 5).tobytes()


def gendered_examples_of(debiased, matrix, vectors):
    rows = [int(np.flatnonzero((matrix == row).all(axis=1))[0]) for row in vectors.astype(np.float32)]
    return debiased[rows]


def test_one_class_is_refused():
    with pytest.raises(BadInput, match=r"leace: 1 classes of \[20\] examples"):
        eraser(np.random.default_rng(0).normal(size=(20, 3)), np.zeros(20), shrinkage=True)


def test_too_few_words_are_refused():
    words, matrix = leaning_words(100)
    with pytest.raises(BadInput, match="7500 of each class are 15000 words and the base has 102"):
        debias_vectors(words, matrix, {}, Params(), 0)
