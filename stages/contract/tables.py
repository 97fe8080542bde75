"""What a table must look like, the check at the door, and Parquet whose bytes depend on content alone."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from stages.contract.bad_input import BadInput
from stages.contract.whole import write_whole

__all__ = ["At", "check", "column_names", "from_pandas", "read", "write_parquet", "write_whole"]  # the last for those who write tables

# With these settings equal rows give equal bytes for one version of pyarrow: no pandas metadata, no stored schema.
PARQUET: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 3,
    "version": "2.6",
    "data_page_version": "1.0",
    "row_group_size": 131_072,
    "use_dictionary": True,
    "write_statistics": True,
    "store_schema": False,
}


@dataclass(frozen=True)
class At:
    """Where a stage's input or output lies, and for a table what it must look like.

    ``path`` may hold ``{task}`` and ``{model}``. ``columns`` maps names to types, ``?`` marking a column that may be null;
    ``others`` is what further columns, the demographic attributes, may be; ``alone`` reads none of them, whatever they are.
    With columns that are ``streamed``, as they may be too large to be held, the stage gets the table as ``on_disk.OnDisk``.
    """

    path: str
    columns: tuple[tuple[str, str], ...] = ()
    key: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    alone: bool = False
    streamed: tuple[str, ...] = ()

    def empty(self) -> pa.Table:
        """A table of this kind without rows."""
        return pa.schema([(name, self.type_of(name)) for name, _ in self.columns]).empty_table()

    def type_of(self, name: str) -> pa.DataType | None:
        kind = dict(self.columns).get(name)
        return None if kind is None else pa.type_for_alias(kind.removesuffix("?"))


def column_names(table: Any) -> list[str]:
    """The names of the columns of ``Scores`` and its like, in their order."""
    return [name for name, _ in table.__metadata__[0].columns]


def check(table: pa.Table, at: At, name: str) -> pa.Table:
    """``table`` with the columns of ``at`` in their order and types; BadInput in one sentence when it does not fit."""
    for column, kind in at.columns:
        if column not in table.column_names:
            raise BadInput(f"{name}: column {column!r} is missing; it has {', '.join(table.column_names)}. Rerun the stage that writes it.")
        values = table.column(column)
        nulls = values.null_count
        if nulls and not kind.endswith("?"):
            raise BadInput(f"{name}: column {column!r} is null in {nulls} of {table.num_rows} rows and must not be.")
    names = [column for column, _ in at.columns]
    others = [column for column in table.column_names if column not in names]
    for column in others:
        if _plain(table, column) not in at.others:
            allowed = " or ".join(at.others) or "no other column"
            raise BadInput(f"{name}: column {column!r} is {_plain(table, column)}; besides {', '.join(names)} it may hold {allowed}.")
    kinds = {column: at.type_of(column) or pa.type_for_alias(_plain(table, column)) for column in names + others}
    table = pa.table({column: _cast(table, column, kind, name) for column, kind in kinds.items()})
    if at.key:
        distinct = table.group_by(list(at.key)).aggregate([]).num_rows
        if distinct < table.num_rows:
            raise BadInput(
                f"{name}: {table.num_rows - distinct} of {table.num_rows} rows repeat the key {'+'.join(at.key)}, which must be unique."
            )
    return table


def _cast(table: pa.Table, column: str, kind: pa.DataType, name: str) -> pa.ChunkedArray:
    try:
        return table.column(column).cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise BadInput(f"{name}: column {column!r} is {_plain(table, column)} and must be {kind}: {error}.") from error


def _plain(table: pa.Table, column: str) -> str:
    """A column's type by name, strings of any width being strings, and a column of nulls alone counting as strings too."""
    kind = str(table.schema.field(column).type)
    return {"large_string": "string", "string_view": "string", "null": "string"}.get(kind, kind)


def read(path: Path, at: At) -> pa.Table:
    """The table in a Parquet file, checked."""
    if not path.is_file():
        raise BadInput(f"{path} is missing: run the stage that writes it (dvc repro).")
    try:
        table = pq.ParquetFile(path).read(columns=[name for name, _ in at.columns] if at.alone else None)
    except (pa.ArrowInvalid, OSError) as error:
        raise BadInput(f"{path} is not a readable Parquet file: {error}.") from error
    return check(table, at, str(path))


def from_pandas(frame: pd.DataFrame) -> pa.Table:
    """A frame as a table, its index left behind; ``check`` mends the types."""
    return pa.Table.from_pandas(frame, preserve_index=False)


def write_parquet(table: pa.Table, path: Path) -> None:
    pq.write_table(table.replace_schema_metadata(None), path, **PARQUET)
