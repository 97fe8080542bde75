"""Columns of strings -> labels, scores and decisions, favourable being high: of 0 and 1 it is 1 unless told, of words it is asked."""

from collections.abc import Collection

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput

SHOWN = 8


def known(column: pd.Series, unknown: Collection[str]) -> pd.Series:
    """Cells without the blanks around them, None where they are one of ``unknown`` (in any case)."""
    codes, values = pd.factorize(column)
    missing = {code.casefold() for code in unknown}
    cleaned = [" ".join(str(value).split()) for value in values]
    kept = np.array([None if value.casefold() in missing else value for value in cleaned], dtype=object)
    return pd.Series(kept[codes], index=column.index, name=column.name, dtype=object)


def finite(column: pd.Series) -> NDArray[np.float64]:
    """A column of strings as numbers, NaN where a cell is unknown or no finite number."""
    codes, values = pd.factorize(column)
    parsed = pd.to_numeric(pd.Series(values, dtype=object), errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    parsed = np.append(np.where(np.isfinite(parsed), parsed, np.nan), np.nan)  # the last place is that of code -1, unknown
    return parsed[codes]


def scores(column: pd.Series) -> NDArray[np.float64]:
    """Scores, NaN where unknown; BadInput at the first cell that is no finite number."""
    values = finite(column)
    wrong = np.isnan(values) & column.notna().to_numpy()
    if wrong.any():
        first = str(column[wrong].iloc[0])[:40]
        hint = " (a decimal comma? write a point)" if first.replace(",", "").lstrip("+-").isdigit() else ""
        raise BadInput(
            f"column {column.name!r} is not a number in {wrong.sum():,} of {len(column):,} rows, first {first!r}{hint}; "
            f"correct them, or list what stands for unknown (--unknown)."
        )
    return values


def is_scale(column: pd.Series) -> bool:
    """Whether the known cells are all numbers and not only 0 and 1."""
    values = finite(column)
    return not np.isnan(values[column.notna()]).any() and not np.isin(values[column.notna()], (0, 1)).all()


def two_valued(
    column: pd.Series, favourable: Collection[str] = (), others: Collection[str] = (), times: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """1 where a cell is favourable, 0 where it is not, NaN where unknown.

    Without ``favourable`` only 0 / 1 / true / false can be read. ``others`` are the values of the label, for a column of decisions
    that may never be favourable; ``times``: how often each cell occurs, by default once. BadInput asks which value is favourable
    where that is not plain.
    """
    codes, values = pd.factorize(column)
    spelt = [same(str(value)) for value in values]
    wanted, beside = {same(value) for value in favourable}, {same(other) for other in others}
    if favourable and (wanted & set(spelt) or (wanted & beside and set(spelt) <= beside)):
        meant = [float(value in wanted) for value in spelt]
    elif not favourable and set(spelt) <= {"0", "1"}:
        meant = [float(value) for value in spelt]
    else:
        raise BadInput(_which(column, favourable, times))
    return np.array([*meant, np.nan])[codes]


def same(value: str) -> str:
    """One spelling for what means the same: case, 1 / 1.0 / true, 2 / 2.0."""
    spelt = {"true": "1", "false": "0"}.get(value.casefold(), value.casefold())
    try:
        return f"{float(spelt):.15g}"
    except ValueError:
        return spelt


def counted(column: pd.Series, times: NDArray[np.int64] | None = None) -> pd.Series:
    """How often each known value occurs, the most frequent first; ``times``: how often each cell does, by default once."""
    if times is None:
        return column.value_counts()
    return pd.Series(times).groupby(column.to_numpy(), sort=False).sum().sort_values(ascending=False, kind="stable")


def _which(column: pd.Series, favourable: Collection[str], times: NDArray[np.int64] | None) -> str:
    number_of = counted(column, times)
    there = ", ".join(f"{value!r} ({number:,})" for value, number in number_of.iloc[:SHOWN].items())
    more = f" and {len(number_of) - SHOWN:,} more" if len(number_of) > SHOWN else ""
    if favourable:
        return (
            f"column {column.name!r} holds {there}{more} and not {', '.join(favourable)}; list all that is favourable "
            f"(--favourable {','.join(favourable)},...)."
        )
    advice = f"--favourable {str(number_of.index[0])!r}"
    if is_scale(column) and len(number_of) > 2:
        advice += ", or cut the numbers with --threshold median (or a number)"
    return f"column {column.name!r} holds {there}{more}: which is favourable? Say for instance {advice}."
