"""Does a model lean on some words more than on others as frequent? A stratified permutation test with the interval that belongs to it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

CHUNK = 4_000_000
NO_BAND = "no word beside them is as frequent"
FEW = "too few words for an interval"


@dataclass(frozen=True)
class Permutations:
    """How many permutations, their seed, and the confidence of the interval."""

    draws: int
    seed: int
    confidence: float


def compared(values: np.ndarray, marked: np.ndarray, frequency: np.ndarray, dealt: Permutations) -> dict[str, Any]:
    """Means of ``values`` [words] of marked words and of others, their difference, its interval and p; null where undefined, with reason.

    Words lie in bands of like frequency, band = floor(log2 frequency): each at most twice as frequent as another of its band. Bands
    without a marked or without another word say nothing. difference = sum over bands of (share of marked words in the band) x (mean of
    marked - mean of others); parity 0. Permutation of who is marked inside bands: exact where words of like frequency are
    exchangeable; p is two-sided, twice the smaller tail. The interval holds the shifts that the test does not refuse: for a draw of
    statistic T and with A of its statistic of the marks themselves, a shift d is as far as observed D from (D - T) / (1 - A) on.
    """
    band = np.floor(np.log2(frequency)).astype(np.int64)
    used = [number for number in np.unique(band[marked]) if not marked[band == number].all()]
    inside = np.isin(band, used)
    count = int((marked & inside).sum())
    found: dict[str, Any] = {"terms": count, "others": int((~marked & inside).sum())}
    names = ("identity", "other", "difference", "ci_low", "ci_high", "p_value")
    if not count:
        return found | dict.fromkeys(names) | {"reason": NO_BAND}
    identity, other, drawn = 0.0, 0.0, np.zeros((dealt.draws, 2))
    random = np.random.default_rng(dealt.seed)
    for number in used:
        here = band == number
        share = marked[here].sum() / count
        identity += share * values[here & marked].mean()
        other += share * values[here & ~marked].mean()
        both = np.stack([values[here], marked[here].astype(float)], axis=1)
        drawn += share * _differences(both, int(marked[here].sum()), dealt.draws, random)
    low, high, p_value = _inverted(identity - other, drawn, dealt.confidence)
    means = {"identity": identity, "other": other, "difference": identity - other}
    return found | means | {"ci_low": low, "ci_high": high, "p_value": p_value, "reason": FEW if low is None else None}


def _differences(values: np.ndarray, number: int, draws: int, random: np.random.Generator) -> np.ndarray:
    """Mean of ``number`` rows of ``values`` [words, quantities] drawn, less the mean of the rest: [draws, quantities]."""
    words, total = len(values), values.sum(axis=0)
    found = np.empty((draws, values.shape[1]))
    for start in range(0, draws, step := max(1, CHUNK // words)):
        chosen = random.permuted(np.tile(np.arange(words), (min(step, draws - start), 1)), axis=1)[:, :number]
        inside = values[chosen].sum(axis=1)
        found[start : start + step] = inside / number - (total - inside) / (words - number)
    return found


def _inverted(observed: float, drawn: np.ndarray, confidence: float) -> tuple[float | None, float | None, float]:
    """Both limits, None where draws are too few or too alike to refuse any shift, and the two-sided p-value of no shift."""
    statistic, overlap = drawn.T
    same = overlap > 1 - 1e-9
    shift = np.where(same, 0.0, observed - statistic) / np.where(same, 1.0, 1 - overlap)
    shift[np.abs(shift) < 1e-12] = 0.0
    # The marks themselves count as one more draw, which refuses no shift in either direction.
    lowest, highest = (np.sort(np.append(np.where(same, limit, shift), limit)) for limit in (-np.inf, np.inf))
    p_value = min(1.0, 2 * min((lowest <= 0).mean(), (highest >= 0).mean()))
    outside = int((1 - confidence) / 2 * len(lowest))
    low, high = float(lowest[outside]), float(highest[-1 - outside])
    return (low, high, p_value) if np.isfinite([low, high]).all() else (None, None, p_value)
