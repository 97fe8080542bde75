"""Rows of a table of figures as the words of the assessment: intervals, verdicts, shares, names of groups, the surest rows first."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from stages.contract.descriptions import MINED
from stages.contract.vocabulary import COLLAPSED
from stages.reporting.groups import CANNOT_TELL, DISPARITY
from stages.reporting.results import Score
from stages.reporting.tables import Table
from stages.reporting.wording import measure, number, probability

NO_EVIDENCE = "no evidence of disparity"
VERDICTS = (DISPARITY, NO_EVIDENCE, CANNOT_TELL, COLLAPSED)
UNKNOWN, NOT_FOUND = "unknown", "no mention found"
FIRST = 30  # rows of a table of the page; the tables beside it have all
Row = dict[str, Any]


def records(frame: pd.DataFrame) -> list[Row]:
    """The rows of a frame, null as None."""
    found: list[Row] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return found


def figure(row: Row, value: str = "value", low: str = "ci_low", high: str = "ci_high", decimals: int = 2) -> str:
    """``0.71 [0.58, 0.86]``, or why there is none."""
    score = Score(row[value], row[low], row[high], None, None, None, None, row.get("reason"))
    return measure(score, decimals)


def verdict(row: Row, level: float) -> str:
    """The verdict of a row that has one; else by its q-value, which has no verdict where it is null."""
    if "verdict" in row:
        return str(row["verdict"] or CANNOT_TELL)
    if row["q_value"] is None:
        return CANNOT_TELL
    return DISPARITY if row["q_value"] <= level else NO_EVIDENCE


def told(row: Row, level: float) -> str:
    """The verdict with its q-value."""
    q = row["q_value"]
    return verdict(row, level) + (f" (q {probability(q)})" if q is not None else "")


def counted(rows: Sequence[Row], level: float) -> dict[str, int]:
    """How many rows have each verdict."""
    found = [verdict(row, level) for row in rows]
    return {name: found.count(name) for name in VERDICTS if name in found}


def telling(rows: Sequence[Row], level: float, size: str, value: str = "value") -> list[Row]:
    """Disparities first, then what a test can tell; each by q-value, then by the number in ``size``, then by how far ``value`` is from 0.

    Never by ``value`` alone: the smallest groups have the most extreme values by chance.
    """
    rank = {name: place for place, name in enumerate(VERDICTS)}

    def place(row: Row) -> tuple[float, ...]:
        known = [math.inf if row[name] is None else row[name] for name in ("q_value", size)]
        return rank[verdict(row, level)], known[0], -known[1], -abs(row[value]) if row[value] is not None else math.inf

    return sorted(rows, key=place)


def surest(rows: Sequence[Row], level: float, said: Callable[[Row], str]) -> str:
    """The first of rows that ``telling`` ordered in a sentence, where it is a disparity; else ""."""
    return said(rows[0]) if rows and verdict(rows[0], level) == DISPARITY else ""


def group_name(group: str, attributes: str) -> str:
    """A group's name. Of an attribute mined from texts "unknown" says that no mention was found, and is called so.

    A name with other than one part an attribute (a category with a comma in it) stays as it is.
    """
    names, parts = attributes.split("+"), group.split(", ")
    if len(names) != len(parts):
        return group
    return ", ".join(NOT_FOUND if _unmentioned(name, part) else part for name, part in zip(names, parts, strict=True))


def unmentioned(row: Row) -> bool:
    """Whether a group is of texts in which nobody was found to be mentioned, by an attribute of its set: no group of people."""
    return any(_unmentioned(name, part) for name, part in zip(row["attributes"].split("+"), row["group"].split(", "), strict=False))


def _unmentioned(attribute: str, category: str) -> bool:
    return attribute.startswith(MINED) and category == UNKNOWN


def share(part: int | None, whole: int) -> str:
    return "-" if part is None or not whole else f"{number(100 * part / whole, 1)} %"


def cut(caption: str, columns: list[str], rows: list[list[str]], words: tuple[int, ...], first: int = FIRST) -> Table:
    """A table of the ``first`` rows, which says so where there are more."""
    more = f" (the first {first} of {len(rows):,})" if len(rows) > first else ""
    return Table(caption + more, columns, rows[:first], words)
