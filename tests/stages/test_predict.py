"""From documents to out-of-fold predictions: every text once, by the model that did not see it."""

import numpy as np
import pyarrow as pa
import pytest
from safetensors.torch import load_file, save_file

from stages import finetune, predict
from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.schemas import Predictions
from stages.mitigations import thresholds
from stages.mitigations.groups import Groups
from stages.models import folds
from tests.models.tiny import documents, encoder, model, task, word_vectors

CNN = {"filters": 16, "dense": 8, "dropout": 0.2, "epochs": 15, "batch": 16, "learning_rate": 5e-3}


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    return word_vectors(tmp_path_factory.mktemp("vectors"))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def both(table, base, family, options, output, processes=1, keep="weights", **changes):
    """Fit, then predict."""
    output.mkdir(parents=True)
    cell = (task(**changes), model(family, **options))
    finetune.run(table, base, *cell, finetune.Params(seed=3, processes=processes, keep=keep), output)
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


@pytest.mark.parametrize(
    ("family", "options"), [pytest.param("transformer", {"epochs": 1}, marks=pytest.mark.slow), ("frozen_encoder", {"epochs": 2})]
)
def test_encoders_predict_alike_in_one_process_or_two(family, options, tmp_path):
    table, base = documents(40), encoder(tmp_path / "base")
    one = both(table, base, family, options, tmp_path / "one")
    two = both(table, base, family, options, tmp_path / "two", processes=2)
    assert one.equals(two)
    assert np.unique(column(one, "y_score")).size > 5


@pytest.mark.parametrize("kind", ["classification", "regression"])
@pytest.mark.parametrize(
    ("family", "options"), [("text_cnn", CNN | {"epochs": 2}), ("transformer", {"epochs": 1}), ("frozen_encoder", {"epochs": 2})]
)
def test_kept_outputs_give_the_predictions_of_kept_weights(family, options, kind, vectors, tmp_path):
    table = documents(40, labels=np.random.default_rng(0).normal(3, 5, 40))
    base = vectors if family == "text_cnn" else encoder(tmp_path / "base")
    found = [both(table, base, family, options, tmp_path / keep, keep=keep, kind=kind) for keep in ("weights", "outputs")]
    assert found[0].equals(found[1])
    held = load_file(tmp_path / "outputs" / "fold_1.safetensors")
    assert sorted(held) == ["outputs", "target_deviation", "target_mean", "texts"]
    assert len(held["texts"]) == 22, "20 to test and 2 of the validation author"
    assert (tmp_path / "weights" / "training.json").read_bytes() == (tmp_path / "outputs" / "training.json").read_bytes()


def test_kept_outputs_say_nothing_of_texts_of_another_table(vectors, tmp_path):
    both(documents(40), vectors, "text_cnn", CNN | {"epochs": 1}, tmp_path / "fitted", keep="outputs")
    with pytest.raises(BadInput, match=r"holds outputs and no weights that other texts could be read with: set finetune\.keep: weights"):
        folds.predict_fold(None, None, None, "classification", tmp_path / "fitted", ("0", np.arange(2)))


def test_kept_outputs_of_other_texts_are_refused(vectors, tmp_path):
    table = documents(40)
    both(table, vectors, "text_cnn", CNN | {"epochs": 1}, tmp_path / "fitted", keep="outputs")
    moved = pa.array([{"0": "1", "1": "0"}[fold] for fold in table["fold"].to_pylist()])
    table = table.set_column(table.column_names.index("fold"), "fold", moved)
    with pytest.raises(BadInput, match=r"holds no outputs for \d+ of the 20 texts that the fold has now; run finetune again"):
        predict.run(table, vectors, tmp_path / "fitted", task(), model("text_cnn", **CNN), predict.Params())


def test_folds_that_were_not_fitted_are_refused(vectors, tmp_path):
    both(documents(40, folds=2), vectors, "text_cnn", CNN | {"epochs": 1}, tmp_path / "fitted")
    cell = (task(), model("text_cnn", **CNN))
    with pytest.raises(BadInput, match="run finetune again"):
        predict.run(documents(40, folds=3), vectors, tmp_path / "fitted", *cell, predict.Params())


BY_GENDER = {"use": "thresholds", "attributes": {"gender": "category"}}


def unsure(vectors, tmp_path, names=None, epochs=2, **changes):
    """Documents of two genders, a barely fitted model's predictions of them without and with thresholds by gender."""
    table = documents(240, folds=3, labels=changes.pop("labels", None))
    if names is not None:
        table = table.set_column(table.column_names.index("fold"), "fold", pa.array(names))
    table = table.append_column("gender", pa.array(np.where(np.random.default_rng(1).random(240) < 0.4, "woman", "man")))
    options = CNN | {"epochs": epochs}
    plain = both(table, vectors, "text_cnn", options, tmp_path / "plain", **changes)
    return table, plain, both(table, vectors, "text_cnn", options | {"mitigation": BY_GENDER}, tmp_path / "fair", **changes)


def decided(table, score, fitted, applied):
    woman = np.array(table["gender"]) == "woman"
    groups = Groups(woman.astype(np.int64), np.ones(240, bool))
    params = thresholds.Params(attributes={"gender": "category"})
    return thresholds.decide(score, column(table, "favourable"), np.zeros(240, bool), groups, fitted, applied, params)


def test_thresholds_decide_each_fold_by_the_others_and_leave_scores(vectors, tmp_path):
    table, plain, fair = unsure(vectors, tmp_path)
    assert fair["y_score"] == plain["y_score"]
    assert fair["y_true"] == plain["y_true"]
    fold, score = column(table, "fold"), column(plain, "y_score")
    for name in ("0", "1", "2"):
        applied = np.flatnonzero(fold == name)
        assert np.array_equal(column(fair, "y_pred")[applied], decided(table, score, np.flatnonzero(fold != name), applied))
    assert fair["y_pred"] != plain["y_pred"]


def test_a_low_score_speaks_for_a_favourable_low_label(vectors, tmp_path):
    yes = column(documents(240, folds=3), "favourable")
    labels = 100 - 5.0 * yes + np.random.default_rng(0).normal(size=240)
    table, plain, fair = unsure(vectors, tmp_path, None, 10, labels=labels, kind="regression", favourable="low", threshold="median")
    score, fold = column(plain, "y_score"), column(table, "fold")
    applied = np.flatnonzero(fold == "1")
    assert np.array_equal(column(fair, "y_pred")[applied], decided(table, -score, np.flatnonzero(fold != "1"), applied))
    assert (column(fair, "y_pred") == yes).mean() > 0.8


def test_a_published_splits_thresholds_come_from_its_dev_part(vectors, tmp_path):
    names = ["train"] * 120 + ["dev"] * 60 + ["test"] * 60
    _, plain, fair = unsure(vectors, tmp_path, names)
    assert fair["doc_id"] == plain["doc_id"]
    assert fair["doc_id"].to_pylist() == [f"d{number}" for number in range(180, 240)]
    assert fair["y_score"] == plain["y_score"]
    assert fair["y_pred"] != plain["y_pred"]
    with pytest.raises(BadInput, match="fitted on the dev part"):
        unsure(vectors, tmp_path / "without", ["train"] * 180 + ["test"] * 60)
