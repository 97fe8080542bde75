"""The design of emotion intensity in three languages: every entry is right, and on files in its formats it runs to scores."""

import pyarrow as pa
import pytest

from stages import debias, evaluate, finetune, ingest, predict, subgroup
from stages.contract import tables
from stages.contract.params import Design, Model, Task
from stages.contract.schemas import Scores
from stages.contract.shelf import take
from tests.conftest import ROOT
from tests.datasets.stand_ins import write_intensities

DESIGN = Design.read(ROOT / "designs" / "margins.yaml")


def test_twelve_tasks_and_every_model_is_made_for_its_base(monkeypatch):
    monkeypatch.chdir(ROOT)
    languages = [(task.dataset.options["language"], task.dataset.options["affect"]) for task in DESIGN.tasks.values()]
    assert languages == [(language, affect) for language in ("En", "Es", "Ar") for affect in ("anger", "fear", "joy", "sadness")]
    for task in DESIGN.tasks.values():
        assert take("datasets", task.dataset)[1].cleaning == "authors"
    bases = {name: take("models", model.family)[0].BASE for name, model in DESIGN.models.items()}
    assert bases == {"tfidf_svm": "text", "glove_mlp": "vectors", "minilm_frozen": "encoder"}


def stand_in(name: str, folder) -> Task:
    """The task of that name, on a folder of files in its format."""
    dataset = DESIGN.tasks[name].dataset
    write_intensities(folder / "raw", dataset.options["language"], dataset.options["affect"], number=120)
    return DESIGN.tasks[name].model_copy(update={"dataset": dataset.model_copy(update={"source": str(folder / "raw")})})


@pytest.mark.parametrize("name", ["fear_en", "joy_es", "anger_ar"])
def test_a_task_runs_to_its_scores(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fitted").mkdir()
    task = stand_in(name, tmp_path)
    base = DESIGN.models["tfidf_svm"].base.model_copy(update={"source": str(ROOT / DESIGN.models["tfidf_svm"].base.source)})
    model: Model = DESIGN.models["tfidf_svm"].model_copy(update={"base": base})
    documents, population = ingest.run(task, ingest.Params(**DESIGN.section("ingest")))
    coded = subgroup.run(documents, population, subgroup.Params(**DESIGN.section("subgroup")))
    debias.run(model, debias.Params(**DESIGN.section("debias")), tmp_path / "base")
    finetune.run(documents, tmp_path / "base", task, model, finetune.Params(**DESIGN.section("finetune")), tmp_path / "fitted")
    predictions: pa.Table = predict.run(documents, tmp_path / "base", tmp_path / "fitted", task, model, predict.Params())
    assert predictions.num_rows == 30, "the test part"
    scores, groups, metrics, *_ = evaluate.run(documents, *coded, predictions, evaluate.Params(replicates=100))
    found = tables.check(scores, Scores.__metadata__[0], "scores").to_pandas().set_index("metric")
    assert found.loc["pearson_r", "n"] == 30
    assert groups.num_rows == 0
    assert set(metrics) < set(found.index), "the rest is precision, recall and F1 by label"
