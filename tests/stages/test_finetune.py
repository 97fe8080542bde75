"""Each fold's model is fitted without its test texts, alike in one process or two, for every family and both kinds of task."""

import json
import os
import shutil
import signal
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
import yaml
from safetensors import safe_open

from stages import finetune
from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.command import perform
from stages.contract.params import Design
from stages.models import text_cnn
from tests.conftest import ROOT
from tests.models.tiny import TASK, documents, encoder, model, task, word_vectors

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


@pytest.mark.parametrize("name", ["transformer", "frozen_encoder", pytest.param("text_cnn", marks=pytest.mark.slow)])
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


@pytest.mark.parametrize("name", list(FAMILIES))
def test_a_fold_takes_the_space_that_was_asked_for(name, bases, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(finetune.kept_folds, "check_room", lambda places, number, each: asked.append((number, each)))
    files = fit(name, bases, tmp_path / "output")
    ((number, each),) = asked
    assert number == 2
    assert each < len(files["fold_0.safetensors"]) < each + 8000, "the header beside the weights"
    fit(name, bases, tmp_path / "outputs", keep="outputs")
    assert len(asked) == 1


def test_a_disk_too_full_for_weights_takes_outputs(bases, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=1000))
    with pytest.raises(BadInput, match=r"2 fitted folds of 0 MB do not fit in the 0 MB that are free at .*keep: outputs"):
        fit("text_cnn", bases, tmp_path / "output")
    assert len(fit("text_cnn", bases, tmp_path / "outputs", keep="outputs")) == 3


KILLED = """
import os, signal
from pathlib import Path
from stages import finetune
from stages.contract.command import perform
from stages.contract.params import Design
from stages.models import text_cnn

fits, fit = [], text_cnn.fit

def at_most_two(*arguments):
    if len(fits) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    fits.append(1)
    return fit(*arguments)

text_cnn.fit = at_most_two
perform(finetune.run, "finetune", Design.read(Path("params.yaml")), {"task": "trust", "model": "cnn"})
"""


def workplace(folder, base, keep):
    """A folder in which the stage can run: a design, documents of four folds, and the base."""
    entry = model("text_cnn", **FAMILIES["text_cnn"]).model_dump()
    sections = {"tasks": {"trust": TASK}, "models": {"cnn": entry}, "finetune": {"seed": 3, "keep": keep}}
    shutil.copytree(base, folder / "data" / "debias" / "cnn")
    (folder / "params.yaml").write_text(yaml.safe_dump(sections))
    path = folder / "data" / "ingest" / "trust" / "documents.parquet"
    tables.write_whole(path, lambda temporary: tables.write_parquet(documents(40, folds=4), temporary))
    return folder


def perform_in(folder, monkeypatch):
    """Run the stage there: how many folds were fitted, and the bytes of all that lies in its folder."""
    monkeypatch.chdir(folder)
    fits, plain = [], text_cnn.fit
    with monkeypatch.context() as patch:
        patch.setattr(text_cnn, "fit", lambda *arguments: fits.append(1) or plain(*arguments))
        perform(finetune.run, "finetune", Design.read(folder / "params.yaml"), {"task": "trust", "model": "cnn"})
    files = sorted(path for path in (folder / "data" / "finetune").rglob("*") if path.is_file())
    return len(fits), {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("keep", ["weights", "outputs"])
def test_a_killed_run_is_taken_up_where_it_stopped_and_ends_with_the_same_bytes(keep, bases, tmp_path, monkeypatch):
    killed, quiet = (workplace(tmp_path / name, bases["text_cnn"], keep) for name in ("killed", "quiet"))
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    assert subprocess.run([sys.executable, "-c", KILLED], cwd=killed, env=environment, check=False).returncode == -signal.SIGKILL
    assert len(list(killed.glob(".cache/folds/*/fold_*.json"))) == 2
    assert len(list(killed.glob("data/finetune/trust/.cnn.*"))) == 1, "its temporary folder"
    fitted, found = perform_in(killed, monkeypatch)
    assert (fitted, len(found)) == (2, 5)
    assert perform_in(quiet, monkeypatch) == (4, found)
    assert list(killed.glob(".cache/folds/*")) == []
    assert [path.name for path in (killed / "data/finetune/trust").iterdir()] == ["cnn"]


def test_one_class_in_a_training_part_is_refused(bases, tmp_path):
    table = documents(40)
    favourable = pa.array([fold == "0" for fold in table["fold"].to_pylist()])
    table = table.set_column(table.column_names.index("favourable"), "favourable", favourable)
    with pytest.raises(BadInput, match="fold 0: its 16 training texts all have one decision"):
        fit("text_cnn", bases, tmp_path / "output", table)


@pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.slow)])
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


def grouped(balanced):
    """Documents whose folds have as many favourable texts of each gender, or three favourable ones for one of the others."""
    table = documents(64)
    favourable = np.array(table["favourable"])
    gender = np.arange(64) // 8 % 2 == (0 if balanced else favourable & (np.arange(64) % 16 > 3))
    return table.append_column("gender", pa.array(np.where(gender, "woman", "man")))


def mitigated(name, bases, output, table, kind="classification", processes=1, **mitigation):
    output.mkdir()
    entry = {"mitigation": {"attributes": {"gender": "category"}} | mitigation} if mitigation else {}
    params = finetune.Params(seed=3, validation=0, processes=processes)
    finetune.run(table, bases[name], task(kind=kind), model(name, **FAMILIES[name], **entry), params, output)
    return {path.name: path.read_bytes() for path in output.iterdir()}


@pytest.mark.parametrize("use", ["reweighing", "balanced_sampling"])
@pytest.mark.parametrize("name", list(FAMILIES))
def test_balanced_groups_leave_the_model_as_it_is_to_the_last_byte(name, use, bases, tmp_path):
    """Else what a mitigation gains could be chance, another number of steps or other shuffles."""
    for kind in ("classification", "regression"):
        for balanced in (True, False):
            table, output = grouped(balanced), tmp_path / f"{kind}{balanced}"
            plain = mitigated(name, bases, output, table, kind)
            fair = mitigated(name, bases, output.with_suffix(".fair"), table, kind, use=use)
            assert (plain == fair) is balanced


def test_thresholds_are_no_part_of_the_fit(bases, tmp_path):
    plain = mitigated("frozen_encoder", bases, tmp_path / "plain", grouped(balanced=False))
    assert mitigated("frozen_encoder", bases, tmp_path / "fair", grouped(balanced=False), use="thresholds") == plain


@pytest.mark.slow
def test_an_adversary_travels_to_other_processes(bases, tmp_path):
    table = grouped(balanced=False)
    alone = mitigated("text_cnn", bases, tmp_path / "alone", table, use="adversarial")
    assert mitigated("text_cnn", bases, tmp_path / "two", table, processes=2, use="adversarial") == alone
    assert mitigated("text_cnn", bases, tmp_path / "plain", table) != alone


def test_a_mitigation_by_an_attribute_that_nobody_gave_is_refused(bases, tmp_path):
    with pytest.raises(BadInput, match="gender known of none of the 40 texts"):
        mitigated("text_cnn", bases, tmp_path / "output", documents(40), use="reweighing")
