"""Each gap's test: p by permutation, q among the sets of its cell and metric, the verdict, and what chance would show."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stages.contract.vocabulary import ANY_SET
from stages.metrics import fairness, testing
from stages.metrics.contingency import FAVOURABLE, GROUPS, TEXTS
from stages.metrics.furthest import StepDown
from stages.metrics.intervals import percentile_interval
from stages.metrics.pair_statistics import PairStatistic
from stages.metrics.permutation import favourable_only
from stages.metrics.scoring import OURS, Cell, Row, finite, row
from stages.metrics.threads import side_by_side

Numbers = NDArray[np.float64]
PARITY = {"di": 1.0, "di_star": 1.0, "adi": 1.0, "fv": 0.0}
SIDES = slice(1, None, 2), slice(2, None, 2), slice(0, 1)  # protected, privileged, everyone
# Permutations whose raw gaps are kept for the null band.
BANDED = 4000


def with_tests(cell: Cell, rows: list[Row], metrics: Sequence[str]) -> list[Row]:
    """The rows with p, q and verdict of each, and the most extreme set of each order and of all: is it further than chance makes it?"""
    found = side_by_side(lambda metric: _tested(cell, [scored for scored in rows if scored["metric"] == metric], metric), metrics)
    return rows + [scored for of_metric in found for scored in of_metric]


def _tested(cell: Cell, rows: list[Row], metric: str) -> list[Row]:
    counted = FAVOURABLE if metric == "fv" else TEXTS
    table = favourable_only(cell.table) if metric == "fv" else cell.table
    at = 1 + len(GROUPS) * np.arange(len(cell.sets))
    authors = cell.table.people(cell.sets)[:, counted]
    people = np.stack([authors[at], authors[at + 1]], axis=1)
    sums = cell.table.clustered(cell.sets)
    statistic = PairStatistic(metric, sums[0], people, float(authors[0]))
    observed = np.where([scored["value"] is None for scored in rows], np.nan, statistic.of(sums))
    tests = _families(observed, people.min(axis=1) >= cell.rules.fewest, [scored["order"] for scored in rows])
    drawn: list[Numbers] = []
    for number, draws in enumerate(testing.rounds(cell.rules.permutations)):
        for dealt in cell.null(table, cell.sets, draws, (cell.rules.seed, number)):
            null = statistic.of(dealt)
            for test in tests:
                # A permutation without a value counts as further, so that p is never too small.
                test.add(np.where(np.isnan(null), np.inf, null))
            if sum(map(len, drawn)) < BANDED:
                protected, privileged, everyone = (dealt[:, part, :4] for part in SIDES)
                drawn.append(fairness.gaps(protected, privileged, everyone, OURS)[metric])
        if _settled(tests, cell.rules.level):
            break
    _judge(rows, metric, tests[0].p_values(), people.min(axis=1), np.concatenate(drawn), cell)
    return _of_families(rows, metric, observed, tests, cell)


def _families(observed: Numbers, enough: NDArray[np.bool_], orders: list[int]) -> list[StepDown]:
    """Tests of each set alone, of the sets of each order, and of all that have enough people."""
    alone = StepDown(observed, np.arange(len(observed) + 1))
    several = [
        StepDown(np.where(enough & (np.array(orders) == order), observed, np.nan), np.array([0, len(observed)]))
        for order in sorted(set(orders))
    ]
    return [alone, *several, StepDown(np.where(enough, observed, np.nan), np.array([0, len(observed)]))]


def _settled(tests: list[StepDown], level: float) -> bool:
    """Whether the same would be found at either end of the Monte-Carlo intervals of all p."""

    def decisions(side: int) -> NDArray[np.bool_]:
        alone, every = (testing.monte_carlo_end(test.p_values(), test.drawn, side) for test in (tests[0], tests[-1]))
        # Of all sets together the smallest p alone decides anything, and those of an order decide nothing.
        of_all = [np.nanmin(every, initial=1) <= level / metrics for metrics in testing.FAMILIES]
        return np.append(testing.benjamini_hochberg(alone) <= level, of_all)

    return bool((decisions(-1) == decisions(1)).all())


def _judge(rows: list[Row], metric: str, p_values: Numbers, people: Numbers, drawn: Numbers, cell: Cell) -> None:
    low, high = (np.array([scored[end] for scored in rows], dtype=float) for end in ("ci_low", "ci_high"))
    q_values = testing.benjamini_hochberg(p_values)
    verdicts = testing.verdicts(q_values, people, cell.rules.fewest, cell.rules.level, low, high, PARITY[metric])
    for i, (scored, p, q, verdict) in enumerate(zip(rows, p_values, q_values, verdicts, strict=True)):
        ends = percentile_interval(drawn[:, i], cell.rules.confidence)
        scored |= {
            "p_value": finite(p),
            "q_value": finite(q),
            "null_low": finite(ends[0]),
            "null_high": finite(ends[1]),
            "verdict": verdict,
        }


def _of_families(rows: list[Row], metric: str, observed: Numbers, tests: list[StepDown], cell: Cell) -> list[Row]:
    """The most extreme set of each order and of all orders, tested against that of as many sets as small in permutations (max T)."""
    orders = sorted({scored["order"] for scored in rows})
    found = [
        _most_extreme(rows, metric, observed, test, cell) | {"attributes": "", "order": order}
        for order, test in zip(orders, tests[1:-1], strict=True)
    ]
    for scored in found:
        scored["group"] = f"{ANY_SET} of order {scored['order']}"
    return [*found, _most_extreme(rows, metric, observed, tests[-1], cell)]


def _most_extreme(rows: list[Row], metric: str, observed: Numbers, test: StepDown, cell: Cell) -> Row:
    p_values, tested = test.p_values(), test.orders[0]
    if not len(tested):
        why = f"no set has {cell.rules.fewest} people in both groups, or the gap is undefined"
        return row((), ANY_SET, metric, None, (np.nan, np.nan, why))
    first = max(tested, key=lambda index: observed[index])
    own = rows[first]
    low, high = (np.nan if own[end] is None else own[end] for end in ("ci_low", "ci_high"))
    why = f"most extreme: {' + '.join(own['attributes'].split('+'))}"
    scored = row(tuple(own["attributes"].split("+")), ANY_SET, metric, own["value"], (low, high, why))
    return scored | {"p_value": float(p_values[first])}
