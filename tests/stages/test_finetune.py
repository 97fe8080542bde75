"""Each fold's model is fitted without its test texts, alike in one process or two, for every family and both kinds of task."""

import json

import numpy as np
import pyarrow as pa
import pytest
from safetensors import safe_open

from stages import finetune
from stages.contract.bad_input import BadInput
from tests.models.tiny import documents, encoder, model, task, word_vectors

FAMILIES = {
    "text_cnn": {"filters": 8, "dense": 4, "epochs": 2, "batch": 16, "learning_rate": 5e-3},
    "transformer": {"epochs": 1, "batch": 16, "learning_rate": 1e-3},
    "frozen_encoder": {"epochs": 3, "batch": 16},
}


@pytest.fixture(scope="module")
def bases(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bases")
    network = encoder(folder / "encoder", "roberta")
    return {"text_cnn": word_vectors(folder / "vectors"), "transformer": network, "frozen_encoder": network}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def fit(name, bases, output, table=None, kind="classification", **changes):
    output.mkdir()
    params = finetune.Params(seed=3, **{"validation": 0.2, "processes": 1} | changes)
    finetune.run(documents(40) if table is None else table, bases[name], task(kind=kind), model(name, **FAMILIES[name]), params, output)
    return {path.name: path.read_bytes() for path in output.iterdir()}


@pytest.mark.parametrize("name", list(FAMILIES))
def test_one_process_or_two_give_the_same_bytes(name, bases, tmp_path):
    alone = fit(name, bases, tmp_path / "alone")
    assert sorted(alone) == ["fold_0.safetensors", "fold_1.safetensors", "training.json"]
    assert fit(name, bases, tmp_path / "two", processes=2) == alone


def test_another_seed_gives_other_models(bases, tmp_path):
    table = documents(40)
    first = fit("frozen_encoder", bases, tmp_path / "first", table)
    (tmp_path / "second").mkdir()
    finetune.run(
        table, bases["frozen_encoder"], task(), model("frozen_encoder", epochs=3, batch=16), finetune.Params(seed=4), tmp_path / "second"
    )
    assert (tmp_path / "second" / "fold_0.safetensors").read_bytes() != first["fold_0.safetensors"]


def test_labels_of_the_tested_fold_change_nothing(bases, tmp_path):
    table = documents(40)
    first = fit("text_cnn", bases, tmp_path / "first", table)
    hidden = np.array(table["favourable"]) ^ (np.array(table["fold"]) == "0")
    flipped = table.set_column(table.column_names.index("favourable"), "favourable", pa.array(hidden))
    second = fit("text_cnn", bases, tmp_path / "second", flipped)
    assert second["fold_0.safetensors"] == first["fold_0.safetensors"]
    assert second["fold_1.safetensors"] != first["fold_1.safetensors"]


@pytest.mark.parametrize("name", list(FAMILIES))
def test_the_record_says_what_was_done(name, bases, tmp_path, capsys):
    record = json.loads(fit(name, bases, tmp_path / "output")["training.json"])
    assert [fold["fold"] for fold in record["folds"]] == ["0", "1"]
    for fold in record["folds"]:
        assert len(fold["epochs"]) == FAMILIES[name]["epochs"]
        assert (fold["n_train"], fold["n_validation"]) == (16, 4)
        assert 1 <= fold["best_epoch"] <= FAMILIES[name]["epochs"]
        assert "seconds" not in fold, "a clock would change the bytes"
    assert ("precision" in record) is (name != "text_cnn")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith(f"fold 0: 16 texts, {FAMILIES[name]['epochs']} epochs, best validation loss ")


def test_weights_carry_one_metadata_key(bases, tmp_path):
    fit("text_cnn", bases, tmp_path / "output")
    with safe_open(tmp_path / "output" / "fold_0.safetensors", "pt") as opened:
        assert opened.metadata() == {"format": "pt"}


def test_one_class_in_a_training_part_is_refused(bases, tmp_path):
    table = documents(40)
    favourable = pa.array([fold == "0" for fold in table["fold"].to_pylist()])
    table = table.set_column(table.column_names.index("favourable"), "favourable", favourable)
    with pytest.raises(BadInput, match="fold 0: its 16 training texts all have one decision"):
        fit("text_cnn", bases, tmp_path / "output", table)


@pytest.mark.parametrize("number", [1, 2])
def test_a_familys_refusal_names_the_fold(number, bases, tmp_path):
    with pytest.raises(BadInput, match=r"^fold \d: the loss is not finite"):
        finetune.run(
            documents(40),
            bases["text_cnn"],
            task(kind="regression"),
            model("text_cnn", filters=4, epochs=20, learning_rate=1e30),
            finetune.Params(seed=1, processes=number),
            tmp_path,
        )


@pytest.mark.parametrize(("name", "other"), [("text_cnn", "transformer"), ("transformer", "text_cnn"), ("frozen_encoder", "text_cnn")])
def test_a_base_of_the_wrong_kind_is_refused(name, other, bases, tmp_path):
    with pytest.raises(BadInput, match="word vectors"):
        fit(name, {name: bases[other]}, tmp_path / "output")
