"""The debiaser that changes nothing: what every debiased model is compared with."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stages.contract.params import Section


class Params(Section):
    """No options."""


def debias_vectors(_words: Sequence[str], matrix: NDArray[np.float32], *_: object) -> NDArray[np.float32]:
    """``matrix`` itself."""
    return matrix


def debias_encoder(*_: object) -> None:
    """Leave the encoder's folder as it is."""


def debias_text(*_: object) -> None:
    """Leave the texts as they are."""
