"""Percentile intervals from bootstrap replicates, and the reason where there is none."""

import numpy as np
from numpy.typing import NDArray

# An interval from replicates that are mostly undefined would describe only the lucky draws.
LEAST_DEFINED = 0.95


def percentile_interval(replicates: NDArray[np.float64], confidence: float) -> tuple[float, float, str | None]:
    """The central ``confidence`` interval of ``replicates`` [number], or NaN, NaN and the reason why none can be estimated."""
    defined = replicates[np.isfinite(replicates)]
    if len(defined) < LEAST_DEFINED * len(replicates):
        return np.nan, np.nan, f"no interval: undefined in {len(replicates) - len(defined)} of {len(replicates)} replicates"
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    if defined.min() == defined.max():
        return np.nan, np.nan, "no interval: all replicates are equal, so too few people or no variation to estimate it from"
    return float(low), float(high), None
