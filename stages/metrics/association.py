"""How strongly holding a word, or belonging to a category, goes along with the favourable label: texts that do against all others."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Flags = NDArray[np.bool_]
FEWEST = 10  # people on either side, where several texts are of one person and a normal limit must do


class Association(NamedTuple):
    """``log_odds_ratio`` in (-inf, inf), parity 0, and its interval; ``p_value`` by ``test``; what is NaN or None has a ``reason``."""

    log_odds_ratio: float
    low: float
    high: float
    test: str | None
    p_value: float
    reason: str | None


def associate(held: Flags, favourable: Flags, author: NDArray[np.int64], confidence: float) -> Association:
    """log(a d / (b c)): a texts hold it and are favourable, b not favourable, c and d of the others. All [texts]; authors from 0 on.

    Its variance is the sum over authors of their squared influence, which with one text an author is Woolf's (1955)
    1/a + 1/b + 1/c + 1/d. The test is Fisher's exact one (two-sided) or, where an author wrote several texts, the score test with the
    same sums over authors (Boos 1992), which has a value when a count is 0. NaN where a count is 0; test and interval too where
    texts of fewer than ten such authors hold it or do not.
    """
    a, b = int((held & favourable).sum()), int((held & ~favourable).sum())
    c, d = int((~held & favourable).sum()), int((~held & ~favourable).sum())
    if not (a + b and c + d and a + c and b + d):
        return Association(np.nan, np.nan, np.nan, None, np.nan, "no text holds it" if a + b == 0 else "nothing to compare with")
    alone = np.bincount(author).max() == 1
    people = min(int((np.bincount(author, side) > 0).sum()) for side in (held, ~held))
    few = not alone and people < FEWEST
    p_value = np.nan if few else float(stats.fisher_exact([[a, b], [c, d]]).pvalue if alone else _score(held, favourable, author))
    test = None if few else "fisher" if alone else "score"
    if 0 in (a, b, c, d):
        return Association(np.nan, np.nan, np.nan, test, p_value, _empty(a, b, c))
    value = float(np.log(a) + np.log(d) - np.log(b) - np.log(c))
    if few:
        return Association(value, np.nan, np.nan, None, np.nan, f"texts of {people} people, who wrote several, are too few for a test")
    half = stats.norm.ppf((1 + confidence) / 2) * np.sqrt(_variance(held, favourable, author))
    return Association(value, value - half, value + half, test, p_value, None)


def _empty(a: int, b: int, c: int) -> str:
    side = "favourable" if 0 in (a, c) else "unfavourable"
    return f"no {side} text holds it" if 0 in (a, b) else f"every {side} text holds it"


def _variance(held: Flags, favourable: Flags, author: NDArray[np.int64]) -> float:
    influence = np.zeros(len(held))
    for side, sign in ((held, 1.0), (~held, -1.0)):
        rate = favourable[side].mean()
        influence[side] = sign * (favourable[side] - rate) / (side.sum() * rate * (1 - rate))
    return float(np.sum(np.bincount(author, influence) ** 2))


def _score(held: Flags, favourable: Flags, author: NDArray[np.int64]) -> float:
    sums = np.bincount(author, (held - held.mean()) * (favourable - favourable.mean()))
    spread = np.sqrt(np.sum((sums - sums.mean()) ** 2))
    return float(2 * stats.norm.sf(abs(sums.sum()) / spread)) if spread > 0 else np.nan
