"""Planted words are found by both methods, each text by its own fold's model, and nothing is done for cells not asked for."""

import re

import numpy as np
import pyarrow as pa
import pytest

from stages import explain, finetune, predict
from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.params import Design, Entry
from tests.conftest import ROOT
from tests.models.tiny import BAD, FILLER, GOOD, documents, model, task, word_vectors

CNN = {"kernels": [1], "filters": 16, "dense": 8, "dropout": 0.0, "l2": 0.0, "epochs": 20, "batch": 16, "learning_rate": 1e-2}
CELL = {"task": "t", "model": "m"}
METHODS = (Entry(use="lime", samples=120), Entry(use="shap", samples=60))
ASKED = {"cells": {"t": ["m"]}, "methods": METHODS, "draws": 500, "documents": 30, "naming": 10, "shown": 4}
LISTS = """about: planted
attribute: kindness
groups:
  good: {as_written: trust kind}
  bad: {as_written: doubt rude old_road}
  unsure: {in_context: vague}
"""


@pytest.fixture(scope="module")
def cell(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cell")
    base, table = word_vectors(folder / "base"), documents(240)
    (folder / "fitted").mkdir()
    finetune.run(table, base, task(), model("text_cnn", **CNN), finetune.Params(seed=3), folder / "fitted")
    (folder / "words").mkdir()
    (folder / "words" / "kindness.yaml").write_text(LISTS, encoding="utf-8")
    return table, base, folder / "fitted", folder / "words"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(cell, table=None, names=CELL, of=None, **changes):
    own, base, fitted, words = cell
    params = explain.Params(**ASKED | {"identities": str(words)} | changes)
    found = explain.run(own if table is None else table, base, fitted, of or task(), model("text_cnn", **CNN), names, params)
    outputs = (explain.Explanations, explain.Leanings, explain.LocalExplanations)
    return [tables.check(part, at.__metadata__[0], "found").to_pandas() for part, at in zip(found, outputs, strict=True)]


def test_planted_words_lead_in_the_right_direction(cell):
    tokens, _, _ = run(cell)
    for method in ("lime", "shap"):
        part = tokens[tokens["method"] == method].set_index("token")
        assert (part.loc[GOOD, "importance"] > 0).all()
        assert (part.loc[BAD, "importance"] < 0).all()
        assert part.loc[GOOD + BAD, "absolute"].mean() > 3 * part.loc[FILLER, "absolute"].mean()
        assert part["attribute"].dropna().to_dict() == dict.fromkeys(["trust", "kind", "doubt", "rude", "vague"], "kindness")


def test_the_planted_words_are_leaned_on_more_than_others_as_frequent(cell):
    _, leanings, _ = run(cell, documents=60)
    table = leanings.set_index(["method", "attribute", "measure"])
    assert len(table) == 2 * 2 * 2
    for method in ("lime", "shap"):
        row = table.loc[(method, "", "absolute")]
        assert row["difference"] > 0
        assert row["p_value"] < 0.05
        assert row["q_value"] >= row["p_value"]
        assert row["terms"] == 5
        assert row["documents"] == 70
    assert table.loc[("lime", "", "absolute"), "fit"] > 0.3
    assert np.isnan(table.loc[("shap", "", "absolute"), "fit"])


def test_each_text_is_asked_of_the_model_that_did_not_train_on_it(cell):
    table, base, fitted, _ = cell
    scores = predict.run(table, base, fitted, task(), model("text_cnn", **CNN), predict.Params()).to_pandas().set_index("doc_id")["y_score"]
    local = run(cell, documents=40, naming=0, shown=40)[2]
    assert local["doc_id"].nunique() == 40
    for (_, doc_id), part in local.groupby(["method", "doc_id"]):
        assert part["score"].iloc[0] == pytest.approx(scores[doc_id], abs=2e-6)
    shapley = local[local["method"] == "shap"]
    for _, part in shapley.groupby("doc_id"):
        once = part.dropna(subset=["importance"]).drop_duplicates("piece")
        assert once["importance"].sum() == pytest.approx(part["score"].iloc[0] - part["bare"].iloc[0], abs=1e-6)
    texts = dict(zip(table["doc_id"].to_pylist(), table["text"].to_pylist(), strict=True))
    assert all("".join(part["piece"]) == texts[doc_id] for doc_id, part in shapley.groupby("doc_id"))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_tables_in_any_number_of_processes(cell, monkeypatch):
    monkeypatch.setattr(explain, "TEXTS", 2000)
    first, again, other = run(cell), run(cell, processes=2), run(cell, seed=8)
    assert all(one.equals(two) for one, two in zip(first, again, strict=True))
    assert not first[0].equals(other[0])


def test_a_low_label_is_favourable_where_the_task_says_so(cell, tmp_path):
    """Regression outputs are turned so that up is favourable."""
    _, base, _, _ = cell
    table = documents(240, labels=np.where(np.arange(240) % 2 == 0, 5.0, 1.0))
    changes = {"kind": "regression", "threshold": 3.0, "favourable": "low"}
    finetune.run(table, base, task(**changes), model("text_cnn", **CNN), finetune.Params(seed=3), tmp_path)
    tokens = run((table, base, tmp_path, cell[3]), of=task(**changes))[0]
    part = tokens[tokens["method"] == "shap"].set_index("token")
    assert (part.loc[GOOD, "importance"] < 0).all()
    assert (part.loc[BAD, "importance"] > 0).all()


def test_a_cell_not_asked_for_has_empty_tables(cell):
    assert [len(part) for part in run(cell, names=CELL | {"model": "other"})] == [0, 0, 0]


def test_texts_in_another_language_have_no_identity_terms(cell):
    table = cell[0].set_column(cell[0].column_names.index("lang"), "lang", pa.array(["es"] * 240))
    tokens, leanings, _ = run(cell, table)
    assert tokens["attribute"].isna().all()
    assert leanings["p_value"].isna().all()
    assert set(leanings["reason"]) == {"no identity term is among the explained words"}


def test_words_that_also_mean_other_things_can_be_left_out(cell):
    tokens = run(cell, ambiguous=False)[0]
    assert "vague" not in set(tokens.loc[tokens["attribute"].notna(), "token"])


def test_texts_too_long_are_left_out_or_refused(cell):
    leanings = run(cell, most_words=8)[1]
    assert leanings["candidates"].iloc[0] < 240
    with pytest.raises(BadInput, match="no text of t has 1 to 1 different words"):
        run(cell, most_words=1)


def test_the_words_that_come_with_this_program_are_identity_terms():
    terms = explain._identities(explain.Params(identities=str(ROOT / "stages" / "mentions" / "words")))
    assert (terms["women"], terms["muslim"], terms["black"]) == ("gender", "religion", "ethnicity")


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"cells": {"trust": ["no_model"]}}, "explain.cells: 'no_model' is no task or model of this design"),
        ({"cells": {"no_task": ["glove_cnn"]}}, "explain.cells: 'no_task' is no task or model of this design"),
        ({"methods": [{"use": "guess"}]}, "use: guess names no file of stages/explanations; there are lime, shap"),
    ],
)
def test_cells_and_methods_that_are_not_there_are_refused_before_anything_runs(section, message, monkeypatch):
    monkeypatch.chdir(ROOT)
    fine = {"cells": {"trust": ["glove_cnn"]}}
    read = Design.read(ROOT / "params.yaml")
    explain.check(read, explain.Params(**fine))
    with pytest.raises(BadInput, match=re.escape(message)):
        explain.check(read, explain.Params(**section))
