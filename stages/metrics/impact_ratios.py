"""The table that New York City's Local Law 144 of 2021 asks of a bias audit: selection rates and impact ratios by category.

6 RCNY 5-301: for sex, for race/ethnicity and for their intersections, the rate of each category and its ratio to the highest rate;
5-301(d): an auditor may leave out of the ratios a category with less than 2 % of the data, if it says why and shows number and rate;
5-303: how many people are of unknown category, who enter no rate. A tool that scores has as its rate the share that scores above the
median of everyone (``conventions.above_median``). The law is about people: give one row a person, or their ``authors``.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput
from stages.metrics.comparisons import Bounded, quotient, wilson
from stages.metrics.fairness import add_up
from stages.metrics.lattice import Lattice, lattice, persons
from stages.metrics.moments import Moments, moments

Numbers = NDArray[np.float64]

SMALL = 0.02
COLUMNS: tuple[str, ...] = ("attributes", "category", "people", "n", "share", "selected", "rate", "rate_low", "rate_high")
COLUMNS += ("impact_ratio", "ratio_low", "ratio_high", "small", "unknown", "reason")


def impact_ratios(
    values: pd.DataFrame,
    selected: NDArray[np.bool_],
    authors: NDArray[np.int64] | None = None,
    confidence: float = 0.95,
    leave_out_small: bool = False,
) -> pd.DataFrame:
    """One row a category of each attribute of ``values`` and of their intersection, with the ``COLUMNS``.

    ``values`` [rows] has a column of categories an attribute, null is unknown; ``selected`` [rows]; ``authors`` [rows] are numbers from 0.
    rate = selected / n in [0, 1], Wilson's interval; impact_ratio = rate / highest rate in [0, 1], parity 1, Donner and Zou's (2012)
    interval against the category that is highest in these data, as if it had been named before (so nearly equal categories, one of
    which comes out highest by chance, lie below 1 more often than they should). ``small``: under 2 % of all rows; unless left out they
    count, and may be the highest. Null where unknown, left out or undefined, which ``reason`` says. BadInput: different lengths, no rows.
    """
    if not 0 < len(values) == len(selected):
        raise BadInput(f"impact ratios: {len(values)} rows of categories and {len(selected)} decisions: give one of each a row.")
    found = _categories(values)
    author = np.arange(len(values)) if authors is None else authors
    hits, texts = np.asarray(selected, dtype=float), np.ones(len(values))
    own = persons(found, author).moments(hits, texts)
    rate = wilson(own.value(), own.worth(_alike(hits, author)), confidence)
    unknown, small = _unknown(found, values), own.texts < SMALL * len(values)
    compared = ~unknown & ~(small & leave_out_small)
    ratios = [_against_highest(rate, compared, found.of(index)) for index in range(len(found.sets))]
    impact, low, high = (np.concatenate(ends) for ends in zip(*ratios, strict=True))
    set_of = np.repeat(np.arange(len(found.sets)), np.diff(found.starts))
    known = [np.where(unknown, np.nan, end) for end in rate]
    columns = [np.array(["+".join(names) for names in found.sets], dtype=object)[set_of], np.array(found.names, dtype=object)]
    columns += [own.people.astype(np.int64), own.texts.astype(np.int64), own.texts / len(values), own.hits.astype(np.int64)]
    columns += [*known, impact, low, high, small, unknown, _reasons(unknown, small & leave_out_small, impact, low)]
    return pd.DataFrame(dict(zip(COLUMNS, columns, strict=True)))


def _categories(values: pd.DataFrame) -> Lattice:
    """The categories of each attribute, then those of all attributes together."""
    names = tuple(values.columns)
    found = lattice(values, [*((name,) for name in names), *([names] if len(names) > 1 else [])])
    for chosen, number in found.left_out.items():
        raise BadInput(f"impact ratios: {'+'.join(chosen)} has {number:,} categories, too many to be compared: give fewer or join some.")
    return found


def _alike(hits: Numbers, authors: NDArray[np.int64]) -> float:
    """How correlated two rows of a person are among everyone."""
    people = int(authors.max()) + 1
    each: Moments = moments(add_up(authors, hits, people), add_up(authors, np.ones(len(hits)), people), np.zeros(people, dtype=np.int64), 1)
    return each.alike(each.value() * (1 - each.value()))


def _unknown(found: Lattice, values: pd.DataFrame) -> NDArray[np.bool_]:
    """Which categories [categories] hold people of whom an attribute of the set is unknown."""
    missing = found.codes == values.nunique().to_numpy()  # the code after those of the known categories
    unknown = np.zeros(len(found.names), dtype=bool)
    for index, chosen in enumerate(found.sets):
        unknown[found.group[missing[:, [list(values.columns).index(name) for name in chosen]].any(axis=1), index]] = True
    return unknown


def _against_highest(rate: Bounded, compared: NDArray[np.bool_], part: slice) -> tuple[Numbers, Numbers, Numbers]:
    """Impact ratios [categories of a set] with their intervals, which the highest category, compared with itself, has none of."""
    own, inside = Bounded(*(end[part] for end in rate)), compared[part]
    if not inside.any() or not own.value[inside].max() > 0:
        nothing = np.full(len(inside), np.nan)
        return nothing, nothing, nothing
    highest = int(np.argmax(np.where(inside, own.value, -1)))
    found = quotient(own, Bounded(*(end[[highest]] for end in own)))
    others = inside & (np.arange(len(inside)) != highest)
    return np.where(inside, found.value, np.nan), np.where(others, found.low, np.nan), np.where(others, found.high, np.nan)


def _reasons(unknown: NDArray[np.bool_], left_out: NDArray[np.bool_], impact: Numbers, low: Numbers) -> NDArray[np.object_]:
    reason = np.full(len(unknown), None, dtype=object)
    reason[np.isnan(low)] = "the highest rate, compared with itself"
    reason[np.isnan(impact)] = "nobody is selected: no rate to divide by"
    reason[left_out] = f"less than {SMALL:.0%} of the data: left out of the ratios (6 RCNY 5-301(d))"
    reason[unknown] = "unknown category: counted, in no rate (6 RCNY 5-303)"
    return reason
