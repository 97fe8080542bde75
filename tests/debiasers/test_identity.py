"""identity changes nothing."""

import numpy as np

from stages.debiasers.identity import debias_encoder, debias_vectors


def test_vectors_come_back_as_they_are() -> None:
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert debias_vectors(["a", "b"], matrix, {}, None, 0) is matrix


def test_an_encoder_is_left_alone() -> None:
    assert debias_encoder(None, {}, None, 0) is None
