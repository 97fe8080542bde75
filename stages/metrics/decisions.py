"""How a label or a model's output becomes a decision: 1 = favourable."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray


def cut_of(labels: NDArray[np.float64], threshold: float | Literal["median"]) -> float:
    """The value that decides: a number as it is, or the median of all labels (the NAACL 2022 paper's cut for survey scores)."""
    return float(np.median(labels)) if threshold == "median" else float(threshold)


def decide(values: NDArray[np.float64], cut: float, favourable: Literal["high", "low"]) -> NDArray[np.bool_]:
    """True where a value is favourable: at least the cut, or below it where low values are the favourable ones."""
    high = np.asarray(values) >= cut
    return high if favourable == "high" else ~high
