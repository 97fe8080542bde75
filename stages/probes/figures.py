"""What a probe returns: one figure a row, and why there is none where there is none."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Figure:
    """A row of ``Probes`` but for its probe, vectors and q-value; NaN becomes null. ``lost``: words without a vector, set by set."""

    test: str
    statistic: str
    value: float = np.nan
    ci: tuple[float, float] = (np.nan, np.nan)
    null: tuple[float, float] = (np.nan, np.nan)
    p_value: float = np.nan
    n: int | None = None
    lost: str | None = None
    reason: str | None = None


def p_value(draws: np.ndarray, value: float) -> float:
    """(1 + draws at least as large as ``value``) / (1 + draws); one without a value, or equal but for rounding, is as large."""
    return float((1 + (~(draws < value - 1e-12 * abs(value))).sum()) / (1 + len(draws)))


def middle(draws: np.ndarray, confidence: float) -> tuple[float, float]:
    """The middle ``confidence`` of ``draws``; NaN when more than a twentieth of them have no value."""
    known = draws[~np.isnan(draws)]
    if len(known) < 0.95 * len(draws):
        return np.nan, np.nan
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)
