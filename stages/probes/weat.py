"""Word Embedding Association Tests: are some people's words nearer to one set of words than other people's are?

Caliskan, Bryson and Narayanan 2017, doi:10.1126/science.aal4230.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy import special

from stages.contract.bad_input import BadInput
from stages.contract.params import Name, Section
from stages.probes import partitions
from stages.probes.base import Base
from stages.probes.figures import Figure, middle
from stages.probes.spaces import Space, Vectors, gathered, unit
from stages.probes.word_sets import WordSets


class Params(Section):
    """``only``: which tests of the word sets (None: all). ``draws``: partitions behind the null interval, and p over 40 words."""

    only: tuple[Name, ...] | None = None
    draws: int = Field(default=100_000, ge=1000)
    confidence: float = Field(default=0.95, gt=0, lt=1)


Numbers = NDArray[np.float64]


def measure(base: Base, words: WordSets, params: Params, seed: int) -> Iterator[tuple[Space, Figure]]:
    """Effect sizes and S of each test in each of the base's spaces."""
    for space in base.spaces:
        for name, named in tests_of(words, params.only).items():
            sets, lost = gathered(space, named)
            for figure in figures(name, sets, lost, params, seed):
                yield space, figure


def tests_of(words: WordSets, only: tuple[str, ...] | None) -> dict[str, dict[str, tuple[str, ...]]]:
    """The words x, y, a and b of each test asked for; BadInput: there is no such test."""
    unknown = sorted(set(only or ()) - set(words.tests))
    if unknown:
        raise BadInput(f"params.yaml: probe: {unknown[0]!r} is no test of the word sets; there are {', '.join(words.tests)}.")
    return {name: {part: words.sets[held] for part, held in words.tests[name].model_dump().items()} for name in only or words.tests}


def associations(targets: Vectors, a: Vectors, b: Vectors) -> Numbers:
    """s(w, A, B) = mean over A of cos(w, a) - mean over B of cos(w, b), in [-2, 2], for each row of ``targets``; 0: as near to both."""
    found: Numbers = unit(targets) @ (unit(a).mean(axis=0) - unit(b).mean(axis=0))
    return found


def statistic(x: Numbers, y: Numbers) -> float:
    """S = sum of s over X - sum of s over Y, of equally many; 0 is parity."""
    return float(x.sum() - y.sum())


def effect_size(x: Numbers, y: Numbers, ddof: Literal[0, 1] = 1) -> float:
    """d = (mean of s over X - mean over Y) / SD of s over both; 0 is parity.

    The SD divides by n - ``ddof``: 1 as in the paper and in sent-bias, 0 as in WEFE, whose d is larger by sqrt(n / (n - 1)) and within
    [-2, 2] for sets of one size. NaN where all s are equal.
    """
    both = np.concatenate([x, y])
    spread = np.std(both, ddof=ddof) if np.ptp(both) > 1e-12 * np.abs(both).max() else np.nan
    return float((x.mean() - y.mean()) / spread)


def interval(x: Numbers, y: Numbers, confidence: float) -> tuple[float, float]:
    """Where d would lie over all words of these kinds, if x and y are samples of normal s with one variance.

    Student's t of x and y has a noncentral t distribution about delta sqrt(m n / (m + n)), delta = (mean - mean) / sigma; over all words
    d is delta / sqrt(1 + delta^2 m n / (m + n)^2). NaN for one word each, or without any spread inside the sets.
    """
    m, n = len(x), len(y)
    inside = np.square(x - x.mean()).sum() + np.square(y - y.mean()).sum()
    freedom = m + n - 2
    if freedom < 1 or inside <= 1e-24 * np.square(np.concatenate([x, y])).sum():
        return np.nan, np.nan
    scale = np.sqrt(m * n / (m + n))
    student = (x.mean() - y.mean()) * scale / np.sqrt(inside / freedom)
    ends = special.nctdtrinc(freedom, np.array([1 + confidence, 1 - confidence]) / 2, student) / scale
    low, high = ends / np.sqrt(1 + ends**2 * m * n / (m + n) ** 2)
    return float(low), float(high)


def figures(name: str, sets: Mapping[str, Vectors], lost: str | None, params: Params, seed: int) -> Iterator[Figure]:
    """d (ddof 1, with interval), d (ddof 0) and S of one test, with p and the null of sets of these sizes."""
    empty = [part for part in "xyab" if not len(sets[part])]
    if empty:
        reason = f"none of the words of {' and '.join(empty)} has a vector"
        yield from (Figure(name, what, lost=lost, reason=reason) for what in ("effect_size", "effect_size_population", "s"))
        return
    x, y = (associations(sets[part], sets["a"], sets["b"]) for part in "xy")
    number, both = len(x) + len(y), np.concatenate([x, y])
    p = partitions.p_value(x, y, params.draws, seed)
    null = np.array(middle(partitions.drawn(x, y, params.draws, seed), params.confidence))
    common: dict[str, Any] = {"n": number, "lost": lost}
    kinds: tuple[tuple[str, Literal[0, 1]], ...] = (("effect_size", 1), ("effect_size_population", 0))
    for what, ddof in kinds:
        value = effect_size(x, y, ddof)
        if np.isnan(value):
            yield Figure(name, what, reason="all targets have the same association, so that there is no spread to divide by", **common)
            continue
        low, high = null / np.std(both, ddof=ddof)
        ci = interval(x, y, params.confidence) if ddof else (np.nan, np.nan)
        yield Figure(name, what, value, ci, (low, high), p, **common)
    if len(x) != len(y):
        yield Figure(name, "s", reason=f"S compares sums over equally many words, and {len(x)} and {len(y)} have vectors", **common)
    else:
        low, high = null * len(x)
        yield Figure(name, "s", statistic(x, y), null=(low, high), p_value=p, **common)
