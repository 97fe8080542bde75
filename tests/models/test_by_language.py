"""With weights by language a cell's models are fitted on, and predict with, those of its documents' language."""

import shutil

import pyarrow as pa
import pytest

from stages import finetune, predict
from stages.contract.bad_input import BadInput
from tests.models.tiny import documents, encoder, model, task

FAMILY = {"precision": "fp32", "epochs": 2, "hidden": 4}


@pytest.fixture
def base(tmp_path, monkeypatch):
    """A debiased base with one encoder for English and another architecture for Spanish."""
    monkeypatch.chdir(tmp_path)
    for language, kind in (("en", "bert"), ("es", "roberta")):
        encoder(tmp_path / "base" / language, kind)
    return tmp_path / "base"


def in_language(language: str) -> pa.Table:
    table = documents(40)
    return table.set_column(table.column_names.index("lang"), "lang", pa.array([language] * table.num_rows))


def predicted(table: pa.Table, base, output) -> list[float]:
    output.mkdir()
    chosen = task(), model("frozen_encoder", **FAMILY)
    finetune.run(table, base, *chosen, finetune.Params(seed=3), output)
    return predict.run(table, base, output, *chosen, predict.Params())["y_score"].to_pylist()


def test_each_language_has_the_cells_of_its_own_weights_alone(base, tmp_path):
    english, spanish = (predicted(in_language(language), base, tmp_path / f"mixed_{language}") for language in ("en", "es"))
    assert english != spanish
    assert english == predicted(in_language("en"), base / "en", tmp_path / "en")
    assert spanish == predicted(in_language("es"), base / "es", tmp_path / "es")


def test_a_language_without_weights_is_refused(base, tmp_path):
    with pytest.raises(BadInput, match=r"base has weights for en, es, and the texts are in ar; give the pin that language"):
        predicted(in_language("ar"), base, tmp_path / "ar")
    shutil.rmtree(base / "es")
    with pytest.raises(BadInput, match=r"base has weights for en, and the texts are in es"):
        predicted(in_language("es"), base, tmp_path / "es")
