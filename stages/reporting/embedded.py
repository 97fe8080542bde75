"""Numbers and words of a page's scripts: whole numbers in columns, equal columns once -> JSON that cannot end its element."""

import json
import math
from collections.abc import Iterable
from typing import Any

from stages.reporting.assessment_text import plain

STEP = 0.001  # of the numbers shown; finer where all of a metric are small


class Columns:
    """Columns of whole numbers and the words they point at; whoever adds what is there already gets the same place."""

    def __init__(self) -> None:
        self._columns: dict[tuple[int | None, ...], int] = {}
        self._texts: dict[str, int] = {"": 0}

    @property
    def columns(self) -> list[tuple[int | None, ...]]:
        return list(self._columns)

    @property
    def texts(self) -> list[str]:
        return list(self._texts)

    def numbers(self, values: Iterable[Any], step: float = 1.0) -> int:
        """The place of a column in steps of ``step``; None where there is no number."""
        whole = tuple(None if value is None or not math.isfinite(value) else round(value / step) for value in values)
        return self._columns.setdefault(whole, len(self._columns))

    def words(self, values: Iterable[Any]) -> int:
        """The place of a column that points at words; at the first, which is empty, where there are none."""
        return self.numbers([self._texts.setdefault(plain(word), len(self._texts)) if isinstance(word, str) else 0 for word in values])


def step_of(values: Iterable[Any]) -> float:
    """0.001, or finer where all numbers are small, so that the largest keeps three digits."""
    largest = max((abs(value) for value in values if value is not None and math.isfinite(value)), default=0.0)
    return STEP if largest == 0 else min(STEP, 10.0 ** (math.ceil(math.log10(largest)) - 3))


def as_json(shown: Any) -> str:
    """JSON that may stand in a script element: no character of it ends the element or begins a comment."""
    text = json.dumps(shown, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
