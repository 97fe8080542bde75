"""Two revisions of a cell on the people they share: is a figure better, worse, or may the change be chance?

The same people are resampled for both sides, whole authors with all their texts (the paired bootstrap), and for the test the two sides
exchange all decisions and scores on an author with probability 1/2. What is compared is two sets of fitted models on people like these.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from stages.metrics.class_report import class_figures
from stages.metrics.effects import exchange_p
from stages.metrics.intervals import Interval, percentile_interval
from stages.metrics.paired_gaps import Figure, Gaps
from stages.metrics.performance import performance
from stages.metrics.resampling import coins, weights
from stages.metrics.scoring import OURS, Sets, finite
from stages.metrics.shared_documents import Shared
from stages.metrics.testing import benjamini_hochberg

Numbers = NDArray[np.float64]
Found = dict[Figure, tuple[Numbers, Numbers]]
BETTER, WORSE, NO_EVIDENCE, NOT_COMPARABLE = "better", "worse", "no evidence", "not comparable"
PERFORMANCE = "performance"
AT_ONCE = 200  # draws, each with the figures of all groups
SAME = "the same in both"
ROUNDING = 1e-12  # a difference this small is none


@dataclass(frozen=True)
class Rules:
    """How often people are drawn and exchanged, and what a verdict needs: q up to ``level``, ``fewest`` people in the smaller group."""

    draws: int = 2000
    confidence: float = 0.95
    level: float = 0.05
    fewest: int = 10
    seed: int = 9


def compare(shared: Shared, sets: Sets, conventions: tuple[str, ...], rules: Rules) -> pd.DataFrame:
    """A row a figure: both values, ``difference``, its interval and p, or the ``reason`` why there is none.

    performance: value of the second less the first, by accuracy, F1, AUC, mse, Pearson r, and precision, recall and F1 of both classes.
    Gaps: distance from parity of the second less that of the first, |log| of ratios and |value| of differences, so that more is worse.
    p is two-sided, (1 + draws as far) / (1 + draws), NaN where no exchange changes the figure; without ``sets`` there is performance alone.
    ``worsening`` is the difference with the sign that makes more worse, which verdicts go by. q and verdict: see ``judged``.
    """
    parts: list[tuple[_Side, dict[Figure, str]]] = [(_Performance(shared), {})]
    if sets:
        found = Gaps(shared, sets, conventions)
        parts.append((found, found.untested(rules.fewest)))
    rows = [row for part, untested in parts for row in _rows(part, untested, int(shared.authors.max()) + 1, rules)]
    return pd.DataFrame(rows)


def judged(rows: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """The rows of all cells of a comparison with ``q_value`` and ``verdict``.

    q: Benjamini and Hochberg's over all cells, sets and metrics of a family (performance; gaps of protected and privileged, each
    convention its own; gaps over all groups), so that where nothing differs a family has any verdict with probability ``level`` at most.
    better, worse: q <= level and the interval on one side of 0. A row with a verdict already, not comparable, keeps it.
    """
    rows = rows.assign(q_value=np.nan)
    for _, family in rows.groupby("family"):
        rows.loc[family.index, "q_value"] = benjamini_hochberg(family["p_value"].to_numpy(dtype=float))
    sign = np.sign(rows["worsening"].astype(float))
    apart = (rows["ci_low"].astype(float) > 0) | (rows["ci_high"].astype(float) < 0)
    told = (rows["q_value"] <= rules.level) & apart
    verdicts = np.select([told & (sign > 0), told & (sign < 0)], [WORSE, BETTER], NO_EVIDENCE)
    rows["verdict"] = np.where(rows["verdict"].eq(NOT_COMPARABLE), NOT_COMPARABLE, verdicts)
    return rows


class _Performance:
    """How well both sides predict over everyone; a distance is the value with the sign that makes more worse."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.both = [np.concatenate([part, part]) for part in (shared.true, shared.favourable)]

    def drawn(self, weights: Numbers, side: int) -> Found:
        shared = self.shared
        data = (shared.true, shared.scores[side], shared.favourable, shared.selected[side])
        return _performance(*data, weights[:, shared.authors])

    def swapped(self, coins: Numbers) -> list[Found]:
        true, favourable = self.both
        data = (true, np.concatenate(self.shared.scores), favourable, np.concatenate(self.shared.selected))
        given = coins[:, self.shared.authors]
        sides = (np.hstack([1 - given, given]), np.hstack([given, 1 - given]))
        return [_performance(*data, weights) for weights in sides]


_Side = _Performance | Gaps


