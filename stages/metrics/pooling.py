"""Partial pooling of a rate over the lattice of intersections: a second, labelled estimate for groups too small for their raw rate.

Every cell (people alike on all attributes) lends from the cells that share one or two of its categories, the more so the fewer texts
it has and the less cells differ from what their categories and pairs of categories foretell. Groups of any order are averages of
their cells, so that all of them agree. (Morris 1983; Gelman et al., Bayesian Data Analysis, ch. 5; Ghitza and Gelman 2013.)

What it does not show: a pooled rate is biased towards what other groups show. A small group that is treated unlike everyone looks
better, or worse, than it fares; an interval holds the truth on average over groups, not in the one that stands out. A group without
texts gets a prediction, no finding. So it stands beside the raw rate, labelled, never instead; no gap, test or verdict is made of it.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize, sparse
from scipy.special import betaincinv, expit, logit

from stages.contract.bad_input import BadInput
from stages.metrics.beta_binomial import log_likelihood, slope

Vector = NDArray[np.float64]
# Categories and pairs have effects of their own; whatever needs three attributes or more is a cell's own deviation. Effects of triples
# too cost ten times the time and changed no root mean squared error by more than 0.01 in simulations with such.
HIGHEST_ORDER = 2
# Time grows with the cube of the number of effects: beyond this pairs, or categories too, are left to the cells' own deviations.
MOST_EFFECTS = 500
LEAST = 1e-6  # a foretold rate of exactly 0 or 1 would forbid what may well be seen
STEPS = 200


@dataclass(frozen=True)
class Cells:
    """Hits among the texts of people alike on all attributes; ``codes`` [cells, attributes] are their categories.

    ``group`` [cells, sets] says which group a cell is part of in each set of attributes, groups being numbered from 0 through all sets.
    Counts may be fractions: where authors wrote several texts, multiply ``hits`` and ``texts`` [cells] by the share of their texts that
    is independent (everyone's share, as the two or three people of a cell do not tell theirs) and give the texts as ``weights`` [cells],
    by which cells are averaged (by default ``texts``). Cells without texts may be listed, to have them estimated.
    """

    codes: NDArray[np.integer]
    group: NDArray[np.integer]
    hits: Vector
    texts: Vector
    weights: Vector | None = None


@dataclass(frozen=True)
class Pooled:
    """Pooled rates: ``mean`` [groups] in (0, 1) and in [``low``, ``high``]; ``foretold`` is what categories and pairs alone would give.

    ``strength``: how many texts of its own weigh as much in a cell as what is foretold; large where cells do not deviate from that.
    ``order``: how many attributes effects may have; 2, or fewer where ``pool`` says so.
    """

    mean: Vector
    low: Vector
    high: Vector
    foretold: Vector
    strength: float
    order: int


def pool(cells: Cells, confidence: float) -> Pooled:
    """Pooled rates of all groups of the lattice.

    The rate of cell c is p ~ Beta(s m, s (1 - m)), its hits are binomial, and logit m = intercept + the effects of c's categories and,
    from three attributes on, of their pairs (two: categories; one: intercept alone). Where that makes more than 500 effects, the highest
    order is left to the cells' deviations. Effects of order j are Normal(0, t_j^2) and integrated out by Laplace's method. Spreads t_j in
    [0.007, 7.4] and strength s in [1, 60,000] have the highest posterior density under Rayleigh priors, of scale 1 for t_j and 1/2 for
    (s + 1)^-1/2, the relative standard deviation of cells: these keep all of them from 0, where intervals would be too narrow, with two
    groups or no excess variation (Chung et al. 2013). A cell's rate is then Beta(s m + hits, s (1 - m) + misses). The variance of a
    group adds up that of its cells, of the effects (Kass and Steffey 1989), and of which cells its texts happened to be in; a Beta of
    that mean and variance gives the central interval. Cells of a group without weight count equally. All is NaN where no cell has
    texts. BadInput: impossible counts, or groups numbered with gaps.
    """
    _check(cells)
    design, order = _design(cells.codes)
    if cells.texts.sum() == 0:
        nothing = np.full(int(cells.group.max(initial=-1)) + 1, np.nan)
        return Pooled(nothing, nothing, nothing, nothing, np.nan, int(order.max()))
    seen = cells.texts > 0
    model = _Model(design[seen], order, cells.hits[seen], cells.texts[seen])
    strength = model.fit()
    foretold = np.clip(expit(design @ model.effects), LEAST, 1 - LEAST)
    worth = strength + cells.texts
    rates = (strength * foretold + cells.hits) / worth
    groups = _groups(cells)
    mean = groups @ rates
    # Cells' own; which cells the texts are in; effects, by the delta method: slopes H^-1 slopes', H = factor factor'.
    variance = groups.power(2) @ (rates * (1 - rates) / (worth + 1))
    variance += np.maximum(groups @ rates**2 - mean**2, 0) / ((groups > 0) @ cells.texts + 1)
    slopes = groups @ (design * (strength / worth * foretold * (1 - foretold))[:, None])
    variance += (linalg.solve_triangular(model.factor, slopes.T.toarray(), lower=True, check_finite=False) ** 2).sum(axis=0)
    return Pooled(mean, *_interval(mean, variance, confidence), groups @ foretold, strength, model.orders)


class _Model:
    """The effects' posterior mode given spreads and strength, and the evidence for these."""

    def __init__(self, design: sparse.csr_array, order: NDArray[np.int64], hits: Vector, texts: Vector) -> None:
        self.design, self.order, self.hits, self.texts = design, order, hits, texts
        self.orders = int(order.max())
        self.effects = np.zeros(len(order))
        self.effects[0] = logit((hits.sum() + 0.5) / (texts.sum() + 1))
        self.factor = np.eye(len(order))

    def fit(self) -> float:
        """Find spreads and strength, leave the effects' mode and the Cholesky factor of their precision, and return the strength."""
        start = np.log([*[0.3, 0.2][: self.orders], 50.0])
        bounds = [(-5, 2)] * self.orders + [(0, 11)]
        options = {"ftol": 1e-7, "gtol": 0.05, "eps": 1e-3}
        found = optimize.minimize(lambda logs: -self._evidence(logs), start, method="L-BFGS-B", bounds=bounds, options=options)
        self._evidence(found.x)
        return float(np.exp(found.x[-1]))

    def _evidence(self, logs: Vector) -> float:
        spreads, strength = np.exp(logs[:-1]), float(np.exp(logs[-1]))
        # The intercept's own spread of 5 on the logit scale only keeps a rate without any hit from running away.
        precision = np.r_[1 / 25, spreads**-2.0][self.order]
        mean = self._mode(precision, strength)
        laplace = (np.log(precision) - precision * self.effects**2).sum() / 2 - np.log(np.diag(self.factor)).sum()
        deviation = (strength + 1) ** -0.5
        priors = (np.log(spreads) - spreads**2 / 2).sum() + np.log(deviation) - 2 * deviation**2
        return float(log_likelihood(self.hits, self.texts, mean, strength).sum() + laplace + priors)

    def _mode(self, precision: Vector, strength: float) -> Vector:
        """Newton's method, in shorter steps once it has turned back; returns the foretold rates [cells]."""
        damping, last = 1.0, np.zeros(len(precision))
        for _ in range(STEPS):
            mean = np.clip(expit(self.design @ self.effects), LEAST, 1 - LEAST)
            gradient, information = slope(self.hits, self.texts, mean, strength)
            hessian = (self.design.T @ (self.design * information[:, None])).toarray() + np.diag(precision)
            self.factor = linalg.cholesky(hessian, lower=True, check_finite=False)
            step = linalg.cho_solve((self.factor, True), self.design.T @ gradient - precision * self.effects, check_finite=False)
            furthest = float(np.abs(step).max())
            if furthest < 1e-5:
                self.effects = self.effects + step
                return mean
            damping = damping / 2 if step @ last < -0.5 * (last @ last) else damping
            last = step * min(damping, 2 / furthest)
            self.effects = self.effects + last
        raise ArithmeticError(f"pooling: effects do not settle in {STEPS} steps")


def _check(cells: Cells) -> None:
    impossible = ~((cells.hits >= 0) & (cells.hits <= cells.texts) & np.isfinite(cells.texts))
    if impossible.any():
        raise BadInput(f"pooling: {impossible.sum()} of {len(impossible)} cells do not have 0 <= hits <= texts: mend these counts")
    named, numbers = len(np.unique(cells.group)), int(cells.group.max(initial=-1)) + 1
    if named != numbers:
        raise BadInput(f"pooling: the cells are in {named} groups numbered up to {numbers - 1}: number them from 0 without a gap")


def _design(codes: NDArray[np.integer]) -> tuple[sparse.csr_array, NDArray[np.int64]]:
    """Which effects each cell has [cells, effects], and their order [effects]: 0 for the intercept."""
    number, attributes = codes.shape
    blocks, order = [np.zeros(number, dtype=np.int64)], [0]
    for size in range(1, min(HIGHEST_ORDER, attributes - 1) + 1):
        found = [np.unique(codes[:, chosen], axis=0, return_inverse=True)[1].ravel() for chosen in combinations(range(attributes), size)]
        starts = np.cumsum([len(order), *(place.max() + 1 for place in found)])
        if starts[-1] > MOST_EFFECTS:
            break
        blocks += [place + start for place, start in zip(found, starts, strict=False)]
        order += [size] * int(starts[-1] - starts[0])
    columns = np.stack(blocks, axis=1)
    rows = np.repeat(np.arange(number), len(blocks))
    return sparse.csr_array((np.ones(columns.size), (rows, columns.ravel())), shape=(number, len(order))), np.array(order)


def _groups(cells: Cells) -> sparse.csr_array:
    """The share of each cell in each group [groups, cells]."""
    weights = cells.texts if cells.weights is None else cells.weights
    number, sets = cells.group.shape
    place = cells.group.ravel()
    total = np.bincount(place, np.repeat(weights, sets))
    share = np.where(total[place] > 0, np.repeat(weights, sets), 1.0)
    share /= np.bincount(place, share)[place]
    return sparse.csr_array((share, (place, np.repeat(np.arange(number), sets))), shape=(len(total), number))


def _interval(mean: Vector, variance: Vector, confidence: float) -> tuple[Vector, Vector]:
    """The central interval of a Beta of this mean and variance, worth one text or more, as less would be wider than not knowing."""
    worth = np.maximum(mean * (1 - mean) / variance - 1, 1)
    low, high = (betaincinv(worth * mean, worth * (1 - mean), (1 + sign * confidence) / 2) for sign in (-1, 1))
    # The mean of a very skewed Beta may lie outside its central interval.
    return np.minimum(low, mean), np.maximum(high, mean)
