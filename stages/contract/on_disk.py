"""Tables too large to be held: checked at the door as others are, then read by columns, and by batches of rows."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from stages.contract.bad_input import BadInput
from stages.contract.tables import At, check

BATCH = 131_072  # rows at most of a batch


@dataclass(frozen=True)
class OnDisk:
    """A checked Parquet file that gives what a table in memory gives, reading it when it is asked for."""

    path: Path
    at: At
    column_names: list[str]
    num_rows: int

    def select(self, names: Sequence[str]) -> pa.Table:
        """Some columns, whole."""
        with pq.ParquetFile(self.path) as file:
            return self._checked(file.read(columns=list(names)), names)

    def batches(self, names: Sequence[str], rows: int) -> Iterator[pa.Table]:
        """Some columns, so many rows at a time; buffering ahead would hold all of the file."""
        with pq.ParquetFile(self.path, pre_buffer=False) as file:
            for batch in file.iter_batches(rows, columns=list(names)):
                yield self._checked(pa.Table.from_batches([batch]), names)

    def _checked(self, table: pa.Table, names: Sequence[str]) -> pa.Table:
        columns = tuple(column for column in self.at.columns if column[0] in names)
        return check(table, replace(self.at, columns=columns, key=()), str(self.path))


def read(path: Path, at: At) -> OnDisk:
    """The table in a Parquet file, every row of it checked, its ``streamed`` columns a batch at a time. BadInput: as ``tables.read``."""
    if not path.is_file():
        raise BadInput(f"{path} is missing: run the stage that writes it (dvc repro).")
    try:
        with pq.ParquetFile(path) as file:
            schema, number = file.schema_arrow, file.metadata.num_rows
            held = [name for name in schema.names if name not in at.streamed]
            names = check(schema.empty_table(), at, str(path)).column_names
            check(file.read(columns=held), replace(at, columns=tuple(column for column in at.columns if column[0] in held)), str(path))
        table = OnDisk(path, at, names, number)
        for _ in table.batches(at.streamed, BATCH):
            pass
    except (pa.ArrowInvalid, OSError) as error:
        raise BadInput(f"{path} is not a readable Parquet file: {error}.") from error
    return table


def batches(table: pa.Table | OnDisk, names: Sequence[str]) -> Iterator[tuple[int, pa.Table]]:
    """Some columns of a table in as few batches as can be, equally long, each with its first row's position.

    Equally long, as what holds of many rows (such as that some word is known) need not hold of a short rest.
    """
    count = max(1, math.ceil(table.num_rows / BATCH))
    rows = max(1, math.ceil(table.num_rows / count))
    if isinstance(table, OnDisk):
        parts = table.batches(names, rows)
    else:
        parts = (table.select(names).slice(start, rows) for start in range(0, table.num_rows, rows))
    first = 0
    for part in parts:
        yield first, part
        first += part.num_rows
