"""Texts are the means of their words' vectors; the perceptron is scikit-learn's, from what is stored."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier, MLPRegressor

from stages import finetune, predict
from stages.contract.bad_input import BadInput
from stages.models import pooled_vectors, vectors
from stages.models.folds import Lesson
from tests.models.tiny import BAD, GOOD, documents, model, task, word_vectors

ONE = {"hidden": (8,), "solver": ("adam",), "alpha": (1e-3,), "epochs": 60}


def test_a_text_is_the_mean_of_the_vectors_its_words_have(tmp_path):
    base = word_vectors(tmp_path)
    held = vectors.load(base)
    rows = dict(zip(held.words, held.matrix.astype(float), strict=True))
    inputs = pooled_vectors.prepare(["Trust, trust the qwzx doctor", "qwzx"], base, pooled_vectors.Params())
    assert inputs.features[0] == pytest.approx((2 * rows["trust"] + rows["the"] + rows["doctor"]) / 4)
    assert not inputs.features[1].any()
    assert inputs.notes == {"texts_without_a_vector": 1}
    with pytest.raises(BadInput, match="has a vector for none of the words of 1 texts"):
        pooled_vectors.prepare(["qwzx"], base, pooled_vectors.Params())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("activation", ["tanh", "relu"])
@pytest.mark.parametrize("kind", ["regression", "classification"])
def test_what_is_stored_says_what_scikit_learn_says(kind, activation):
    random = np.random.default_rng(1)
    inputs = pooled_vectors.Inputs(random.normal(size=(90, 6)), {})
    labels = inputs.features[:, 0] / 4 + 0.5 if kind == "regression" else (inputs.features[:, 0] > 0).astype(float)
    train, both, test = np.arange(40), np.arange(60), np.arange(60, 90)
    mean, deviation = (labels[train].mean(), labels[train].std()) if kind == "regression" else (0.0, 1.0)
    lesson = Lesson(kind, ((labels - mean) / deviation).astype(np.float32), train, both[40:], 5, mean, deviation, labels)
    params = pooled_vectors.Params(activation=(activation,), **ONE)
    found = pooled_vectors.predict(inputs, pooled_vectors.fit(inputs, lesson, params)[0], test, params)
    network = (MLPRegressor if kind == "regression" else MLPClassifier)(
        hidden_layer_sizes=(8,), activation=activation, alpha=1e-3, max_iter=60, random_state=5
    ).fit(inputs.features[both], labels[both])
    if kind == "regression":
        assert found * deviation + mean == pytest.approx(network.predict(inputs.features[test]), abs=1e-9)
    else:
        assert 1 / (1 + np.exp(-found)) == pytest.approx(network.predict_proba(inputs.features[test])[:, 1], abs=1e-9)


def test_all_settings_are_tried_and_a_network_that_has_not_converged_is_no_warning():
    random = np.random.default_rng(1)
    inputs = pooled_vectors.Inputs(random.normal(size=(60, 4)), {})
    labels = inputs.features[:, 0]
    lesson = Lesson("regression", labels.astype(np.float32), np.arange(40), np.arange(40, 60), 1)
    params = pooled_vectors.Params(epochs=3, hidden=(4, 8))
    with pytest.warns(ConvergenceWarning):
        MLPRegressor(max_iter=3).fit(inputs.features, labels)
    tensors, history = pooled_vectors.fit(inputs, lesson, params)
    assert len(history["validation_scores"]) == 16
    again, _ = pooled_vectors.fit(inputs, lesson, params)
    assert all(bool((tensors[name] == again[name]).all()) for name in tensors)


def test_it_finds_the_planted_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table, base = documents(240), word_vectors(tmp_path / "base", dimensions=16)
    chosen = task(), model("pooled_vectors", hidden=[16], solver=["adam"], activation=["relu"])
    (tmp_path / "fitted").mkdir()
    finetune.run(table, base, *chosen, finetune.Params(seed=3, validation=0.2), tmp_path / "fitted")
    found = predict.run(table, base, tmp_path / "fitted", *chosen, predict.Params())
    assert (found["y_pred"].to_numpy() == table["favourable"].to_numpy(zero_copy_only=False)).mean() > 0.9, (GOOD, BAD)
