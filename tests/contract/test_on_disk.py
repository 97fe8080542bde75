"""A table on disk is checked as wholly as one in memory, and its batches put together are its columns."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stages.contract import on_disk, tables
from stages.contract.bad_input import BadInput
from stages.contract.on_disk import OnDisk
from stages.predict import Streamed
from tests.conftest import make_documents

AT = Streamed.__metadata__[0]
TEXTS = [f"text {number}" for number in range(41)]


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(on_disk, "BATCH", 20)


def documents() -> pa.Table:
    numbers = range(41)
    gender = [["woman", "man", None][number % 3] for number in numbers]
    return make_documents(TEXTS, [number % 3 == 0 for number in numbers], gender=gender)


def written(table, path) -> OnDisk:
    pq.write_table(table, path, row_group_size=16)
    return on_disk.read(path, AT)


def test_batches_are_few_equally_long_and_whole_together(small, tmp_path):
    table = documents()
    held = written(table, tmp_path / "d.parquet")
    assert (held.num_rows, set(held.column_names)) == (41, set(table.column_names))
    for source in (held, table):
        found = list(on_disk.batches(source, ["text", "fold"]))
        assert [(start, part.num_rows) for start, part in found] == [(0, 14), (14, 14), (28, 13)]
        assert pa.concat_tables([part for _, part in found]).to_pydict() == table.select(["text", "fold"]).to_pydict()


def test_up_to_a_batch_is_one_batch_and_nothing_is_none(tmp_path):
    for table, rows in ((documents(), [41]), (documents().slice(0, 0), [])):
        held = written(table, tmp_path / "d.parquet")
        assert [part.num_rows for source in (held, table) for _, part in on_disk.batches(source, ["text"])] == rows * 2


def test_columns_are_as_a_table_read_whole_has_them(tmp_path):
    held = written(documents(), tmp_path / "d.parquet")
    whole = tables.read(tmp_path / "d.parquet", AT)
    names = ["doc_id", "label", "favourable", "gender"]
    assert held.select(names).equals(whole.select(names))
    assert held.column_names == whole.column_names


def changed(name, values):
    table = documents()
    return table.set_column(table.column_names.index(name), name, pa.array(values))


@pytest.mark.parametrize(
    "table",
    [
        changed("text", [*TEXTS[:-1], None]),
        changed("text", [True] * 41).drop_columns(["text"]),
        changed("text", [["a"]] * 41),
        changed("fold", [None, *["0"] * 40]),
        changed("doc_id", ["one", "one", *map(str, range(39))]),
        changed("label", ["high"] * 41),
        changed("gender", np.arange(41)),
    ],
)
def test_what_the_door_refuses_of_a_table_in_memory_it_refuses_here_in_the_same_words(table, tmp_path):
    path = tmp_path / "d.parquet"
    with pytest.raises(BadInput) as refusal:
        written(table, path)
    with pytest.raises(BadInput) as expected:
        tables.read(path, AT)
    assert str(refusal.value) == str(expected.value)


def test_a_null_of_a_late_batch_is_found_at_the_door(small, tmp_path):
    with pytest.raises(BadInput, match=r"column 'text' is null in 1 of 1 rows and must not be"):
        written(changed("text", [*TEXTS[:-1], None]), tmp_path / "d.parquet")


def test_missing_and_broken_files(tmp_path):
    with pytest.raises(BadInput, match="is missing: run the stage that writes it"):
        on_disk.read(tmp_path / "none.parquet", AT)
    (tmp_path / "broken.parquet").write_bytes(b"not parquet")
    with pytest.raises(BadInput, match="is not a readable Parquet file"):
        on_disk.read(tmp_path / "broken.parquet", AT)
