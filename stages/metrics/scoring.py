"""Scores as rows: one number each, with its interval, its own denominators, its planted truth, or why it is undefined."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stages.metrics import fairness, performance
from stages.metrics.comparisons import Bounded, wilson
from stages.metrics.contingency import FAVOURABLE, GROUPS, SELECTED, TEXTS, Contingency
from stages.metrics.intervals import (
    Interval,
    jackknife_interval,
    log_ratio_interval,
    percentile_interval,
)
from stages.metrics.largest_gap import Kinds, largest_gap
from stages.metrics.moments import Moments, of_kinds
from stages.metrics.permutation import Seed, null_sums

Row = dict[str, Any]
Sets = list[tuple[str, ...]]
PAIR = "protected/privileged"
OURS = "crossbias"
# What a ratio divides in each of its two groups; in ADI the numbers of texts cancel.
COUNTED = {"di": (SELECTED, TEXTS), "di_star": (FAVOURABLE, TEXTS), "adi": (SELECTED, FAVOURABLE)}


@dataclass(frozen=True)
class Rules:
    """How numbers are qualified: bootstrap ``replicates`` and ``confidence`` of intervals, ``permutations`` of tests.

    A q-value up to ``level`` is a disparity; with fewer than ``fewest`` people in an own denominator no verdict is given.
    """

    replicates: int
    permutations: int
    confidence: float
    level: float
    fewest: int
    seed: int


@dataclass(frozen=True)
class Cell:
    """Group sums [..., groups, 4] of a cell's data, of their bootstrap replicates and of the population; ``null`` draws permutations."""

    table: Contingency
    sets: Sets
    rules: Rules
    point: NDArray[np.float64]
    replicates: NDArray[np.float64]
    planted: NDArray[np.float64] | None
    null: Callable[[Contingency, Sets, int, Seed], Iterator[NDArray[np.float64]]] = null_sums


def sample(table: Contingency, sets: Sets, rules: Rules, planted: NDArray[np.float64] | None = None) -> Cell:
    """A cell with its bootstrap replicates."""
    replicates = np.concatenate(list(table.replicates(sets, rules.replicates, rules.seed)))
    return Cell(table, sets, rules, table.sums(sets), replicates, planted)


def score_rates(cell: Cell) -> list[Row]:
    """The four rates of everyone and of each group of each set, with Wilson intervals for as many texts as the authors are worth."""
    by_author = cell.table.by_author(cell.sets)
    places = [((), "everyone"), *((chosen, group) for chosen in cell.sets for group in GROUPS)]
    intervals = {metric: _wilson(cell, by_author, metric) for metric in fairness.RATES}
    rows = []
    for index, (attributes, group) in enumerate(places):
        # Who declines to answer is no property of the population, so the unknown group has no planted rates.
        true = None if cell.planted is None or group == "unknown" else fairness.rates(cell.planted[index])
        for metric, (_, denominator) in fairness.rates(cell.point[index]).items():
            if denominator > 0:
                value, low, high = (float(end[index]) for end in intervals[metric])
                scored = row(attributes, group, metric, value, (low, high, None))
            else:
                scored = row(attributes, group, metric, None, (np.nan, np.nan, "nobody to count: the rate's denominator is zero"))
            rows.append(scored | {"n": int(denominator), "planted": None if true is None else finite(true[metric][0])})
    return rows


def _wilson(cell: Cell, by_author: NDArray[np.float64], metric: str) -> Bounded:
    """A rate of every group, everyone first; two texts of a person are as alike in a group as among everyone."""
    own = of_kinds(*fairness.counts(by_author, metric), cell.table.authors)
    everyone = Moments(own.sizes, own.sums[:, :, :1])
    alike = everyone.alike(everyone.value() * (1 - everyone.value()))
    return wilson(own.value(), own.worth(alike), cell.rules.confidence)


def score_gaps(cell: Cell, convention: str, metrics: Sequence[str]) -> list[Row]:
    """The gaps of each set under one convention, ``n_protected`` and ``n_privileged`` being the metric's own denominators."""
    by_author = cell.table.by_author(cell.sets)
    rows = []
    for index, attributes in enumerate(cell.sets):
        at = 1 + len(GROUPS) * index
        pair = cell.point[at], cell.point[at + 1]
        values = fairness.gaps(*pair, cell.point[0], convention)
        true = {}
        if cell.planted is not None and convention == OURS:
            true = fairness.gaps(cell.planted[at], cell.planted[at + 1], cell.planted[0], convention)
        for metric in metrics:
            of_tpr = metric == "fv" and convention == OURS
            if not np.isfinite(values[metric]):
                interval: Interval = (np.nan, np.nan, fairness.reason_for(metric, *pair))
            elif of_tpr:
                three = by_author[:, [0, at, at + 1]]
                interval = largest_gap(Kinds(*fairness.counts(three, "tpr"), cell.table.authors), cell.rules.confidence)
            elif convention == OURS:
                numerator, denominator = COUNTED[metric]
                sides = [(by_author[:, side, numerator], by_author[:, side, denominator]) for side in (at, at + 1)]
                interval = log_ratio_interval((sides[0], sides[1]), cell.table.authors, cell.rules.confidence, denominator == TEXTS)
            else:
                drawn = fairness.gaps(cell.replicates[:, at], cell.replicates[:, at + 1], cell.replicates[:, 0], convention)
                interval = percentile_interval(drawn[metric], cell.rules.confidence)
            counted = FAVOURABLE if of_tpr else TEXTS
            scored = row(attributes, PAIR, metric, values[metric], interval, convention)
            scored |= {"n_protected": int(pair[0][counted]), "n_privileged": int(pair[1][counted])}
            rows.append(scored | {"planted": finite(true.get(metric))})
    return rows


def score_performance(frame: pd.DataFrame, rules: Rules) -> list[Row]:
    """Predictive performance over everyone; ``frame`` has y_true, y_score, y_pred, favourable and author_id a text."""
    favourable, selected = frame["favourable"].to_numpy(), frame["y_pred"].to_numpy() == 1
    data = (frame["y_true"].to_numpy(), frame["y_score"].to_numpy(), favourable, selected)
    point = performance.performance(*data, np.ones((1, len(frame))))
    moved = performance.moved(*data, pd.factorize(frame["author_id"])[0])
    rows = []
    for metric, value in point.items():
        interval: Interval = (np.nan, np.nan, "undefined: the predictions or the labels do not vary")
        if np.isfinite(value[0]):
            parts, effective = moved[metric]
            error, scale = float(np.sqrt(parts @ parts)), performance.SCALES[metric]
            interval = jackknife_interval(float(value[0]), error, effective, rules.confidence, scale)
        rows.append(row((), "everyone", metric, value[0], interval) | {"n": len(frame)})
    return rows


def finite(value: Any) -> float | None:
    """A number as a float, everything that is none as None."""
    return float(value) if value is not None and math.isfinite(value) else None


def row(attributes: tuple[str, ...], group: str, metric: str, value: Any, interval: Interval, convention: str = OURS) -> Row:
    """A score without its denominators."""
    low, high, reason = interval
    place = {"attributes": "+".join(attributes), "order": len(attributes), "group": group, "metric": metric, "convention": convention}
    return place | {"value": finite(value), "ci_low": finite(low), "ci_high": finite(high), "reason": reason}
