"""Rates of one set's groups as they might have come out: binomial shares drawn at any true rates with the same random numbers."""

import numpy as np
from numpy.typing import NDArray
from scipy import special

from stages.metrics.fairness import Sums

# Up to so many texts a group's distribution is tabulated exactly; above, Cornish and Fisher's expansion is as good.
TABULATED = 100


class Binomials:
    """Groups with ``rates`` [groups] in [0, 1] worth ``texts`` [groups] > 0 independent texts (rounded), to be drawn ``draws`` times.

    Draws are a Latin hypercube: each group's quantiles at (i + offset) / draws, with an offset and in an order of its own, which are the
    same at all rates. (With one offset for all, none of a hundred groups would ever be further out than 1 in ``draws``.)
    ``centre`` is everyone's rate with half a text of each outcome added, so that equality at exactly 0 or 1 is never certain.
    """

    def __init__(self, rates: Sums, texts: Sums, draws: int, seed: tuple[int, ...]) -> None:
        self.rates, self.texts, self.draws = rates, np.asarray(texts, dtype=float), draws
        self.whole = np.maximum(1, np.rint(self.texts))
        self.centre = float((rates @ self.texts + 0.5) / (self.texts.sum() + 1))
        random = np.random.default_rng(seed)
        self._offset = random.uniform(1e-9, 1 - 1e-9, (len(rates), 1))
        own = random.permuted(np.broadcast_to(np.arange(draws), (len(rates), draws)), axis=1)
        self._order = own + np.arange(len(rates))[:, None] * draws
        self._few = self.whole <= TABULATED
        self._normal = special.ndtri((np.arange(draws) + self._offset[~self._few]) / draws)
        few = self.whole[self._few, None]
        self._hits = np.arange(few.max() + 1 if few.size else 0)
        with np.errstate(invalid="ignore"):
            ways = special.gammaln(few + 1) - special.gammaln(self._hits + 1) - special.gammaln(few - self._hits + 1)
        self._log_ways = np.where(self._hits <= few, ways, -np.inf)

    def drawn(self, true: Sums) -> Sums:
        """Shares [draws, groups] drawn at true rates [groups]."""
        quantiles = np.empty((len(true), self.draws))
        for where, of in ((self._few, self._tabulated), (~self._few, self._expanded)):
            if where.any():
                quantiles[where] = of(true[where, None], self.whole[where, None])
        return quantiles.take(self._order).T

    def pattern(self, least: float) -> Sums:
        """Each group's own distance [groups] from everyone; where all are equal, the smallest group's path."""
        return self._centred(self.rates) if np.ptp(self.rates) > 1e-9 else self.smallest_up(least)

    def clusters(self, least: float) -> Sums:
        """The two clusters that fit the rates best, as far apart as the extremes are."""
        order = np.argsort(self.rates, kind="stable")
        below, hits = np.cumsum(self.texts[order]), np.cumsum((self.texts * self.rates)[order])
        spread = (hits[:-1] / below[:-1] - hits[-1] / below[-1]) ** 2 * below[:-1] / (below[-1] - below[:-1])
        upper = np.empty(len(order))
        upper[order] = np.arange(len(order)) > spread.argmax()
        return max(float(np.ptp(self.rates)), least) * self._centred(upper)

    def smallest_up(self, least: float) -> Sums:
        """The group with the fewest texts above all others, which are equal."""
        return max(float(np.ptp(self.rates)), least) * self._centred(np.arange(len(self.texts)) == self.texts.argmin())

    def smallest_down(self, least: float) -> Sums:
        """The same group below all others."""
        return -self.smallest_up(least)

    def _centred(self, values: NDArray[np.float64] | NDArray[np.bool_]) -> Sums:
        return values - values @ self.texts / self.texts.sum()

    def _tabulated(self, true: Sums, texts: Sums) -> Sums:
        inside = np.clip(true, 1e-12, 1 - 1e-12)
        probability = np.exp(self._log_ways + self._hits * (np.log(inside) - np.log1p(-inside)) + texts * np.log1p(-inside))
        until = np.ceil(np.cumsum(probability, axis=1) * self.draws - self._offset[self._few]).astype(np.int64)
        until[self._hits >= texts] = self.draws
        times = np.diff(until, axis=1, prepend=0)
        return np.repeat((self._hits / texts).ravel(), times.ravel()).reshape(-1, self.draws)

    def _expanded(self, true: Sums, texts: Sums) -> Sums:
        """texts true + deviation z + (1 - 2 true) (z^2 - 1) / 6 at normal quantiles z, which no parabola may turn back."""
        deviation, skew = np.sqrt(texts * true * (1 - true)), np.where((true > 0) & (true < 1), (1 - 2 * true) / 6, 0)
        hits = skew * self._normal
        hits += deviation
        hits *= self._normal
        hits += texts * true - skew
        for row in np.flatnonzero(deviation < np.abs(self._normal[:, [0, -1]]).max(axis=1, keepdims=True) * 2 * np.abs(skew)):
            vertex = hits[row].argmin() if skew[row] > 0 else hits[row].argmax()
            hits[row, slice(None, vertex) if skew[row] > 0 else slice(vertex, None)] = hits[row, vertex]
        np.rint(hits, out=hits)
        np.clip(hits, 0, texts, out=hits)
        return np.divide(hits, texts, out=hits)
