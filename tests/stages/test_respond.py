"""What fitted models say of sentences: those in their language alone, the mean over folds, on the labels' scale."""

import numpy as np
import pyarrow as pa
import pytest

from stages import finetune, predict, respond
from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.challenges import Responses
from tests.models.tiny import documents, model, task, word_vectors

CNN = {"filters": 16, "dense": 8, "epochs": 2, "batch": 16, "learning_rate": 5e-3}


def sentences(texts, lang="en", challenge="first"):
    number = len(texts)
    return pa.table(
        {
            "sentence_id": [f"s{i}" for i in range(number)],
            "text": texts,
            "lang": [lang] * number,
            "template": ["t"] * number,
            "emotion": pa.nulls(number, pa.string()),
            "emotion_word": pa.nulls(number, pa.string()),
            "person": ["somebody"] * number,
            "gender": ["female", "male"] * (number // 2),
            "challenge": [challenge] * number,
        }
    )


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    return word_vectors(tmp_path_factory.mktemp("vectors"))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def fitted(table, base, output, keep="weights", **changes):
    output.mkdir(parents=True)
    finetune.run(table, base, task(**changes), model("text_cnn", **CNN), finetune.Params(seed=3, keep=keep), output)
    return output


def ask(table, put, base, folder, challenges=("first",), **changes):
    cell = (task(**changes), model("text_cnn", **CNN))
    return tables.check(
        respond.run(table, put, base, folder, *cell, list(challenges), respond.Params()), Responses.__metadata__[0], "answers"
    )


def test_a_text_of_the_data_gets_the_mean_of_all_folds(vectors, tmp_path):
    """The fold that holds a text predicts it as predict does, so K means less the other folds' answers give predict's."""
    table = documents(40)
    folder = fitted(table, vectors, tmp_path / "fitted")
    put = sentences(table["text"].to_pylist())
    found = ask(table, put, vectors, folder)["y_score"].to_numpy()
    swapped = table.set_column(
        table.column_names.index("fold"), "fold", pa.array(["1" if f == "0" else "0" for f in table["fold"].to_pylist()])
    )
    cell = (task(), model("text_cnn", **CNN))
    both = [predict.run(part, vectors, folder, *cell, predict.Params())["y_score"].to_numpy() for part in (table, swapped)]
    assert np.abs(found - np.mean(both, axis=0)).max() < 1.1e-6


def test_only_sentences_in_the_documents_language_of_the_tasks_challenges_are_put(vectors, tmp_path):
    table = documents(40)
    folder = fitted(table, vectors, tmp_path / "fitted")
    put = pa.concat_tables([sentences(["a b", "c d"]), sentences(["e f", "g h"], "es"), sentences(["i j", "k l"], challenge="second")])
    assert ask(table, put, vectors, folder)["challenge"].to_pylist() == ["first", "first"]
    assert ask(table, put, vectors, folder, ("second",))["challenge"].to_pylist() == ["second", "second"]
    assert ask(table, put, vectors, folder, ()).num_rows == 0


def test_a_regression_is_put_on_the_scale_of_its_labels(vectors, tmp_path):
    labels = np.linspace(1, 7, 40)
    table = documents(40, labels=labels)
    folder = fitted(table, vectors, tmp_path / "fitted", kind="regression", threshold="median")
    found = ask(table, sentences(table["text"].to_pylist()[:2]), vectors, folder, kind="regression", threshold="median")
    assert np.allclose(found["unit_score"].to_numpy(), (found["y_score"].to_numpy() - 1) / 6)


def test_models_of_which_only_outputs_were_kept_cannot_be_asked(vectors, tmp_path):
    table = documents(40)
    folder = fitted(table, vectors, tmp_path / "fitted", keep="outputs")
    with pytest.raises(BadInput, match="keep: weights"):
        ask(table, sentences(table["text"].to_pylist()[:2]), vectors, folder)
