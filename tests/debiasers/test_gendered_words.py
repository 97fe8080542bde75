"""Labelled words: the most leaning to either side, and those that lean least."""

import numpy as np
import pytest

from stages.contract.bad_input import BadInput
from stages.debiasers.gendered_words import FEMININE, MASCULINE, NEUTRAL, examples
from tests.debiasers.planted import leaning_words


def test_classes_are_those_that_lean_most_and_least():
    words, matrix = leaning_words()
    vectors, label = examples(words, matrix, 50, 10_000, neutral=True)
    cosine = vectors @ (matrix[1] - matrix[0]) / np.linalg.norm(vectors, axis=1) / np.linalg.norm(matrix[1] - matrix[0])
    assert np.bincount(label).tolist() == [50, 50, 50]
    assert cosine[label == FEMININE].max() < -0.3
    assert cosine[label == MASCULINE].min() > 0.3
    assert np.abs(cosine[label == NEUTRAL]).max() < 0.3
    assert len(np.unique(vectors, axis=0)) == 150, "no word is in two classes"


def test_only_frequent_words_are_looked_at():
    words, matrix = leaning_words()
    vectors, _ = examples(words, matrix, 50, 102, neutral=False)
    assert {tuple(row) for row in vectors.astype(np.float32)} <= {tuple(row) for row in matrix[:102]}
    with pytest.raises(BadInput, match="150 words and the base has 102"):
        examples(words, matrix, 50, 102, neutral=True)


def test_a_base_without_she_or_he_or_a_handful_of_words_is_refused():
    words, matrix = leaning_words()
    with pytest.raises(BadInput, match="no vector for she and he"):
        examples(["ella", "él", *words[2:]], matrix, 50, 10_000, neutral=False)
    with pytest.raises(BadInput, match="no vector for he,"):
        examples(["she", "él", *words[2:]], matrix, 50, 10_000, neutral=False)
    with pytest.raises(BadInput, match="10 at least"):
        examples(words, matrix, 9, 10_000, neutral=False)
