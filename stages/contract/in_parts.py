"""Tables whose texts are too many to be held: put in order on the disk, then given and written a row group at a time."""

import itertools
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from stages.contract.tables import PARQUET, At, check


@dataclass(frozen=True)
class Texts:
    """The texts of a source, numbered in its order: ``lots`` reads them anew, some at a time; ``blank``: which hold nothing to read."""

    lots: Callable[[], Iterator[pd.Series]]
    blank: NDArray[np.bool_]

    @classmethod
    def of(cls, texts: pd.Series) -> "Texts":
        """Texts that are held."""
        return cls(lambda: iter([texts]), blank(texts))

    def parts(self, numbers: NDArray[np.int64]) -> Iterator[pa.Array]:
        """The texts with these ``numbers``, in this order and a row group at a time; of several groups they lie in $TMPDIR meanwhile."""
        rows = PARQUET["row_group_size"]
        if len(numbers) <= rows:
            yield pa.concat_arrays([_array(lot) for lot in self.lots()]).take(pa.array(numbers))
            return
        place = np.full(len(self.blank), -1)  # of a text that is in no part
        place[numbers] = np.arange(len(numbers))
        bounds = np.append(np.arange(0, len(numbers), rows), len(numbers))
        with tempfile.TemporaryDirectory(prefix="crossbias_texts_") as folder:
            self._spill(place, bounds, Path(folder))
            for group in range(len(bounds) - 1):
                yield _gathered(Path(folder, str(group)))

    def _spill(self, place: NDArray[np.int64], bounds: NDArray[np.int64], folder: Path) -> None:
        """Append each lot's texts to the file of the row group, from one bound to the next, in which they have their place."""
        for first, lot in _numbered(self.lots()):
            here = place[first : first + len(lot)]
            order = np.argsort(here)
            table = pa.table({"place": here, "text": _array(lot)}).take(order)
            for group, (start, end) in enumerate(itertools.pairwise(np.searchsorted(here[order], bounds))):
                if start < end:
                    with Path(folder, str(group)).open("ab") as file, pa.ipc.new_stream(file, table.schema) as stream:
                        stream.write_table(table.slice(start, end - start))


@dataclass(frozen=True)
class InParts:
    """A table of which one column, ``streamed``, is never held whole: ``parts`` reads it anew, a row group at a time."""

    held: pa.Table
    streamed: str
    parts: Callable[[], Iterator[pa.Array]]

    def whole(self) -> pa.Table:
        """The table in memory."""
        return self.held.append_column(self.streamed, pa.chunked_array(list(self.parts()), pa.large_string()))

    def write(self, path: Path, at: At, name: str) -> None:
        """Check the table as ``tables.check`` does, the column in parts, and write what ``write_parquet`` writes, byte for byte."""
        names = [column for column, _ in at.columns]
        held = check(self.held, replace(at, columns=tuple(column for column in at.columns if column[0] != self.streamed)), name)
        names += [column for column in held.column_names if column not in names]
        only = replace(at, columns=((self.streamed, dict(at.columns)[self.streamed]),), key=())
        schema = held.schema.append(pa.field(self.streamed, at.type_of(self.streamed)))
        settings = {key: value for key, value in PARQUET.items() if key != "row_group_size"}
        with pq.ParquetWriter(path, pa.schema([schema.field(column) for column in names]), **settings) as writer:
            for first, part in _numbered(self.parts()):
                column = check(pa.table({self.streamed: part}), only, name)[self.streamed]
                writer.write_table(held.slice(first, len(part)).append_column(self.streamed, column).select(names))


def blank(texts: pd.Series) -> NDArray[np.bool_]:
    """Which texts are empty or white space alone; stripping would copy every text."""
    return (texts.str.isspace() | (texts == "")).to_numpy(dtype=bool)


def _numbered(parts: Iterator) -> Iterator[tuple[int, pd.Series | pa.Array]]:
    """Each part with the number of its first item."""
    first = 0
    for part in parts:
        yield first, part
        first += len(part)


def _array(lot: pd.Series) -> pa.Array:
    found = pa.array(lot, from_pandas=True)
    return (found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found).cast(pa.large_string())


def _gathered(path: Path) -> pa.Array:
    """The texts that a file of several Arrow streams holds, in the order of their places."""
    found = []
    with path.open("rb") as file:
        while file.tell() < path.stat().st_size:
            found.append(pa.ipc.open_stream(file).read_all())
    table = pa.concat_tables(found)
    return table["text"].combine_chunks().take(pa.array(np.argsort(table["place"].to_numpy())))
