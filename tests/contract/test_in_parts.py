"""A table of which one column is read in parts is checked, ordered and written as one that is held."""

import pandas as pd
import pyarrow as pa
import pytest

from stages.contract import command, in_parts, tables
from stages.contract.bad_input import BadInput
from stages.contract.in_parts import InParts, Texts
from stages.contract.schemas import Documents
from tests.conftest import make_documents

AT = Documents.__metadata__[0]
TEXTS = [f"text {number}" for number in range(60)]
ORDER = [number * 7 % 60 for number in range(45)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where texts lie meanwhile; parts are of twenty."""
    monkeypatch.setitem(tables.PARQUET, "row_group_size", 20)
    monkeypatch.setattr(in_parts.tempfile, "tempdir", str(tmp_path / "meanwhile"))
    (tmp_path / "meanwhile").mkdir()
    return tmp_path / "meanwhile"


def texts(found=TEXTS, lot=8) -> Texts:
    return Texts(lambda: (pd.Series(found[start : start + lot]) for start in range(0, len(found), lot)), in_parts.blank(pd.Series(found)))


def table(**changed) -> InParts:
    held = make_documents(TEXTS[:45], [number % 3 == 0 for number in range(45)]).drop_columns("text")
    for name, values in changed.items():
        held = held.set_column(held.column_names.index(name), name, pa.array(values))
    return InParts(held, "text", lambda: texts().parts(ORDER))


def listed(parts) -> list[str]:
    return [text for part in parts for text in part.to_pylist()]


def test_texts_come_in_the_order_asked_for_whatever_the_lots(folder):
    for lot in (1, 8, 60):
        for order in (ORDER, [5], list(range(20)), list(range(60))):
            parts = list(texts(lot=lot).parts(order))
            assert [len(part) for part in parts[:-1]] == [20] * (len(parts) - 1)
            assert listed(parts) == [TEXTS[number] for number in order]


def test_held_texts_are_texts_too(folder):
    assert listed(Texts.of(pd.Series(TEXTS)).parts(ORDER)) == [TEXTS[number] for number in ORDER]


def test_blank_texts_are_empty_or_white_space_alone():
    assert in_parts.blank(pd.Series(["", " \t\n", "\u3000", " a", "."])).tolist() == [True, True, True, False, False]


def test_what_is_written_is_what_the_whole_table_would_be(folder, tmp_path):
    command._write(table(), AT, tmp_path / "parts.parquet")
    whole = tables.check(table().whole(), AT, "whole")
    assert whole["text"].to_pylist() == [TEXTS[number] for number in ORDER]
    tables.write_parquet(whole, tmp_path / "whole.parquet")
    assert (tmp_path / "parts.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()


def test_nothing_is_left_behind_by_who_reads_all_or_stops(folder):
    assert len(list(texts().parts(ORDER))) == 3
    stopping = texts().parts(ORDER)
    next(stopping)
    assert len(list(folder.iterdir())) == 1
    stopping.close()
    assert not list(folder.iterdir())


@pytest.mark.parametrize(
    "changed", [{"doc_id": ["one", "one", *map(str, range(43))]}, {"fold": [None, *["0"] * 44]}, {"label": ["high"] * 45}]
)
def test_what_the_door_refuses_of_a_whole_table_it_refuses_here_in_the_same_words(folder, tmp_path, changed):
    path = tmp_path / "d.parquet"
    with pytest.raises(BadInput) as refusal:
        command._write(table(**changed), AT, path)
    with pytest.raises(BadInput) as expected:
        tables.check(table(**changed).whole(), AT, str(path))
    assert str(refusal.value) == str(expected.value)
    assert list(tmp_path.iterdir()) == [folder]


def test_a_null_in_a_late_part_is_refused_and_no_file_is_begun(folder, tmp_path):
    found = table()
    broken = InParts(found.held, "text", lambda: texts([*TEXTS[:-1], None]).parts([*range(44), 59]))
    with pytest.raises(BadInput, match="column 'text' is null in 1 of 5 rows and must not be"):
        command._write(broken, AT, tmp_path / "d.parquet")
    assert list(tmp_path.iterdir()) == [folder]
    assert not list(folder.iterdir())
