"""Anyone's predictions file -> the columns asked for, every cell a string, and a sentence on how it was read."""

import codecs
import csv
import gzip
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, cast

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from stages.contract.bad_input import BadInput

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "|"}
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_columns(path: Path, columns: Sequence[str], delimiter: str | None = None, encoding: str = "utf-8") -> tuple[pd.DataFrame, str]:
    """``columns`` of a CSV, TSV, JSON lines or Parquet file, by its ending (text also gzipped), and how it was read.

    A missing value is "". The delimiter, if not given, is the one that splits the header into ``columns``. Raises BadInput when the
    file cannot be read or lacks a column; an encoding other than UTF-8 is never guessed.
    """
    if not path.is_file():
        raise BadInput(f"{path} is missing; name a file that is there.")
    ending = path.with_suffix("").suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()
    if ending in (".csv", ".tsv", ".txt"):
        table, how = _read_delimited(path, columns, delimiter, encoding)
    elif ending in (".jsonl", ".ndjson"):
        table, how = _read_json_lines(path, columns), "read as JSON lines"
    elif ending in (".parquet", ".pq"):
        table, how = _read_parquet(path, columns), "read as Parquet"
    else:
        raise BadInput(f"{path}: files ending in {ending!r} cannot be read; save it as .csv, .tsv, .jsonl or .parquet.")
    frame = table.to_pandas().fillna("")
    if frame.empty:
        raise BadInput(f"{path} has a header and no rows.")
    return frame, how


def _read_delimited(path: Path, columns: Sequence[str], delimiter: str | None, encoding: str) -> tuple[pa.Table, str]:
    try:
        codecs.lookup(encoding)
        delimiter, header = header_of(path, columns, delimiter, encoding)
        named = {name.strip(): name for name in header}
        cells = {named[column]: pa.string() for column in columns}
        with pa.input_stream(path, compression="detect") as stream:
            table = pyarrow.csv.read_csv(
                stream,
                pyarrow.csv.ReadOptions(encoding=encoding),
                pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
                pyarrow.csv.ConvertOptions(include_columns=list(cells), column_types=cells, strings_can_be_null=False),
            )
    except LookupError as error:
        raise BadInput(f"--encoding {encoding}: no such encoding; say e.g. utf-8, latin-1, cp1252 or utf-16.") from error
    except UnicodeDecodeError as error:
        raise BadInput(_not_encoded(path, encoding)) from error
    except (pa.ArrowInvalid, csv.Error, EOFError, gzip.BadGzipFile) as error:
        if "UTF8" in str(error):
            raise BadInput(_not_encoded(path, encoding)) from error
        raise BadInput(f"{path} cannot be split into columns by {delimiter!r}: {' '.join(str(error).split())[:200]}.") from error
    bare = "UTF-8" if encoding.lower() in ("utf-8", "utf8") else encoding
    return table.rename_columns([name.strip() for name in table.column_names]), f"read as {bare}, delimiter {_named(delimiter)}"


def _not_encoded(path: Path, encoding: str) -> str:
    with _binary(path) as stream:
        other = "utf-16" if stream.read(2) in UTF_16 else "latin-1"
    return f"{path} is not {encoding}: convert it to UTF-8, or say its encoding (e.g. --encoding {other})."


def header_of(path: Path, columns: Sequence[str], delimiter: str | None, encoding: str) -> tuple[str, list[str]]:
    """The delimiter and the names in the first row; BadInput naming the first of ``columns`` that is not there once."""
    found = {}
    for candidate in [delimiter] if delimiter else DELIMITERS:
        with _binary(path) as raw, io.TextIOWrapper(raw, "utf-8-sig" if encoding == "utf-8" else encoding, newline="") as stream:
            found[candidate] = next(csv.reader(stream, delimiter=candidate), [])
    if not any(found.values()):
        raise BadInput(f"{path} is empty; it should hold a header and rows.")

    def named(candidate: str) -> tuple[int, int]:
        names = [name.strip() for name in found[candidate]]
        return sum(column in names for column in columns), len(names)

    best = max(found, key=named)
    need([name.strip() for name in found[best]], columns, path, f" when split by {_named(best)}")
    return best, found[best]


def need(names: Sequence[str], columns: Sequence[str], path: Path, how: str = "") -> None:
    """BadInput naming the first of ``columns`` that is not among ``names`` exactly once."""
    for column in columns:
        if column not in names:
            there = ", ".join(map(str, names[:40])) or "none"
            raise BadInput(f"{path}: column {column!r} is missing; its columns{how} are {there}.")
        if names.count(column) > 1:
            raise BadInput(f"{path}: {names.count(column)} columns are called {column!r}; rename them so that one is meant.")


def _named(delimiter: str) -> str:
    return DELIMITERS.get(delimiter, repr(delimiter))


def _binary(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path, "rb")) if path.suffix.lower() == ".gz" else path.open("rb")


def _read_json_lines(path: Path, columns: Sequence[str]) -> pa.Table:
    """One object a line; a key that some lines lack is a missing value there."""
    cells: dict[str, list[str | None]] = {column: [] for column in columns}
    names: dict[str, None] = {}
    with _binary(path) as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                raise BadInput(f"{path}: line {number} is not JSON in UTF-8: {error}.") from error
            if not isinstance(row, dict):
                raise BadInput(f'{path}: line {number} is no JSON object; each line should hold one, such as {{"label": 1}}.')
            names.update(dict.fromkeys(row))
            for column, values in cells.items():
                values.append(None if row.get(column) is None else str(row[column]))
    if not names:
        raise BadInput(f"{path} is empty; it should hold one JSON object a line.")
    need(list(names), columns, path)
    return pa.table({column: pa.array(values, pa.string()) for column, values in cells.items()})


def _read_parquet(path: Path, columns: Sequence[str]) -> pa.Table:
    try:
        file = pq.ParquetFile(path)
        need(file.schema_arrow.names, columns, path)
        table = file.read(columns=list(columns))
        return pa.table({column: table.column(column).cast(pa.string()) for column in columns})
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise BadInput(f"{path} cannot be read as Parquet of plain columns: {error}.") from error
