"""What fitted models say: of sentences in their language the mean over folds, of swapped texts the own fold's, on the labels' scale."""

import numpy as np
import pyarrow as pa
import pytest

from stages import finetune, predict, respond
from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.challenges import Responses
from stages.contract.swaps import SwapResponses, Swaps
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
            "favourable": pa.nulls(number, pa.bool_()),
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


def answers(table, put, swaps, base, folder, challenges=("first",), **changes):
    cell = (task(**changes), model("text_cnn", **CNN))
    both = respond.run(table, put, swaps, base, folder, *cell, list(challenges), respond.Params())
    return [tables.check(found, kind.__metadata__[0], "answers") for found, kind in zip(both, (Responses, SwapResponses), strict=True)]


def ask(table, put, base, folder, challenges=("first",), **changes):
    return answers(table, put, Swaps.__metadata__[0].empty(), base, folder, challenges, **changes)[0]


def swaps_of(table, texts, outcome="swapped"):
    """Each document swapped to the text given for it."""
    rows = [
        {"doc_id": doc_id, "attribute": "gender", "first": "women", "second": "men", "direction": "both", "outcome": outcome, "changed": 1}
        | {"text": text, "reason": None}
        for doc_id, text in zip(table["doc_id"].to_pylist(), texts, strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=Swaps.__metadata__[0].empty().schema)


def ask_of_swaps(table, swaps, base, folder, **changes):
    return answers(table, sentences(["a b", "c d"]), swaps, base, folder, (), **changes)[1].to_pandas()


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


def test_original_and_swapped_text_are_judged_by_the_fold_that_did_not_see_the_original(vectors, tmp_path):
    """Each text swapped for its neighbour's: the scores of the originals are predict's, those of swaps predict's of the swapped table."""
    table = documents(40)
    folder = fitted(table, vectors, tmp_path / "fitted")
    texts = table["text"].to_pylist()
    other = [*texts[1:], texts[0]]
    found = ask_of_swaps(table, swaps_of(table, other), vectors, folder)
    cell = (task(), model("text_cnn", **CNN))
    exchanged = table.set_column(table.column_names.index("text"), "text", pa.array(other))
    for column, documents_of in (("original", table), ("swapped", exchanged)):
        expected = predict.run(documents_of, vectors, folder, *cell, predict.Params())
        assert np.abs(found[column] - expected["y_score"].to_numpy()).max() < 1.1e-6
        assert (found[f"{column}_decision"] == expected["y_pred"].to_numpy().astype(bool)).all()
    assert found["favourable"].tolist() == table["favourable"].to_pylist()
    assert found["author_id"].tolist() == table["author_id"].to_pylist()


def test_of_a_published_split_the_texts_of_the_test_part_alone_are_swapped(vectors, tmp_path):
    table = documents(40)
    parts = pa.array((["train"] * 3 + ["test"]) * 10)
    table = table.set_column(table.column_names.index("fold"), "fold", parts)
    folder = fitted(table, vectors, tmp_path / "fitted")
    found = ask_of_swaps(table, swaps_of(table, table["text"].to_pylist()), vectors, folder)
    assert found["doc_id"].tolist() == table["doc_id"].to_pylist()[3::4]
    assert (found["original"] == found["swapped"]).all()


def test_texts_without_a_clear_swap_are_not_put(vectors, tmp_path):
    table = documents(40)
    swaps = swaps_of(table, table["text"].to_pylist(), "ambiguous")
    assert ask_of_swaps(table, swaps, vectors, fitted(table, vectors, tmp_path / "fitted")).empty


def test_a_regression_whose_low_values_are_favourable_is_turned(vectors, tmp_path):
    table = documents(40, labels=np.linspace(1, 7, 40))
    changes = {"kind": "regression", "threshold": "median"}
    folder = fitted(table, vectors, tmp_path / "fitted", **changes)
    swaps = swaps_of(table, table["text"].to_pylist()[::-1])
    high, low = (ask_of_swaps(table, swaps, vectors, folder, **changes, favourable=side) for side in ("high", "low"))
    assert np.allclose(high["original"], 1 - low["original"], atol=2e-6)
    assert (high["swapped_decision"] != low["swapped_decision"]).all()
    expected = predict.run(table, vectors, folder, task(**changes), model("text_cnn", **CNN), predict.Params())["y_score"].to_numpy()
    assert np.allclose(high["original"], (expected - 1) / 6, atol=2e-6)
