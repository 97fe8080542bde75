"""Reading delimited files as their publishers wrote them, and refusing in one sentence what cannot be read."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from stages.contract.bad_input import BadInput

LOT = 16_384  # rows of a delimited file that are read at once


def read_delimited(path: Path, delimiter: str = ",", encoding: str = "utf-8", header: bool = True, quoted: bool = True) -> pd.DataFrame:
    """Every cell of a file as the string that stands there ("" stays "", "NA" stays "NA").

    Raises BadInput when the file is missing, empty, not in ``encoding``, ragged, or not delimited by ``delimiter``.
    """
    with _refused(path, delimiter, encoding):
        frame = pd.read_csv(
            path,
            sep=delimiter,
            dtype=str,
            keep_default_na=False,
            encoding=_with_mark(encoding),
            header=0 if header else None,
            quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        )
    _need_columns(frame, path, delimiter, header)
    return frame


def read_lots(path: Path, delimiter: str, encoding: str) -> Iterator[pd.DataFrame]:
    """What ``read_delimited`` gives of a file with a header, at most ``LOT`` rows at a time; BadInput too, once its last row is read."""
    with (
        _refused(path, delimiter, encoding),
        pd.read_csv(path, sep=delimiter, dtype=str, keep_default_na=False, encoding=_with_mark(encoding), chunksize=LOT) as lots,
    ):
        for lot in lots:
            yield lot
    _need_columns(lot, path, delimiter)


def read_in_parts(path: Path, columns: Sequence[str], rows: int, encoding: str = "utf-8") -> Iterator[pd.DataFrame]:
    """``columns`` of a comma-separated file too big for memory, so many ``rows`` at a time; BadInput as ``read_delimited``."""
    with _refused(path, ",", encoding):
        need(pd.read_csv(path, nrows=0, encoding=_with_mark(encoding)), columns, path)
        yield from pd.read_csv(path, usecols=list(columns), dtype=str, keep_default_na=False, encoding=_with_mark(encoding), chunksize=rows)


def _need_columns(frame: pd.DataFrame, path: Path, delimiter: str, header: bool = True) -> None:
    """BadInput where a file has one column alone, or pandas took the first cells of each row for its name and shifted all others."""
    if not isinstance(frame.index, pd.RangeIndex):
        raise BadInput(f"{path}: its rows have more cells than its header has names; give every column a name.")
    if header and len(frame.columns) == 1:
        raise BadInput(f"{path} has one column when split by {delimiter!r} ({str(frame.columns[0])[:60]!r}); give its delimiter.")


@contextmanager
def _refused(path: Path, delimiter: str, encoding: str) -> Iterator[None]:
    """What pandas raises while a file is read, as BadInput."""
    if not path.is_file():
        raise BadInput(f"{path} is missing; put the file there, or name the folder that holds it as the task's dataset.source.")
    try:
        yield
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{path} is not {encoding} (byte {error.start}): convert it, or give its encoding (e.g. encoding: latin-1)."
        ) from error
    except pd.errors.EmptyDataError as error:
        raise BadInput(f"{path} is empty; it should hold a header and rows.") from error
    except pd.errors.ParserError as error:
        raise BadInput(f"{path} cannot be split into columns by {delimiter!r}: {' '.join(str(error).split())}.") from error


def _with_mark(encoding: str) -> str:
    """UTF-8 with or without a byte order mark."""
    return encoding + ("-sig" if encoding == "utf-8" else "")


def need(frame: pd.DataFrame, columns: Sequence[str], path: Path) -> None:
    """BadInput naming the first of ``columns`` that ``frame`` lacks."""
    for column in columns:
        if column not in frame:
            raise BadInput(f"{path}: column {column!r} is missing; it has {', '.join(map(str, frame.columns))}.")


def need_label(label: str, labels: Sequence[str], name: str) -> None:
    """BadInput when ``label`` is not one of those the data set called ``name`` has."""
    if label not in labels:
        raise BadInput(f"params.yaml: label {label!r} is not one of {name}'s: {', '.join(labels)}.")


def numbers(column: pd.Series, path: Path, unknown: Sequence[str] = ("",)) -> pd.Series:
    """A column of strings as numbers, null where it is one of ``unknown``; BadInput at the first that is no number."""
    known = ~column.str.strip().isin(list(unknown))
    values = pd.to_numeric(column.where(known), errors="coerce")
    wrong = known & values.isna()
    if wrong.any():
        raise BadInput(
            f"{path}: column {column.name!r} is not a number in {int(wrong.sum())} of {len(column)} rows "
            f"(first: {column[wrong].iloc[0][:40]!r}); correct them, or list the codes for unknown."
        )
    return values.astype("float64")


def decode(column: pd.Series, categories: Mapping[str, str], path: Path, unknown: Sequence[str] = ("",)) -> pd.Series:
    """Survey codes as the categories they stand for, null where unknown; BadInput at a code that is in neither list."""
    known = ~column.isin(list(unknown))
    values = column.where(known).map(categories)
    wrong = known & values.isna()
    if wrong.any():
        first = column[wrong].iloc[0]
        raise BadInput(
            f"{path}: column {column.name!r} holds codes that are not known in {int(wrong.sum())} of {len(column)} rows "
            f"(first: {first[:40]!r}); known codes are {', '.join(categories)}."
        )
    return values


def decode_numbers(column: pd.Series, categories: Mapping[int, str], path: Path, unknown: Sequence[str] = ("",)) -> pd.Series:
    """``decode`` of whole numbers, which one file may write as "1" and another as "1.0"."""
    return decode(column.str.removesuffix(".0"), {str(code): category for code, category in categories.items()}, path, unknown)


def written(documents: pd.DataFrame, path: Path) -> pd.DataFrame:
    """The documents that have a text; how many have none is printed, as an unanswered question is no mistake of the file."""
    empty = documents["text"].str.strip() == ""
    if empty.any():
        print(f"{path}: {int(empty.sum())} of {len(documents)} rows hold no text and are left out", flush=True)
    return documents[~empty].reset_index(drop=True)
