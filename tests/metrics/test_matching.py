"""Every debiased or mitigated model finds its baseline, and a cut selects exactly as many as it should."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.contract.params import Model
from stages.metrics.matching import comparisons, cut_to, follows

FAMILY = {"use": "transformer", "epochs": 2}
SCORES = st.lists(st.integers(0, 6), min_size=1, max_size=30).map(lambda values: np.array(values) / 6)


def model(base: str, debiaser: str = "identity", mitigation: str | None = None, **options) -> Model:
    family = FAMILY | options | ({"mitigation": {"use": mitigation}} if mitigation else {})
    return Model.model_validate({"base": {"source": f"{base}.yaml"}, "debiaser": {"use": debiaser}, "family": family})


def test_baselines_are_found_by_what_models_differ_in():
    models = {
        "bert": model("bert"),
        "bert_contexted": model("bert", "context_debias"),
        "bert_contexted_reweighed": model("bert", "context_debias", "reweighing"),
        "bert_reweighed": model("bert", mitigation="reweighing"),
        "roberta": model("roberta"),
        "roberta_dropout": model("roberta", "dropout", epochs=3),
        "glove_hard": model("glove", "hard_debias", use="text_cnn"),
    }
    found = {one.model: (one.reference, one.kind, one.differs) for one in comparisons(models)}
    assert found == {
        "bert_contexted": ("bert", "debiaser", ()),
        "bert_contexted_reweighed": ("bert_contexted", "mitigation", ()),
        "bert_reweighed": ("bert", "mitigation", ()),
        "roberta": ("bert", "representation", ()),
        "roberta_dropout": ("roberta", "debiaser", ("epochs",)),
        "glove_hard": ("bert", "representation", ()),
    }
    assert comparisons(models)[-1].representation == "glove text_cnn"


def test_a_family_equal_in_all_options_goes_before_one_that_is_not():
    models = {"longer": model("bert", epochs=5), "bert": model("bert"), "hard": model("bert", "hard_debias")}
    assert comparisons(models)[-1].reference == "bert"


def test_one_model_is_compared_with_nothing():
    assert comparisons({"bert": model("bert")}) == []
    assert comparisons({"hard": model("bert", "hard_debias")}) == []


@given(SCORES, st.data())
def test_a_cut_selects_the_number_exactly_and_the_highest_first(scores, data):
    number = data.draw(st.integers(0, len(scores)))
    share = cut_to(scores, number)
    assert share.sum() == pytest.approx(number)
    assert ((share >= 0) & (share <= 1)).all()
    order = np.argsort(scores)
    assert (np.diff(share[order]) >= 0).all()
    assert len({(score, part) for score, part in zip(scores, share, strict=True)}) == len(set(scores))  # ties are treated alike


@given(SCORES, st.integers(0, 6))
def test_the_cut_of_any_threshold_is_found_again(scores, threshold):
    decided = scores >= threshold / 6
    np.testing.assert_array_equal(cut_to(scores, decided.sum()), decided)
    assert follows(scores, decided)


def test_decisions_by_group_follow_no_cut():
    scores = np.array([0.2, 0.4, 0.6, 0.6])
    assert not follows(scores, np.array([False, True, False, False]))
    assert not follows(scores, np.array([False, False, True, False]))
    assert follows(scores, np.zeros(4, dtype=bool))
    assert follows(scores, np.ones(4, dtype=bool))
