"""Shares of studies with their standard errors, and tables of them in Markdown."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np


class Share(NamedTuple):
    """A share, its standard error between studies, and of how many studies."""

    value: float
    error: float
    studies: int

    def __str__(self) -> str:
        return f"{self.value:.3f}" if self.studies else "-"


def shares(studies: list[dict[Any, float]]) -> dict[Any, Share]:
    """The mean of each measure over the studies that have it (NaN: they do not)."""
    names = dict.fromkeys(name for study in studies for name in study)
    return {name: share(study.get(name, np.nan) for study in studies) for name in names}


def share(values: Iterable[float]) -> Share:
    """The mean of one value a study. The error of a share near 0 or 1 has one study of each kind added."""
    known = np.array([value for value in values if not np.isnan(value)])
    if not len(known):
        return Share(np.nan, np.nan, 0)
    spread = np.append(known, [0.0, 1.0]).std() if known.min() == known.max() else known.std()
    return Share(float(known.mean()), float(spread / np.sqrt(len(known))), len(known))


def together(parts: list[Share]) -> Share:
    """The mean of shares of different studies."""
    parts = [part for part in parts if part.studies]
    if not parts:
        return Share(np.nan, np.nan, 0)
    error = np.sqrt(sum(part.error**2 for part in parts)) / len(parts)
    return Share(float(np.mean([part.value for part in parts])), float(error), sum(part.studies for part in parts))


def table(rows: list[dict[str, Any]]) -> str:
    """Rows of the same columns in Markdown."""
    columns = list(rows[0])
    lines = [columns, ["---"] * len(columns), *([str(row[name]) for name in columns] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
