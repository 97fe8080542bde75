"""designs/paper.yaml on tiny stand-ins in the published formats: every task reads, every model runs from its base to its scores."""

import zipfile

import numpy as np
import pytest
import yaml

from stages import debias, evaluate, finetune, ingest, predict, subgroup
from stages.contract import tables
from stages.contract.design import validate
from stages.contract.params import Design
from stages.contract.schemas import Documents, Groups, Predictions, Scores
from stages.debiasers import template_sentences
from stages.models import folds
from stages.models.text_cnn import words_of
from tests.conftest import ROOT
from tests.datasets import stand_ins
from tests.debiasers import small

PAPER = ROOT / "designs" / "paper.yaml"
DESIGN = Design.read(PAPER)
# One task of each data set.
TASKS = ("anxiety", "hate_speech", "sentiment", "perceiving")
IDENTITY = [name for name, model in DESIGN.models.items() if model.debiaser.use == "identity"]
CELLS = [(name, task) for name in IDENTITY for task in TASKS] + [(name, "trust") for name in DESIGN.models if name not in IDENTITY]
# Steps and lengths alone: a minute for the whole design.
QUICK = {
    "gender_preserving": {"epochs": 1, "autoencoder_epochs": 2, "classifier_epochs": 1},
    "context_debias": {"epochs": 1, "max_tokens": 32, "development": 20},
    "counterfactual": {"steps": 2, "accumulation": 2, "block": 64},
    "dropout": {"steps": 2, "accumulation": 2, "block": 64},
    "text_cnn": {"epochs": 1},
    "transformer": {"epochs": 1, "max_tokens": 16},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What ``crossbias data`` asks for, in its published formats: the data sets, GloVe's text file, the Brown corpus's zip."""
    folder = tmp_path_factory.mktemp("paper")
    raw = folder / "data" / "raw"
    stand_ins.write_all(raw)
    (raw / "naacl2022").symlink_to(ROOT / "data" / "raw" / "naacl2022")
    lexicons = debias.read_lexicons(debias.LEXICONS)
    sentences = template_sentences.write(lexicons, 1, np.random.default_rng(1))
    (raw / "corpora").mkdir()
    with zipfile.ZipFile(raw / "corpora" / "brown.zip", "w") as archive:
        archive.writestr("brown/README", "a corpus")
        archive.writestr("brown/ca01", "\n".join(" ".join(f"{word}/nn" for word in text.split()) for text in sentences))
    words = dict.fromkeys(word for text in sentences for word in words_of(text))
    words |= dict.fromkeys(word for rows in lexicons.values() for row in rows for word in row)
    for task in TASKS:
        words |= dict.fromkeys(word for text in documents(folder, task)[1]["text"].to_pylist() for word in words_of(text))
    matrix = np.random.default_rng(1).normal(size=(len(words), 8))
    (raw / "glove").mkdir()
    lines = (f"{word} {' '.join(f'{value:.5f}' for value in row)}\n" for word, row in zip(words, matrix, strict=True))
    (raw / "glove" / "glove.840B.300d.txt").write_text("".join(lines), encoding="utf-8")
    for kind in ("bert", "roberta"):
        small.encoder(folder / kind, sentences, kind, head=True)
    return folder


def documents(folder, task, coding="decoded", params=None):
    entry = DESIGN.tasks[task]
    options = entry.dataset.options | {"coding": coding}
    chosen = entry.model_copy(
        update={"dataset": type(entry.dataset)(use=entry.dataset.use, source=str(folder / entry.dataset.source), **options)}
    )
    found, population = ingest.run(chosen, params or ingest.Params(folds=2, seed=1))
    return chosen, tables.check(found, Documents.__metadata__[0], task), population


@pytest.mark.parametrize("coding", ["decoded", "naacl2022"])
@pytest.mark.parametrize("task", list(DESIGN.tasks))
def test_every_task_reads_and_has_its_attribute_sets(folder, task, coding):
    _, found, population = documents(folder, task, coding)
    assert found.num_rows > 30
    rules = subgroup.Params.model_validate(DESIGN.section("subgroup"))
    sets = subgroup.run(found, population, rules)[2].to_pandas()
    attributes = {"multilingual_twitter": 3, "ask_a_patient": 2, "mbti": 2}.get(DESIGN.tasks[task].dataset.use, 5)
    assert sets["attributes"].nunique() == 2 ** (attributes - 1), "all sets with gender"
    assert (sets.groupby("attributes")["texts"].sum() == found.num_rows).all()


def test_every_entry_of_the_eighty_cells_is_valid_once_the_data_are_there(folder, monkeypatch):
    (folder / "stages").symlink_to(ROOT / "stages")
    monkeypatch.chdir(folder)
    design = validate(PAPER)
    assert len(design.tasks) * len(design.models) == 80


def test_the_design_is_four_hundred_fits_of_which_only_outputs_are_kept(folder):
    params = ingest.Params.model_validate(DESIGN.section("ingest"))
    settings = finetune.Params.model_validate(DESIGN.section("finetune"))
    assert settings.keep == "outputs"
    fits = 0
    for task in DESIGN.tasks:
        _, found, _ = documents(folder, task, params=params)
        plan = folds.split(found["fold"].to_pylist(), found["author_id"].to_pylist(), settings.validation, settings.seed)
        assert sum(len(fold.test) for fold in plan) == found.num_rows
        fits += len(plan) * len(DESIGN.models)
    assert fits == 400


@pytest.fixture(scope="module")
def bases(folder, tmp_path_factory):
    """Each model of the design with the stand-in of its base, quick, and what its debiaser makes of that, once asked for."""
    made = {}

    def base_of(name):
        if name not in made:
            raw = DESIGN.models[name].model_dump()
            raw["base"]["source"] = str(folder / raw["base"]["source"] if name.startswith("glove") else folder / name.split("_")[0])
            for part in ("debiaser", "family"):
                raw[part] |= QUICK.get(raw[part]["use"], {})
            if "corpus" in raw["debiaser"]:
                raw["debiaser"]["corpus"] = str(folder / raw["debiaser"]["corpus"])
            model = Design.model_validate(yaml.safe_load(PAPER.read_text(encoding="utf-8")) | {"models": {name: raw}}).models[name]
            output = tmp_path_factory.mktemp(name) / "base"
            debias.run(model, debias.Params.model_validate(DESIGN.section("debias")), output)
            made[name] = model, output
        return made[name]

    return base_of


@pytest.mark.parametrize(("name", "task"), CELLS)
def test_every_model_runs_from_its_base_to_its_scores(folder, bases, name, task, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chosen, found, population = documents(folder, task)
    model, base = bases(name)
    output = tmp_path / "fitted"
    output.mkdir()
    settings = finetune.Params.model_validate(DESIGN.section("finetune") | {"processes": 1, "validation": 0.2})
    finetune.run(found, base, chosen, model, settings, output)
    predicted = predict.run(found, base, output, chosen, model, predict.Params(processes=1))
    predicted = tables.check(predicted, Predictions.__metadata__[0], "predictions")
    assert predicted.num_rows == found.num_rows
    coded = subgroup.run(found, population, subgroup.Params.model_validate(DESIGN.section("subgroup")))
    scores, groups, metrics, *_ = evaluate.run(found, *coded, predicted, evaluate.Params(replicates=100, permutations=100))
    scores, groups = (tables.check(t, a.__metadata__[0], "t").to_pandas() for t, a in ((scores, Scores), (groups, Groups)))
    assert (scores["ci_low"].notna() | scores["reason"].notna()).all()
    assert {"accuracy", "adi", "fv"} <= set(metrics)
    assert ("mae" in set(groups["metric"])) == (chosen.kind == "regression")


def test_every_debiaser_of_the_design_runs():
    run = {DESIGN.models[name].debiaser.use for name, _ in CELLS}
    assert run == {"identity", "gender_preserving", "context_debias", "counterfactual", "dropout"}
    assert {name for name, _ in CELLS} == set(DESIGN.models)
