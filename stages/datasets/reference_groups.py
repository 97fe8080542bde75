"""Columns of strings -> demographic attributes, and for each the reference group that the others are compared with."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput
from stages.datasets import outcomes
from stages.datasets.outcomes import finite

FEW = 10  # numbers of at most so many different values count as categories
FINE = 50  # more categories than this make no groups
UNSAID = {"unknown", "prefer not to say", "prefer not to answer", "declined", "not stated", "not given", "missing", "none", "?", "-", "x"}


@dataclass(frozen=True)
class Attribute:
    """``values``: categories, or numbers; null where unknown. ``rule``: the reference group, as subgroup's ``Rule`` has it."""

    values: pd.Series
    rule: dict[str, Any]
    notes: list[str]


def attribute(column: pd.Series, reference: Sequence[str] = (), times: NDArray[np.int64] | None = None) -> Attribute | str:
    """A column of known strings as an attribute, or the sentence why it is left out.

    ``reference``: the categories of the reference group (``male``, or ``white,asian`` at once), or a bound of numbers (``..55`` up
    to 55, ``55000..`` from 55000). Without one it is the largest category; for numbers, those up to the median. Notes say so.
    ``times``: how often each cell occurs, by default once.
    """
    times = np.ones(len(column), dtype=np.int64) if times is None else times
    if column.isna().all():
        raise BadInput(f"attribute {column.name!r} is unknown in all {times.sum():,} rows; leave it out of --attributes.")
    numbers = finite(column)
    strange = column[np.isnan(numbers) & column.notna().to_numpy()]
    if any(".." in part for part in reference):
        return _bounded(column, numbers, times, " ".join(reference))
    distinct = len(np.unique(numbers[~np.isnan(numbers)]))
    if strange.empty and distinct > (FINE if reference else FEW):
        if reference:
            raise BadInput(
                f"attribute {column.name!r} holds {distinct:,} different numbers, too many for categories; "
                f"give a bound, such as --privileged {column.name}=..{_median(numbers, times):g}."
            )
        return _halved(column, numbers, times)
    values, notes = _categories(column if len(strange) else _spelt(numbers), times)
    if strange.empty:
        middle = _median(numbers, times)
        notes.append(f"{distinct:,} different numbers count as categories; give a bound (..{middle:g}) to split them.")
    counted = outcomes.counted(values, times)
    if not reference and len(counted) > FINE:
        return _too_fine(column, numbers, times, counted)
    chosen = _chosen(counted, reference, str(column.name)) if reference else [_largest(counted)]
    who = f"{', '.join(chosen)} ({int(counted[chosen].sum()):,} of {int(counted.sum()):,} known)"
    notes.append(f"reference group: {who}{'' if reference else ', as the largest category; name another with --privileged'}.")
    unsaid = [value for value in counted.index if value.casefold() in UNSAID]
    if unsaid:
        notes.append(f"{', '.join(map(repr, unsaid))} counts as a category; if it means unknown, list it in --unknown.")
    return Attribute(values, {"privileged": tuple(chosen)}, [f"{column.name}: {note}" for note in notes])


def _too_fine(column: pd.Series, numbers: NDArray[np.float64], times: NDArray[np.int64], counted: pd.Series) -> str:
    known = column.notna().to_numpy()
    strange = known & np.isnan(numbers)
    mostly_numbers = times[strange].sum() < times[known].sum() / 2
    advice = "join some"
    if mostly_numbers:
        advice = f"{times[strange].sum():,} cells are no numbers, first {column[strange].iloc[0]!r}: list them in --unknown"
    return (
        f"{column.name}: left out, as its {len(counted):,} categories are too fine for groups; {advice}, or name the reference "
        f"group (--privileged {column.name}={counted.index[0]})."
    )


def _bounded(column: pd.Series, numbers: NDArray[np.float64], times: NDArray[np.int64], reference: str) -> Attribute:
    low, _, high = reference.partition("..")
    try:
        bound = float(low or high)
    except ValueError:
        bound = np.nan
    if bool(low) == bool(high) or not np.isfinite(bound):
        raise BadInput(f"--privileged {column.name}={reference}: give one bound, ..55 for up to 55 or 55000.. for 55000 and more.")
    strange = column.notna().to_numpy() & np.isnan(numbers)
    if strange.any():
        first = column[strange].iloc[0]
        raise BadInput(
            f"attribute {column.name!r} is not a number in {times[strange].sum():,} of {times.sum():,} rows, first {first!r}; "
            f"name categories instead of {reference}, or list what stands for unknown (--unknown)."
        )
    inside = int(times[numbers >= bound].sum() if low else times[numbers <= bound].sum())
    who = f"{bound:,g} {'and more' if low else 'and less'} ({inside:,} of {int(times[column.notna()].sum()):,} known)"
    rule = {"privileged_at_least" if low else "privileged_at_most": bound}
    return Attribute(pd.Series(numbers), rule, [f"{column.name}: reference group: {who}."])


