"""Intervals of gaps over many groups (max - min, min / max, worst gap, equalised odds, differential fairness) by inverting tests.

Such a gap is largest by chance where groups are many or small, so that percentiles of its bootstrap replicates never reach parity.
An end of these intervals is instead a true gap under which a gap as large (as small) as the one observed has probability alpha / 2.
Rates of a whole set are moved together along paths from equality outwards, and groups are drawn anew at every step: binomials of as
many independent texts as each rate is worth, the same random numbers at each step.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput
from stages.metrics import gaps
from stages.metrics.binomials import Binomials
from stages.metrics.fairness import Sums, ratio
from stages.metrics.intervals import Interval

Of = Callable[[Sums, Sums], Sums]
Kind = tuple[Binomials, Sums]  # a rate of the groups that have it, and how many texts it counts
STEPS = 9  # halvings; fewer would miss how close to 0 or 1 a rate may be
NEAREST = 1e-4  # how far along a path a search begins, one being the range of the observed rates
LEAST_RANGE = 0.01  # where a path starts whose groups all show the same rate
FEW = "no interval: fewer than two groups have this rate"
UNDEFINED = "no interval: the gap itself is undefined"


@dataclass(frozen=True)
class Gap:
    """A gap of one rate over all groups: ``of`` values [..., groups] and texts [groups] gives [...], with ``parity`` at equality.

    ``true`` is the same of rates known exactly, where it differs (smoothing is no part of the truth).
    """

    of: Of
    parity: float = 0.0
    true: Of | None = None


def epsilon(values: Sums, texts: Sums, concentration: float = 1.0) -> Sums:
    """``gaps.differential_fairness`` of decisions [...], from rates [..., groups] and texts [groups]."""
    shares = (values * texts + concentration / 2) / (texts + concentration)
    low, high = gaps.lowest(shares), gaps.highest(shares)
    with np.errstate(divide="ignore", invalid="ignore"):
        # An outcome that nobody has (0 / 0) tells no groups apart.
        return np.log(np.fmax(np.fmax(high / low, (1 - low) / (1 - high)), 1))


def _everyone(values: Sums, texts: Sums) -> Sums:
    measured = ~np.isnan(values)
    return np.where(measured, values, 0) @ texts / (measured @ texts)


# As gaps.py defines them. Equalised odds is MAX_MINUS_MIN of two rates at once, and its ratio MIN_OVER_MAX of two.
MAX_MINUS_MIN = Gap(lambda values, _: gaps.highest(values) - gaps.lowest(values))
MIN_OVER_MAX = Gap(lambda values, _: ratio(gaps.lowest(values), gaps.highest(values)), parity=1.0)
LOWEST_GAP = Gap(lambda values, texts: _everyone(values, texts) - gaps.lowest(values))
HIGHEST_GAP = Gap(lambda values, texts: gaps.highest(values) - _everyone(values, texts))
DIFFERENTIAL_FAIRNESS = Gap(epsilon, true=lambda values, texts: epsilon(values, texts, 0.0))


def intervals(
    gap: Gap,
    rates: Sums,
    texts: Sums,
    starts: NDArray[np.int64],
    confidence: float,
    counted: Sums | None = None,
    draws: int = 500,
    seed: int = 1,
) -> list[Interval]:
    """An interval of the gap of each set, or NaN, NaN and the reason; it holds the observed gap, and parity where nothing speaks against.

    ``rates`` [groups] or [kinds, groups] are one rate or several (TPR and FPR), the gap being the furthest of theirs from parity;
    ``texts`` of the same shape how many independent texts each is worth, rounded to whole ones; ``starts`` [sets + 1] where each set's
    groups begin and end; ``counted``, by default ``texts``, how many texts there are, for the mean of everyone and for smoothing.
    Groups whose rate is NaN take no part. The upper end of differential fairness is infinite where a rate may be 0 or 1.

    Tests are inverted at (1 - ``confidence``) / 2 a side, with p = (1 + draws as far) / (1 + draws); too few draws are BadInput.
    """
    alpha = (1 - confidence) / 2
    if draws < 2 / alpha:
        raise BadInput(f"{draws} draws cannot tell tails of {alpha:.3g}: draw at least {np.ceil(2 / alpha):.0f} times")
    parts = [np.atleast_2d(part) for part in (rates, texts, texts if counted is None else counted)]
    return [_interval(gap, [part[:, start:stop] for part in parts], alpha, draws, seed) for start, stop in pairwise(starts)]


def _interval(gap: Gap, parts: list[Sums], alpha: float, draws: int, seed: int) -> Interval:
    kinds: list[Kind] = []
    for number, (rates, texts, counted) in enumerate(zip(*parts, strict=True)):
        measured = ~np.isnan(rates) & (texts > 0)
        if measured.sum() < 2:
            return np.nan, np.nan, FEW
        kinds.append((Binomials(rates[measured], texts[measured], draws, (seed, number)), counted[measured]))
    observed = float(_distance(gap, kinds, [kind.rates for kind, _ in kinds]))
    if np.isnan(observed):
        return np.nan, np.nan, UNDEFINED
    search = _Search(gap, kinds, observed, alpha)
    low, high = min(search.lower(), observed), max(search.upper(), observed)
    return (low, high, None) if gap.parity == 0 else (gap.parity - high, gap.parity - low, None)


def _distance(gap: Gap, kinds: list[Kind], rates: list[Sums], true: bool = False) -> Sums:
    """How far from parity the furthest kind of rate is [...]; NaN where any is undefined."""
    of = (gap.true if true else None) or gap.of
    return np.maximum.reduce([np.abs(of(values, counted) - gap.parity) for (_, counted), values in zip(kinds, rates, strict=True)])


@dataclass(frozen=True)
class _Search:
    """The ends of one set's interval, as distances from parity.

    A distance is possible, seen from above, when one as large as ``observed`` is drawn with p > ``alpha``; from below, one as small.
    The observed pattern, shrunk or stretched, is one path, but regression to the mean makes it too narrow: alone it let 95 % intervals
    hold the truth in as few as 65 % of studies. So each end takes the wider of it and a path that least favours exclusion: many groups
    at both extremes let chance widen a gap most, hence two clusters, cut where they fit best, for the lower end; one small group out
    lets chance hide a gap, for the upper.
    """

    gap: Gap
    kinds: list[Kind]
    observed: float
    alpha: float

    def lower(self) -> float:
        if self._as_large([np.full(len(kind.texts), kind.centre) for kind, _ in self.kinds]):
            return 0.0
        return self._nearest("pattern", self._nearest("clusters", self.observed))

    def upper(self) -> float:
        found = self.observed
        for name in ("pattern", "smallest_up", "smallest_down"):
            found = self._furthest(name, found)
        return found

    def _nearest(self, name: str, found: float) -> float:
        """The end on a path, or ``found`` where that is nearer to parity."""
        path, out, inside = self._path(name), 0.0, 1.0
        for _ in range(STEPS):
            middle = (out + inside) / 2
            out, inside = (out, middle) if self._as_large(self._at(path, middle)) else (middle, inside)
            if self._true(self._at(path, out)) >= found:
                return found
        return self._true(self._at(path, out))

    def _furthest(self, name: str, found: float) -> float:
        """The end on a path, or ``found`` where that is further from parity."""
        path = self._path(name)
        last = self._reach(path)
        first = self._along(path, found, last)
        if first == last or not self._as_small(self._at(path, first)):
            return found
        if self._as_small(self._at(path, last)):
            return self._true(self._at(path, last))
        for _ in range(STEPS):
            middle = np.sqrt(first * last)
            first, last = (middle, last) if self._as_small(self._at(path, middle)) else (first, middle)
        return self._true(self._at(path, last))

    def _along(self, path: list[Sums], found: float, last: float) -> float:
        """How far along a path the true distance comes to ``found``, which takes no draws to tell; ``last`` where it never does."""
        first = NEAREST
        for _ in range(2 * STEPS):
            middle = np.sqrt(first * last)
            first, last = (middle, last) if self._true(self._at(path, middle)) < found else (first, middle)
        return last

    def _path(self, name: str) -> list[Sums]:
        """The way each kind's groups go from everyone's rate, one step being as far as the observed rates are apart."""
        return [getattr(kind, name)(LEAST_RANGE) for kind, _ in self.kinds]

    def _at(self, path: list[Sums], along: float) -> list[Sums]:
        return [np.clip(kind.centre + along * way, 0, 1) for (kind, _), way in zip(self.kinds, path, strict=True)]

    def _reach(self, path: list[Sums]) -> float:
        """How far along a path its extremes still move: until both are at 0 and 1."""
        ends = [((1 - kind.centre) / way.max(), kind.centre / -way.min()) for (kind, _), way in zip(self.kinds, path, strict=True)]
        return float(max(1.0, *(end for pair in ends for end in pair)))

    def _true(self, rates: list[Sums]) -> float:
        return float(_distance(self.gap, self.kinds, rates, true=True))

    def _as_large(self, rates: list[Sums]) -> bool:
        return self._possible(~(self._drawn(rates) < self.observed - 1e-9))

    def _as_small(self, rates: list[Sums]) -> bool:
        return self._possible(~(self._drawn(rates) > self.observed + 1e-9))

    def _possible(self, counted: NDArray[np.bool_]) -> bool:
        return bool((1 + counted.sum()) / (1 + len(counted)) > self.alpha)

    def _drawn(self, rates: list[Sums]) -> Sums:
        return _distance(self.gap, self.kinds, [kind.drawn(values) for (kind, _), values in zip(self.kinds, rates, strict=True)])
