"""Predictions in a folder, a glob or one big file of Parquet or delimited text: their rows in batches of plain strings."""

import csv
import glob
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from flows.audit_options import Options
from stages.contract.bad_input import BadInput
from stages.datasets import predictions_file

PARQUET, DELIMITED = (".parquet", ".pq"), (".csv", ".tsv", ".txt")
BATCH = 262_144
# So much is read whole and audited in memory; of text the bytes stand for rows.
WHOLE_ROWS, WHOLE_BYTES = 1_000_000, 200_000_000


@dataclass(frozen=True)
class Part:
    """What one process reads at once: some row groups of a Parquet file, or (``groups`` empty) a whole delimited file."""

    path: Path
    groups: tuple[int, ...]


def shards(path: Path) -> list[Path]:
    """The files that ``path`` means: itself, the files of a folder, or those that fit a glob, in order of their names."""
    if path.is_dir():
        found = [file for file in path.rglob("*") if file.is_file() and not file.name.startswith((".", "_"))]
    elif not path.exists() and glob.has_magic(str(path)):
        found = [Path(name) for name in glob.glob(str(path), recursive=True) if Path(name).is_file()]  # noqa: PTH207 - may be absolute
    else:
        return [path]
    if not found:
        raise BadInput(f"{path} holds no file; name a folder or a glob of .parquet, .csv or .tsv files.")
    return sorted(found)


def big(files: list[Path]) -> bool:
    """Whether these are too many rows to audit in memory."""
    files = [file for file in files if file.is_file()]
    text = sum(file.stat().st_size for file in files if file.suffix.lower() in DELIMITED)
    return text > WHOLE_BYTES or sum(_parquet(file).metadata.num_rows for file in files if file.suffix.lower() in PARQUET) > WHOLE_ROWS


def parts(files: list[Path]) -> list[Part]:
    """The work, in the order of rows: row groups of about a million rows together."""
    found = []
    for file in files:
        if file.suffix.lower() in DELIMITED:
            found.append(Part(file, ()))
            continue
        if file.suffix.lower() not in PARQUET:
            raise BadInput(f"{file}: shards are .parquet, .csv or .tsv files; save it as one of these, or take it out of the folder.")
        metadata, held, rows = _parquet(file).metadata, [], 0
        for group in range(metadata.num_row_groups):
            held.append(group)
            rows += metadata.row_group(group).num_rows
            if rows >= WHOLE_ROWS or group == metadata.num_row_groups - 1:
                found.append(Part(file, tuple(held)))
                held, rows = [], 0
    return found


def rows(part: Part, options: Options) -> int:
    """How many rows a part has."""
    if part.groups:
        metadata = _parquet(part.path).metadata
        return sum(metadata.row_group(group).num_rows for group in part.groups)
    return sum(batch.num_rows for batch in _delimited(part.path, [options.label], options))


def batches(part: Part, columns: list[str], options: Options) -> Iterator[pa.Table]:
    """``columns`` of a part, a batch of rows at a time: strings, "" where nothing is given, but numbers of the score as they are."""
    source = _delimited(part.path, columns, options) if not part.groups else _groups(part, columns)
    also = {options.label, options.decision, options.author, *options.attributes}
    for batch in source:
        found = {name: batch.column(name) for name in columns}
        plain = {name for name in found if name == options.score and name not in also and _number(found[name])}
        yield pa.table({name: column if name in plain else _text(column) for name, column in found.items()})


def _number(column: pa.Array) -> bool:
    return bool(pa.types.is_floating(column.type) or pa.types.is_integer(column.type))


def _text(column: pa.Array) -> pa.Array:
    return column.cast(pa.string()).fill_null("")


def _parquet(path: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise BadInput(f"{path} cannot be read as Parquet: {error}.") from error


def _groups(part: Part, columns: list[str]) -> Iterator[pa.RecordBatch]:
    with _parquet(part.path) as file:
        predictions_file.need(file.schema_arrow.names, columns, part.path)
        yield from file.iter_batches(BATCH, list(part.groups), columns, use_threads=False)


def _delimited(path: Path, columns: list[str], options: Options) -> Iterator[pa.RecordBatch]:
    delimiter, header = predictions_file.header_of(path, columns, options.delimiter, options.encoding)
    named = {name.strip(): name for name in header}
    cells = {named[column]: pa.string() for column in columns}
    try:
        with (
            pa.input_stream(path, compression="detect") as stream,
            pyarrow.csv.open_csv(
                stream,
                pyarrow.csv.ReadOptions(encoding=options.encoding, block_size=1 << 24, use_threads=False),
                pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
                pyarrow.csv.ConvertOptions(include_columns=list(cells), column_types=cells, strings_can_be_null=False),
            ) as reader,
        ):
            for batch in reader:
                yield batch.rename_columns([name.strip() for name in batch.schema.names])
    except (pa.ArrowInvalid, csv.Error) as error:
        raise BadInput(f"{path} cannot be split into columns by {delimiter!r}: {' '.join(str(error).split())[:200]}.") from error