def _performance(true: Numbers, score: Numbers, favourable: NDArray[np.bool_], selected: NDArray[np.bool_], weights: Numbers) -> Found:
    cells = np.stack([favourable & selected, favourable & ~selected, ~favourable & selected, ~favourable & ~selected], axis=1)
    found = performance(true, score, favourable, selected, weights) | class_figures(weights @ cells.astype(float))
    return {
        Figure("", 0, "everyone", metric, OURS, PERFORMANCE): (value, value if metric == "mse" else -value)
        for metric, value in found.items()
    }


def _rows(part: "_Side", untested: dict[Figure, str], authors: int, rules: Rules) -> Iterator[dict[str, Any]]:
    point = [part.drawn(np.ones((1, authors)), side) for side in (0, 1)]
    streams = np.random.SeedSequence(rules.seed).spawn(2)
    drawn = _collected(
        weights(authors, rules.draws, np.random.default_rng(streams[0]), AT_ONCE), lambda w: [part.drawn(w, side) for side in (0, 1)]
    )
    swapped = _collected(coins(authors, rules.draws, np.random.default_rng(streams[1]), AT_ONCE), part.swapped)
    for figure, (value, distance) in point[0].items():
        values = float(value[0]), float(point[1][figure][0][0])
        apart = float(distance[0]), float(point[1][figure][1][0])
        tested = _tested(apart, drawn[figure], swapped[figure], rules, untested.get(figure), figure.family != PERFORMANCE)
        worsening, flipped = apart[1] - apart[0], figure.family == PERFORMANCE and figure.metric != "mse"
        if flipped:
            tested |= {"ci_low": _less(tested["ci_high"]), "ci_high": _less(tested["ci_low"])}
        difference = None if np.isnan(worsening) else (-worsening if flipped else worsening)
        named = figure._asdict() | {"value_a": finite(values[0]), "value_b": finite(values[1]), "difference": difference}
        yield named | {"worsening": finite(worsening)} | tested


def _tested(
    apart: tuple[float, float], drawn: Numbers, swapped: Numbers, rules: Rules, untested: str | None, from_parity: bool
) -> dict[str, Any]:
    """Interval and p of the worsening of distances ``apart``, from replicates [sides, draws], or why there is none."""
    found: dict[str, Any] = {"ci_low": None, "ci_high": None, "p_value": None, "reason": None, "verdict": None}
    if np.isnan(apart).any():
        lost = " and ".join(name for name, value in zip("AB", apart, strict=True) if np.isnan(value))
        return found | {"reason": f"undefined in {lost}: nobody to count, or a denominator is 0", "verdict": NOT_COMPARABLE}
    if untested is not None:
        return found | {"reason": untested}
    worsening, exchanged = apart[1] - apart[0], swapped[1] - swapped[0]
    if abs(worsening) < ROUNDING and np.nanmax(np.abs(exchanged), initial=0) < ROUNDING:
        return found | {"ci_low": 0.0, "ci_high": 0.0, "reason": SAME}
    low, high, reason = interval(apart, drawn, rules.confidence, from_parity)
    return found | {"ci_low": finite(low), "ci_high": finite(high), "p_value": exchange_p(worsening, exchanged), "reason": reason}


def interval(apart: tuple[float, float], drawn: Numbers, confidence: float, from_parity: bool) -> Interval:
    """An interval of the second distance less the first, from bootstrap replicates [sides, draws] of both; NaN, NaN and the reason.

    z standard deviations of the replicates' differences about the observed one. A distance ``from_parity`` is too large by noise where
    the truth is near parity: there by e, and replicates, which have the noise twice, by (sqrt 2 - 1) e more. The end that this could hide
    is moved by e as the replicates show it, which is nothing for gaps far from parity: without it 86 to 89 % of intervals held a change
    from parity to a gap (docs/compare.md).
    """
    difference = drawn[1] - drawn[0]
    low, high, reason = percentile_interval(difference, confidence)
    if reason:
        return low, high, reason
    reach, worsening = stats.norm.ppf((1 + confidence) / 2) * float(np.nanstd(difference)), apart[1] - apart[0]
    excess = [
        max(0.0, float(np.nanmean(side)) - own) / (np.sqrt(2) - 1) if from_parity else 0.0 for side, own in zip(drawn, apart, strict=True)
    ]
    return worsening - reach - excess[1], worsening + reach + excess[0], None


def _less(value: float | None) -> float | None:
    return None if value is None else -value


def _collected(chunks: Iterator[Numbers], of: Callable[[Numbers], list[Found]]) -> dict[Figure, Numbers]:
    """The distances of both sides [sides, draws]."""
    found: dict[Figure, list[Numbers]] = {}
    for chunk in chunks:
        one, other = of(chunk)
        for figure, (_, distance) in one.items():
            found.setdefault(figure, []).append(np.stack([distance, other[figure][1]]))
    return {figure: np.concatenate(parts, axis=1) for figure, parts in found.items()}
