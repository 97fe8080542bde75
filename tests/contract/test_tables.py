"""Tables are checked at the door, and their bytes depend on their content alone."""

import hashlib
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.schemas import Documents, Predictions
from tests.conftest import make_documents

DOCUMENTS, PREDICTIONS = Documents.__metadata__[0], Predictions.__metadata__[0]


def predictions(**changed):
    columns = {"doc_id": ["a", "b"], "fold": ["0", "1"], "y_true": [0.0, 1.0], "y_score": [0.2, 0.9], "y_pred": [0, 1]} | changed
    return pa.table({name: values for name, values in columns.items() if values is not None})


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (predictions(y_score=None), "p.parquet: column 'y_score' is missing; it has doc_id, fold, y_true, y_pred."),
        (predictions(y_score=[None, 0.5]), "p.parquet: column 'y_score' is null in 1 of 2 rows and must not be."),
        (predictions(doc_id=["a", "a"]), "p.parquet: 1 of 2 rows repeat the key doc_id, which must be unique."),
        (predictions(extra=["x", "y"]), "p.parquet: column 'extra' is string; besides"),
        (predictions(y_pred=["yes", "no"]), "p.parquet: column 'y_pred' is string and must be int64: Failed to parse string"),
    ],
)
def test_a_table_that_does_not_fit_is_refused_in_one_sentence(table, sentence):
    with pytest.raises(BadInput) as refusal:
        tables.check(table, PREDICTIONS, "p.parquet")
    assert str(refusal.value).startswith(sentence)


def test_missing_and_broken_files(tmp_path):
    with pytest.raises(BadInput, match="is missing: run the stage that writes it"):
        tables.read(tmp_path / "none.parquet", PREDICTIONS)
    (tmp_path / "broken.parquet").write_bytes(b"not parquet")
    with pytest.raises(BadInput, match="is not a readable Parquet file"):
        tables.read(tmp_path / "broken.parquet", PREDICTIONS)


def digest(table: pa.Table, path: Path) -> str:
    tables.write_whole(path, lambda temporary: tables.write_parquet(tables.check(table, DOCUMENTS, "d"), temporary))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_equal_content_gives_equal_bytes(tmp_path):
    """Not so by default: a pandas index, attrs, string flavours, chunks and column order all leave traces in Parquet."""
    table = make_documents(["one", "two", "three", "four"], [True, False, True, False], gender=["woman", None, "man", "woman"])
    frame = table.to_pandas()
    frame.attrs["note"] = "a trace"
    sorted_frame = frame.sample(frac=1, random_state=1).sort_values("doc_id").astype({"text": object})
    variants = [
        table,
        pa.Table.from_pandas(frame),
        pa.Table.from_pandas(sorted_frame, preserve_index=False),
        pa.concat_tables([table.slice(0, 1), table.slice(1)]),
        table.select(["text", *[name for name in table.column_names if name != "text"]]),
        tables.from_pandas(pd.DataFrame(frame)),
    ]
    variants[1] = variants[1].drop_columns([name for name in variants[1].column_names if name.startswith("__")])
    assert len({digest(variant, tmp_path / f"{i}.parquet") for i, variant in enumerate(variants)}) == 1


def test_a_round_trip_changes_nothing(tmp_path):
    table = tables.check(make_documents(["one", "two"], [True, False], age=[31.0, None]), DOCUMENTS, "d")
    digest(table, tmp_path / "d.parquet")
    assert tables.read(tmp_path / "d.parquet", DOCUMENTS).equals(table)
