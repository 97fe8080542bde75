"""INLP: a projection after which linear probes are at the majority's rate; nothing removed is an error, never a quiet identity."""

import numpy as np
import pytest

from stages.contract.bad_input import BadInput
from stages.debiasers import gendered_words
from stages.debiasers.inlp import Params, debias_vectors, projection
from tests.debiasers.planted import leaning_words


def labelled(number=1200, width=12, shift=2.0, seed=0):
    """Two classes, 3 to 2, that differ along two of the dimensions, and vectors around the origin."""
    rng = np.random.default_rng(seed)
    label = (np.arange(number) % 5 >= 3).astype(int)
    vectors = rng.normal(size=(number, width))
    vectors[:, :2] += shift * np.where(label, 0.6, -0.4)[:, None]
    return vectors, label


@pytest.mark.parametrize("intercept", [True, False])
def test_probes_fall_to_the_majoritys_rate_and_p_is_a_projection(intercept):
    from sklearn.linear_model import LogisticRegression

    vectors, label = labelled()
    found = projection(vectors, label, Params(intercept=intercept), seed=1)
    np.testing.assert_allclose(found @ found, found, atol=1e-12)
    np.testing.assert_array_equal(found, found.T)
    assert 1 <= 12 - round(np.trace(found)) <= 6
    unseen, expected = labelled(seed=9)
    before, after = (LogisticRegression().fit(vectors @ p, label).score(unseen @ p, expected) for p in (np.eye(12), found))
    assert before > 0.85
    assert after == pytest.approx(0.6, abs=0.03)


def test_every_round_takes_more_and_the_last_dimension_is_never_taken_in_silence():
    vectors, label = labelled()
    ranks = [round(np.trace(projection(vectors, label, Params(classifiers=count, least_accuracy=0), seed=1))) for count in (1, 2, 5)]
    assert ranks == [11, 10, 7]
    with pytest.raises(BadInput, match="2 classifiers took out all 2 dimensions"):
        projection(vectors[:, :2], label, Params(least_accuracy=0), seed=1)


def test_nothing_removed_is_said_loudly():
    vectors, label = labelled()
    with pytest.raises(BadInput, match=r"nothing removed: .* must be about more than 1\.000"):
        projection(vectors, label, Params(least_accuracy=1), seed=1)
    with pytest.raises(BadInput, match="nothing removed"):
        projection(*labelled(shift=0.0, seed=3), Params(), seed=1)


@pytest.mark.parametrize("width", [1, 3])
def test_one_class_or_one_dimension_is_refused_before_any_training(width, monkeypatch):
    monkeypatch.setattr("stages.debiasers.inlp._classifier", lambda *_: pytest.fail("trained"))
    label = np.zeros(40) if width == 3 else np.arange(40) % 2
    with pytest.raises(BadInput, match=r"inlp: 1 classes of \[40\]" if width == 3 else "2 or more dimensions"):
        projection(np.random.default_rng(0).normal(size=(40, width)), label, Params(), seed=1)


def test_words_lose_their_leaning_and_the_same_seed_gives_the_same_bytes():
    words, matrix = leaning_words(900)
    params = Params(words_per_class=150, classifiers=3)
    debiased = debias_vectors(words, matrix, {}, params, 4)
    assert debiased.dtype == np.float32
    assert debiased.tobytes() == debias_vectors(words, matrix, {}, params, 4).tobytes()
    assert debiased.tobytes() != debias_vectors(words, matrix, {}, params, 5).tobytes(), "another split into train and development"
    vectors, label = gendered_words.examples(words, matrix, 150, 10_000, neutral=False)
    spread = np.abs(vectors[label == 1].mean(axis=0) - vectors[label == 0].mean(axis=0))
    left = np.abs(debiased[2:].std(axis=0) - matrix[2:].std(axis=0))
    assert spread.argmax() == left.argmax() == 0, "the planted dimension is what went"
    assert debiased[2:, 0].std() < 0.2 * matrix[2:, 0].std()


def test_defaults_are_the_papers():
    params = Params()
    assert (params.classifiers, params.words_per_class, params.frequent, params.neutral, params.intercept) == (
        35,
        7500,
        150_000,
        True,
        False,
    )
