"""What the values of big predictions mean: counted once over all files, then understood exactly as those of a file in memory."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from flows import audit_outcomes, audit_table
from flows.audit_options import Options
from flows.large_survey import Survey, known_values, wanted
from stages import subgroup
from stages.contract.bad_input import BadInput
from stages.contract.params import fill
from stages.datasets import outcomes, reference_groups


@dataclass(frozen=True)
class Categories:
    """The categories of an attribute (``values``, None is unknown) and whether each is privileged, protected or None."""

    name: str
    values: list[str | None]
    status: list[str | None]


@dataclass(frozen=True)
class Coding:
    """The meaning of every value. ``known`` leads from a column's strings to their codes: places in ``attributes``' values, labels."""

    columns: list[str]
    known: dict[str, tuple[pa.Array, NDArray[np.int64]]]
    attributes: dict[str, Categories]
    rules: dict[str, dict[str, Any]]
    cut: float
    direction: Literal["high", "low"]
    low: float
    high: float
    notes: list[str]

    def look_up(self, batch: pa.Table, name: str) -> NDArray[np.int64]:
        """Codes of a column's cells, -1 where a cell is of a row left out."""
        strings, codes = self.known[name]
        place = pc.index_in(batch.column(name), strings).fill_null(len(codes) - 1)
        return codes[place.to_numpy()]

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest score once they are turned; 0 and 1 where there are decisions alone."""
        if not np.isfinite(self.low):
            return 0.0, 1.0
        low, high = self.turned(np.array([self.low, self.high]))
        return float(min(low, high)), float(max(low, high))

    def turned(self, score: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores with the favourable ones high."""
        if self.direction == "high":
            return score
        return 1 - score if self.low >= 0 and self.high <= 1 else -score


def understand(found: Survey, options: Options) -> Coding:
    """The coding of all values. BadInput: what can only be guessed, as in memory."""
    label, times = _distinct(found, options.label, options)
    direction = audit_outcomes.direction_of(label, options)
    if options.threshold is not None and not options.favourable and outcomes.is_scale(label):
        raise BadInput(f"{options.file}: labels on a scale are audited in memory only; name the favourable ones (--favourable), or sample.")
    if options.threshold == "median":
        raise BadInput(f"--threshold median cuts labels that are numbers on a scale; column {label.name!r} is none, so give a number.")
    cut = 0.5 if options.threshold is None else float(options.threshold)
    true = outcomes.two_valued(label, options.favourable, times=times)
    meaning = {options.label: dict(zip(label, true.astype(int), strict=True))}
    notes = [*audit_outcomes.taken(label, true == 1, options, False), audit_outcomes.counted_note("label", label, true == 1, times)]
    if options.score:
        audit_outcomes.refuse_uncut(options, found.low, found.high)
    if options.decision:
        column, times = _distinct(found, options.decision, options)
        selected = outcomes.two_valued(column, options.favourable, tuple(label), times=times)
        meaning[options.decision] = dict(zip(column, selected.astype(int), strict=True))
        notes.append(audit_outcomes.counted_note("decision", column, selected == 1, times))
    attributes, rules, meant = _attributes(found, options, meaning)
    known = {name: _codes(found.counts[name], codes, options) for name, codes in meaning.items()}
    return Coding(wanted(options), known, attributes, rules, cut, direction, found.low, found.high, [*notes, *meant])


def _distinct(found: Survey, name: str, options: Options) -> tuple[pd.Series, NDArray[np.int64]]:
    """The values of a column, None if unknown, and how often each occurs."""
    values = outcomes.known(pd.Series(list(found.counts[name]), dtype=object), ("", *options.unknown))
    place, distinct = pd.factorize(values, use_na_sentinel=False)
    times = np.bincount(place, list(found.counts[name].values())).astype(np.int64)
    return pd.Series(np.where(pd.isna(distinct), None, distinct), name=name, dtype=object), times


def _codes(counted: Iterable[str], codes: dict[str | None, int], options: Options) -> tuple[pa.Array, NDArray[np.int64]]:
    strings = pa.array(list(counted), pa.string())
    names = known_values(strings, options)
    return strings, np.array([*(codes[None if name is None else name] for name in names.where(names.notna(), None)), -1])


def _attributes(
    found: Survey, options: Options, meaning: dict[str, dict[Any, int]]
) -> tuple[dict[str, Categories], dict[str, dict[str, Any]], list[str]]:
    """Each attribute's categories by its column, and its rule by its plain name; adds to ``meaning``."""
    columns = {name: _distinct(found, name, options) for name in options.attributes}
    values, rules, notes = audit_table.attributes_of(columns, found.used, options)
    chosen = fill(subgroup.Params, {"attributes": rules}, "audit").attributes
    attributes = {}
    for column, name in reference_groups.plain_names(options.attributes, audit_table.RESERVED).items():
        if name not in values:
            continue
        coded = subgroup.code(pd.DataFrame({name: values[name]}), {name: chosen[name]})
        place, known = pd.factorize(coded[f"{name}_value"], sort=True)
        place = np.where(place < 0, len(known), place)
        status = dict(zip(place, coded[name].where(coded[name].notna(), None), strict=True))
        attributes[column] = Categories(name, [*known, None], [*(status[code] for code in range(len(known))), None])
        meaning[column] = dict(zip(columns[column][0], place.tolist(), strict=True))
    return attributes, rules, notes
