"""Rows of a table of figures as the words of the assessment: intervals, verdicts, shares, and the most telling rows first."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from stages.reporting.groups import CANNOT_TELL, DISPARITY
from stages.reporting.results import Score
from stages.reporting.tables import Table
from stages.reporting.wording import measure, number, probability

NO_EVIDENCE = "no evidence of disparity"
FIRST = 30  # rows of a table of the page; the tables beside it have all
Row = Mapping[str, Any]


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame, null as None."""
    found: list[dict[str, Any]] = frame.astype(object).where(frame.notna(), None).to_dict("records")
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
    return {name: found.count(name) for name in (DISPARITY, NO_EVIDENCE, CANNOT_TELL) if name in found}


def telling(rows: Sequence[Row], level: float, value: str = "value") -> list[Row]:
    """Disparities first, then what a test can tell, each by how far ``value`` is from 0."""
    rank = {DISPARITY: 0, NO_EVIDENCE: 1, CANNOT_TELL: 2}
    return sorted(rows, key=lambda row: (rank[verdict(row, level)], -abs(row[value]) if row[value] is not None else math.inf))


def share(part: int | None, whole: int) -> str:
    return "-" if part is None or not whole else f"{number(100 * part / whole, 1)} %"


def cut(caption: str, columns: list[str], rows: list[list[str]], words: tuple[int, ...], first: int = FIRST) -> Table:
    """A table of the ``first`` rows, which says so where there are more."""
    more = f" (the first {first} of {len(rows):,})" if len(rows) > first else ""
    return Table(caption + more, columns, rows[:first], words)


def first(tables: Sequence[Table], cells: Sequence[int]) -> str:
    """The first row of the tables whose last cell says disparity, as its ``cells`` in one sentence; "" without any."""
    found = [row for table in tables for row in table.rows if row[-1].startswith(DISPARITY)]
    return ", ".join(found[0][cell] for cell in cells) if found else ""
