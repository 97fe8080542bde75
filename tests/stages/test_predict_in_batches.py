"""Texts read from the disk a batch at a time are predicted as texts held in memory."""

import numpy as np
import pyarrow as pa
import pytest

from stages import finetune, predict
from stages.contract import on_disk, tables
from stages.contract.schemas import Documents
from tests.models.tiny import documents, encoder, model, task, word_vectors

CNN = {"filters": 16, "dense": 8, "epochs": 2, "batch": 16, "learning_rate": 5e-3}
SVM = {"C": [1.0], "gamma": [0.1], "kernel": ["linear"]}
BY_GENDER = {"use": "thresholds", "attributes": {"gender": "category", "age": 40}}


def table(names=None) -> pa.Table:
    """90 documents of two genders, sorted as ingest sorts them."""
    found = documents(90, folds=3, labels=np.random.default_rng(2).normal(size=90))
    if names is not None:
        found = found.set_column(found.column_names.index("fold"), "fold", pa.array(names))
    return found.append_column("gender", pa.array(np.where(np.random.default_rng(1).random(90) < 0.4, "woman", "man")))


@pytest.fixture
def cell(tmp_path, monkeypatch):
    """Fit a cell; predict it from a table in memory, and from disk in batches of at most 40 rows."""
    monkeypatch.chdir(tmp_path)

    def both(documents, base, family, options, keep="weights", kind="classification"):
        chosen = task(kind=kind), model(family, **options)
        (tmp_path / "fitted").mkdir()
        finetune.run(documents, base, *chosen, finetune.Params(seed=3, keep=keep), tmp_path / "fitted")
        whole = predict.run(documents, base, tmp_path / "fitted", *chosen, predict.Params())
        path = tmp_path / "documents.parquet"
        tables.write_parquet(tables.check(documents, Documents.__metadata__[0], "d"), path)
        monkeypatch.setattr(on_disk, "BATCH", 40)
        read = on_disk.read(path, predict.Streamed.__metadata__[0])
        assert [part.num_rows for _, part in on_disk.batches(read, ["text"])] == [30, 30, 30]
        return whole, predict.run(read, base, tmp_path / "fitted", *chosen, predict.Params())

    return both


def alike(whole: pa.Table, batched: pa.Table) -> None:
    """All but the scores are the same, and these to their last digit; no score is told by chance of one value alone."""
    for name in ("doc_id", "fold", "y_true", "y_pred"):
        assert whole[name].to_pylist() == batched[name].to_pylist()
    first, second = (found["y_score"].to_numpy() for found in (whole, batched))
    assert np.abs(first - second).max() <= 1.0001e-6
    assert np.unique(first).size > 20


@pytest.mark.parametrize("keep", ["weights", "outputs"])
@pytest.mark.parametrize("kind", ["classification", "regression"])
def test_a_network(keep, kind, cell, tmp_path):
    alike(*cell(table(), word_vectors(tmp_path / "base"), "text_cnn", CNN, keep, kind))


def test_a_support_vector_machine(cell, tmp_path):
    (tmp_path / "base").mkdir()
    alike(*cell(table(), tmp_path / "base", "tfidf_svm", SVM))


def test_a_published_split_whose_parts_fill_batches_and_thresholds_by_group(cell, tmp_path):
    options = CNN | {"mitigation": BY_GENDER}
    whole, batched = cell(table(["train"] * 30 + ["dev"] * 30 + ["test"] * 30), word_vectors(tmp_path / "base"), "text_cnn", options)
    alike(whole, batched)
    assert batched["doc_id"].to_pylist() == [f"d{number:03d}" for number in range(60, 90)]


def test_features_that_are_kept_of_all_texts_are_taken_from_there(cell, tmp_path, capsys):
    whole, batched = cell(table(), encoder(tmp_path / "base"), "frozen_encoder", {"epochs": 2})
    assert whole.equals(batched)
    assert len(list((tmp_path / ".cache" / "features").iterdir())) == 1
    assert "frozen_encoder looks at all 90 texts at once: their features are kept as a whole" in capsys.readouterr().out
