"""designs/paper.yaml on tiny stand-ins in the published formats: every task reads, every family fits a task of every data set."""

from pathlib import Path

import numpy as np
import pytest

from stages import evaluate, finetune, ingest, predict, subgroup
from stages.contract import tables
from stages.contract.params import Design, Model
from stages.contract.schemas import Documents, Groups, Predictions, Scores
from stages.models import vectors
from stages.models.text_cnn import words_of
from tests.conftest import ROOT
from tests.datasets import stand_ins
from tests.models import tiny

DESIGN = Design.read(ROOT / "designs" / "paper.yaml")
# One task of each data set.
TASKS = ("anxiety", "hate_speech", "sentiment", "perceiving")


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper") / "data" / "raw"
    stand_ins.write_all(folder)
    return folder


def documents(raw, task, coding="decoded"):
    entry = DESIGN.tasks[task]
    options = entry.dataset.options | {"coding": coding}
    source = str(raw / entry.dataset.source.removeprefix("data/raw/"))
    chosen = entry.model_copy(update={"dataset": type(entry.dataset)(use=entry.dataset.use, source=source, **options)})
    return chosen, *ingest.run(chosen, ingest.Params(folds=2, seed=1))


@pytest.mark.parametrize("coding", ["decoded", "naacl2022"])
@pytest.mark.parametrize("task", list(DESIGN.tasks))
def test_every_task_reads_and_has_its_attribute_sets(raw, task, coding):
    _, found, population = documents(raw, task, coding)
    assert tables.check(found, Documents.__metadata__[0], task).num_rows > 30
    rules = subgroup.Params.model_validate(DESIGN.section("subgroup"))
    sets = subgroup.run(found, population, rules)[2].to_pandas()
    attributes = {"multilingual_twitter": 3, "ask_a_patient": 2, "mbti": 2}.get(DESIGN.tasks[task].dataset.use, 5)
    assert sets["attributes"].nunique() == 2 ** (attributes - 1), "all sets with gender"
    assert (sets.groupby("attributes")["texts"].sum() == found.num_rows).all()


def base_of(name: str, texts: list[str], folder: Path) -> Path:
    """A tiny base of the model's kind, with a vector for every word of the texts."""
    if name != "glove_cnn":
        return tiny.encoder(folder, name)
    words = sorted({word for text in texts for word in words_of(text)})
    matrix = np.random.default_rng(1).normal(size=(len(words), 8)).astype(np.float32)
    vectors.save(vectors.WordVectors(words, matrix), folder)
    return folder


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", ["glove_cnn", "bert", "roberta"])
def test_every_family_runs_to_its_scores_on_every_data_set(raw, task, name, tmp_path):
    chosen, found, population = documents(raw, task)
    found = tables.check(found, Documents.__metadata__[0], task)
    base = base_of(name, found["text"].to_pylist(), tmp_path / "base")
    entry = DESIGN.models[name]
    quick = {"epochs": 1} | ({"max_tokens": 16} if name != "glove_cnn" else {})
    model = Model.model_validate(
        {
            "base": {"source": str(base)},
            "debiaser": {"use": "identity"},
            "family": {"use": entry.family.use} | entry.family.options | quick,
        }
    )
    output = tmp_path / "fitted"
    output.mkdir()
    finetune.run(found, base, chosen, model, finetune.Params(seed=1, validation=0.2, processes=1), output)
    predicted = predict.run(found, base, output, chosen, model, predict.Params(processes=1))
    predicted = tables.check(predicted, Predictions.__metadata__[0], "predictions")
    assert predicted.num_rows == found.num_rows
    coded = subgroup.run(found, population, subgroup.Params.model_validate(DESIGN.section("subgroup")))
    scores, groups, metrics = evaluate.run(found, *coded, predicted, evaluate.Params(replicates=100, permutations=100))
    scores, groups = (tables.check(t, a.__metadata__[0], "t").to_pandas() for t, a in ((scores, Scores), (groups, Groups)))
    assert (scores["ci_low"].notna() | scores["reason"].notna()).all()
    assert {"accuracy", "adi", "fv"} <= set(metrics)
    assert ("mae" in set(groups["metric"])) == (chosen.kind == "regression")
