"""Which models share a representation, and the fairness of each model beside what it is built on."""

import pytest

from stages.contract.params import Design
from stages.reporting import embeddings, represented
from tests.reporting.probed import probed

GLOVE, BERT = {"source": "stages/pretrained/glove.yaml", "vocabulary": 50000}, {"source": "bert"}


def model(base: dict, use: str = "identity", family: str = "text_cnn", **options) -> dict:
    return {"base": base, "debiaser": {"use": use} | options, "family": {"use": family}}


def design(**models: dict) -> Design:
    return Design.model_validate({"tasks": {"t": {"dataset": {"use": "delimited", "source": "x"}, "label": "y"}}, "models": models})


def test_models_of_one_base_and_debiaser_are_one_representation_and_the_base_as_given_is_first():
    chosen = design(
        a=model(GLOVE, "hard_debias", equalise=False), b=model(GLOVE), c=model(BERT), d=model(GLOVE, family="svm"), e=model(GLOVE, "inlp")
    )
    assert represented.bases_of(chosen) == [
        ("glove, 50,000 words", {"b": "as given", "a": "hard_debias (equalise no)", "e": "inlp"}),
        ("bert", {"c": "as given"}),
    ]
    assert list(represented.bases_of(chosen)[0][1]) == ["b", "a", "e"]


def test_each_model_has_its_representation_and_its_gaps_in_one_row(results):
    """In the small benchmark a has ADI of three sets, b of two, one each a disparity."""
    chosen = design(a=model(GLOVE), b=model(GLOVE, "hard_debias"))
    figures = embeddings.figures_of(probed("a", "b")[0].to_pandas())
    table = represented.beside(figures, represented.bases_of(chosen), results, chosen)
    assert table.columns[-1] == "t: disparities by ADI, mean distance"
    first, second = table.rows
    assert first[:6] == ["a", "glove, 50,000 words", "as given", "1.100", "0.050", "0.990"]
    assert second[:6] == ["b", "glove, 50,000 words", "hard_debias", "0.500", "0.010", "0.950"]
    assert first[6] == "1 of 3, 0.58"  # the mean of |log 1.9| and |log 0.6|; an ADI of 0 has no finite distance
    assert second[6] == "1 of 2, 0.39"


@pytest.mark.parametrize("family", ["tfidf_svm", "text_cnn"])
def test_a_model_without_a_representation_has_none(results, family):
    chosen = design(a=model(GLOVE), b=model({"source": "text.yaml"}, family=family))
    table = represented.beside(embeddings.figures_of(probed("a", "x")[0].to_pandas()), represented.bases_of(chosen), results, chosen)
    assert table.rows[1][3:6] == ["-", "-", "-"]