def _median(numbers: NDArray[np.float64], times: NDArray[np.int64]) -> float:
    """The median of the known numbers, each so many times."""
    order = np.argsort(numbers, kind="stable")[: int((~np.isnan(numbers)).sum())]
    upto = np.cumsum(times[order])
    return float(np.mean([numbers[order[np.searchsorted(upto, place, "right")]] for place in ((upto[-1] - 1) // 2, upto[-1] // 2)]))


def _halved(column: pd.Series, numbers: NDArray[np.float64], times: NDArray[np.int64]) -> Attribute:
    known, median = ~np.isnan(numbers), _median(numbers, times)
    highest = numbers[known].max()
    # Were the median the highest value too, everyone would be up to it.
    middle = median if median < highest else float(numbers[numbers < highest].max())
    who = f"up to the median, {middle:,g} ({times[numbers <= middle].sum():,} of {times[known].sum():,} known)"
    note = f"{column.name}: numbers; reference group: {who}; choose another bound with --privileged {column.name}=..{middle:g}."
    return Attribute(pd.Series(numbers), {"privileged_at_most": middle}, [note])


def _spelt(numbers: NDArray[np.float64]) -> pd.Series:
    """Codes as text, 1 and 1.0 alike."""
    codes, values = pd.factorize(numbers)
    return pd.Series(np.array([*(f"{value:.15g}" for value in values), None], dtype=object)[codes])


def _categories(column: pd.Series, times: NDArray[np.int64]) -> tuple[pd.Series, list[str]]:
    """Spellings that differ in case alone become the most frequent of them."""
    counted = outcomes.counted(column, times)
    spellings: dict[str, list[str]] = {}
    for value in sorted(counted.index, key=lambda value: (-counted[value], value)):
        spellings.setdefault(value.casefold(), []).append(value)
    merged = [group for group in spellings.values() if len(group) > 1]
    notes = [f"{', '.join(map(repr, group))} are read as one category, {group[0]!r}." for group in merged[:3]]
    if len(merged) > 3:
        notes.append(f"{len(merged) - 3:,} more categories had several spellings.")
    return column.map({value: group[0] for group in spellings.values() for value in group}).astype(object), notes


def _chosen(counted: pd.Series, reference: Sequence[str], name: str) -> list[str]:
    """The categories that ``reference`` names, all of which must be there; one may hold commas itself."""
    there = {str(value).casefold(): str(value) for value in counted.index}
    chosen = []
    for part in reference:
        for category in [part] if part.strip().casefold() in there else part.split(","):
            if category.strip().casefold() not in there:
                listed = ", ".join(list(there.values())[:12]) + (f" and {len(there) - 12:,} more" if len(there) > 12 else "")
                raise BadInput(f"--privileged {name}={part}: no row has the category {category.strip()!r}; there are {listed}.")
            chosen.append(there[category.strip().casefold()])
    return list(dict.fromkeys(chosen))


def _largest(counted: pd.Series) -> str:
    return str(min(counted.index, key=lambda value: (-counted[value], value)))


def plain_names(columns: Sequence[str], reserved: Collection[str]) -> dict[str, str]:
    """Each column's name in the results: lower-case letters, digits and _; BadInput when two would be the same."""
    names = {}
    for place, column in enumerate(columns, 1):
        bare = unicodedata.normalize("NFKD", column.casefold()).encode("ascii", "ignore").decode()
        name = re.sub(r"[^a-z0-9]+", "_", bare).strip("_") or f"attribute_{place}"
        name = name if name[0].isalpha() else f"a_{name}"
        names[column] = f"{name}_" if name in reserved or name.endswith("_value") else name
        twice = [other for other in columns[: place - 1] if names[other] == names[column]]
        if twice:
            raise BadInput(f"--attributes: {twice[0]!r} and {column!r} would both be called {names[column]!r}; give one, or rename one.")
    return names
