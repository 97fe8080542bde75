"""From documents to out-of-fold predictions: every text once, by the model that did not see it."""

import numpy as np
import pyarrow as pa
import pytest
from safetensors.torch import load_file, save_file

from stages import finetune, predict
from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.schemas import Predictions
from tests.models.tiny import documents, encoder, model, task, word_vectors

CNN = {"filters": 16, "dense": 8, "dropout": 0.2, "epochs": 15, "batch": 16, "learning_rate": 5e-3}


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    return word_vectors(tmp_path_factory.mktemp("vectors"))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def both(table, base, family, options, output, processes=1, **changes):
    """Fit, then predict."""
    output.mkdir()
    cell = (task(**changes), model(family, **options))
    finetune.run(table, base, *cell, finetune.Params(seed=3, processes=1), output)
    found = predict.run(table, base, output, *cell, predict.Params(processes=processes))
    return tables.check(found, Predictions.__metadata__[0], "predictions")


def column(table, name):
    return table[name].to_numpy(zero_copy_only=False)


def test_every_text_is_predicted_once_and_rightly(vectors, tmp_path):
    table = documents(160, folds=3)
    found = both(table, vectors, "text_cnn", CNN, tmp_path / "fitted")
    assert found["doc_id"] == table["doc_id"]
    assert found["fold"] == table["fold"]
    assert np.array_equal(column(found, "y_true"), column(table, "favourable"))
    assert np.array_equal(column(found, "y_pred"), column(found, "y_score") >= 0.5)
    assert ((column(found, "y_score") > 0) & (column(found, "y_score") < 1)).all()
    assert (column(found, "y_pred") == column(found, "y_true")).mean() >= 0.9
    assert np.array_equal(column(found, "y_score"), np.round(column(found, "y_score"), 6))


def test_each_text_is_judged_by_the_model_of_its_fold(vectors, tmp_path):
    table = documents(40)
    first = both(table, vectors, "text_cnn", CNN | {"epochs": 1}, tmp_path / "fitted")
    file = tmp_path / "fitted" / "fold_1.safetensors"
    changed = load_file(file)
    changed["output.bias"] += 5
    save_file(changed, file, metadata={"format": "pt"})
    second = predict.run(table, vectors, tmp_path / "fitted", task(), model("text_cnn", **CNN | {"epochs": 1}), predict.Params())
    assert np.array_equal(column(first, "y_score") != column(second, "y_score"), column(table, "fold") == "1")


def test_a_published_split_is_predicted_on_its_test_part_alone(vectors, tmp_path):
    table = documents(40)
    names = pa.array(["train"] * 20 + ["dev"] * 10 + ["test"] * 10)
    table = table.set_column(table.column_names.index("fold"), "fold", names)
    found = both(table, vectors, "text_cnn", CNN | {"epochs": 1}, tmp_path / "fitted")
    assert found["doc_id"].to_pylist() == table["doc_id"].to_pylist()[30:]


@pytest.mark.parametrize(("favourable", "threshold"), [("high", "median"), ("low", "median"), ("high", 103.0)])
def test_a_regression_answers_in_the_labels_units(favourable, threshold, vectors, tmp_path):
    yes = documents(240)["favourable"].to_numpy(zero_copy_only=False)
    labels = 100 + 5.0 * yes + np.random.default_rng(0).normal(size=240)
    changes = {"kind": "regression", "favourable": favourable, "threshold": threshold}
    found = both(documents(240, labels=labels), vectors, "text_cnn", CNN, tmp_path / "fitted", **changes)
    score, decided = column(found, "y_score"), column(found, "y_pred")
    assert np.array_equal(column(found, "y_true"), labels)
    assert np.corrcoef(score, labels)[0, 1] > 0.8
    assert abs(score.mean() - labels.mean()) < 1
    high = score >= (np.median(labels) if threshold == "median" else threshold)
    assert np.array_equal(decided, high if favourable == "high" else ~high)


@pytest.mark.parametrize(("family", "options"), [("transformer", {"epochs": 1}), ("frozen_encoder", {"epochs": 2})])
def test_encoders_predict_alike_in_one_process_or_two(family, options, tmp_path):
    table, base = documents(40), encoder(tmp_path / "base")
    one = both(table, base, family, options, tmp_path / "one")
    two = both(table, base, family, options, tmp_path / "two", processes=2)
    assert one.equals(two)
    assert np.unique(column(one, "y_score")).size > 5


def test_folds_that_were_not_fitted_are_refused(vectors, tmp_path):
    both(documents(40, folds=2), vectors, "text_cnn", CNN | {"epochs": 1}, tmp_path / "fitted")
    cell = (task(), model("text_cnn", **CNN))
    with pytest.raises(BadInput, match="run finetune again"):
        predict.run(documents(40, folds=3), vectors, tmp_path / "fitted", *cell, predict.Params())
