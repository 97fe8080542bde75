"""Each gap's test: p under the size-matched null, q among the sets of its cell and metric, the verdict, and what chance would show."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stages.metrics import fairness, testing
from stages.metrics.contingency import FAVOURABLE, GROUPS, TEXTS
from stages.metrics.intervals import percentile_interval
from stages.metrics.scoring import OURS, Cell, Row, finite, row


def with_tests(cell: Cell, rows: list[Row], metrics: Sequence[str]) -> list[Row]:
    """The rows with p, q and verdict of each, and a row for each order: is the furthest of its sets further than chance makes it?"""
    people = cell.table.people(cell.sets)
    added = []
    for metric in metrics:
        own = [scored for scored in rows if scored["metric"] == metric]
        sums = cell.favourable_null if metric == "fv" else cell.null
        observed, null, band = _statistics(cell, cell.point[None], metric)[0], _statistics(cell, sums, metric), _raw(cell, sums, metric)
        p_values = np.array(
            [np.nan if scored["value"] is None else testing.p_value(observed[i], null[:, i]) for i, scored in enumerate(own)]
        )
        counted = FAVOURABLE if metric == "fv" else TEXTS
        for i, (scored, p, q) in enumerate(zip(own, p_values, testing.benjamini_hochberg(p_values), strict=True)):
            at = 1 + len(GROUPS) * i
            fewest = people[at : at + 2, counted].min()
            low, high, _ = percentile_interval(band[:, i], cell.rules.confidence)
            scored |= {"p_value": finite(p), "q_value": finite(q), "null_low": finite(low), "null_high": finite(high)}
            scored["verdict"] = testing.verdict(q, fewest, cell.rules.fewest, cell.rules.level)
        added += _of_orders(cell, own, metric, observed, null)
    return rows + added


def _of_orders(cell: Cell, rows: list[Row], metric: str, observed: NDArray[np.float64], null: NDArray[np.float64]) -> list[Row]:
    """The set of each order with the largest statistic, tested against the largest of as many sets as small under the null.

    This is Westfall and Young's max T: a ratio counts in its standard errors, FV as it is.
    """
    found = []
    for order in sorted({len(chosen) for chosen in cell.sets}):
        places = [i for i, scored in enumerate(rows) if scored["order"] == order and scored["value"] is not None]
        why = "tested, not estimated: the furthest of several" if places else "undefined for every set of this order"
        scored = row((), f"any set of order {order}", metric, None, (np.nan, np.nan, why)) | {"order": order}
        if places:
            furthest = max(places, key=lambda i: observed[i])
            p = testing.p_value(observed[furthest], np.where(np.isnan(null[:, places]), np.inf, null[:, places]).max(axis=1))
            scored |= {"value": rows[furthest]["value"], "p_value": p}
        found.append(scored)
    return found


def _statistics(cell: Cell, sums: NDArray[np.float64], metric: str) -> NDArray[np.float64]:
    """[draws, sets]: how far from parity each set's gap is."""
    protected, privileged, everyone = _sides(cell, sums)
    return testing.statistics(protected, privileged, everyone)[metric]


def _raw(cell: Cell, sums: NDArray[np.float64], metric: str) -> NDArray[np.float64]:
    """[draws, sets]: the gaps themselves."""
    return fairness.gaps(*_sides(cell, sums), OURS)[metric]


def _sides(cell: Cell, sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    at = 1 + len(GROUPS) * np.arange(len(cell.sets))
    return sums[:, at], sums[:, at + 1], sums[:, :1]
