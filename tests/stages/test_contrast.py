"""What it does to scores who is named: a planted difference is found, its absence too, and the paper's convention stands beside ours."""

import numpy as np
import pandas as pd
import pytest

from stages import contrast
from stages.challenge import Params, run
from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.contrasts import ContrastFits, Contrasts
from stages.contract.params import Challenge, Design
from stages.contract.swaps import Identities, SwapEffects, SwapResponses
from stages.contract.tables import from_pandas
from tests.conftest import ROOT

CORPUS = ROOT / "stages" / "challenges" / "corpora" / "en_black_white.yaml"
NO_RESPONSES = ["challenge", "sentence_id", "task", "model", "favourable", "unit_score"]
NO_SWAPS = SwapResponses.__metadata__[0].empty().append_column("task", [[]]).append_column("model", [[]])
DESIGN = Design.model_validate(
    {
        "tasks": {
            "joy": {"dataset": {"use": "semeval_affect", "source": "x", "affect": "joy"}, "label": "intensity"},
            "trust": {"dataset": {"use": "simulated", "source": "x"}, "label": "trust"},
        },
        "models": {"m": {"base": {"source": "x"}, "debiaser": {"use": "identity"}, "family": {"use": "text_cnn"}}},
    }
)


@pytest.fixture(scope="module")
def responses():
    """Scores of two tasks; on joy, women with names said to be Black people's lose .05, and templates differ."""
    sentences = run(Challenge(use="eec", source=str(CORPUS)), Params()).to_pandas().drop(columns=["text", "lang"])
    random = np.random.default_rng(0)
    kinds = pd.factorize(sentences["template"])[0]
    parts = []
    for task, planted in (("joy", -0.05), ("trust", 0.0)):
        both = (sentences["gender"] == "female") & (sentences["group"] == "Black")
        score = 0.5 + 0.1 * np.sin(kinds) + random.normal(0, 0.03, len(sentences)) + planted * both
        parts.append(sentences.assign(y_score=score, unit_score=score, challenge="black_white", task=task, model="m"))
    return from_pandas(pd.concat(parts, ignore_index=True))


@pytest.fixture(scope="module")
def found(responses):
    terms, fits, *_ = contrast.run(responses, NO_SWAPS, DESIGN, contrast.Params())
    terms = tables.check(terms, Contrasts.__metadata__[0], "contrasts").to_pandas()
    return terms, tables.check(fits, ContrastFits.__metadata__[0], "fits").to_pandas()


def test_a_planted_difference_of_people_met_on_both_attributes_is_found(found):
    terms = found[0]
    both = terms[terms["term"].str.contains(":")].set_index(["task", "method"])
    assert (both.loc["joy", "p_value"] < 0.01).all()
    assert np.allclose(both.loc["joy", "response_effect"], -0.05, atol=0.01)
    assert (both.loc["trust", "q_value"] > 0.01).all()


def test_a_task_about_an_emotion_is_asked_of_the_sentences_about_it(found):
    fits = found[1].set_index("task")
    assert fits.loc["joy", "emotion"] == "joy"
    assert fits.loc["joy", "n"] == 1400
    assert fits.loc["trust", "emotion"] == "all"
    assert fits.loc["trust", "n"] == 5760  # 40 names x (7 templates x 20 words + 4 templates without)


@pytest.mark.slow
def test_the_number_of_processes_changes_nothing(responses, found):
    terms, *_ = contrast.run(responses, NO_SWAPS, DESIGN, contrast.Params(processes=2))
    pd.testing.assert_frame_equal(tables.check(terms, Contrasts.__metadata__[0], "contrasts").to_pandas(), found[0])


def test_a_challenge_without_a_category_to_compare_with_is_refused(responses):
    with pytest.raises(BadInput, match="group: black_white must have one of Anglo to compare with, and has Black, white"):
        contrast.run(responses, NO_SWAPS, DESIGN, contrast.Params(references={"group": ("Anglo",)}))


def test_the_precision_may_depend_on_attributes_that_are_looked_at(responses, found):
    """By default nothing of it is there, and to ask for it leaves methods that have no precision as they were."""
    params = contrast.Params(precision=("gender",), methods=("beta_cluster", "ols_as_published"))
    terms = contrast.run(responses, NO_SWAPS, DESIGN, params)[0].to_pandas()
    assert set(terms["method"]) == {"beta_cluster", "beta_cluster_precision", "ols_as_published"}
    assert not found[0]["method"].str.contains("precision").any()
    one, other = (frame[frame["method"] == "ols_as_published"].reset_index(drop=True) for frame in (terms, found[0]))
    pd.testing.assert_frame_equal(one.drop(columns="reason"), other.drop(columns="reason"))
    for wrong, sentence in ((("race",), "race: list some of gender, group"), (("gender", "gender"), "'gender' stands twice")):
        with pytest.raises(ValueError, match=sentence):
            contrast.Params(precision=wrong)


def test_without_challenges_and_swaps_there_are_no_rows(responses):
    found = contrast.run(responses.slice(0, 0), NO_SWAPS, DESIGN, contrast.Params())
    assert [table.num_rows for table in found] == [0, 0, 0, 0]


def test_labelled_sentences_are_for_groups_and_not_for_regressions():
    """Scores of a regression whose low values are favourable are turned: a higher score, .1 more for women, is against them."""
    source = ROOT / "stages" / "challenges" / "corpora" / "en_identities.yaml"
    sentences = run(Challenge(use="eec", source=str(source)), Params()).to_pandas().drop(columns=["text", "lang"])
    score = np.where(sentences["favourable"], 0.3, 0.7) + 0.1 * (sentences["gender"] == "women")
    answers = from_pandas(sentences.assign(y_score=score, unit_score=score, challenge="c", task="joy", model="m"))
    task = DESIGN.tasks["joy"].model_copy(update={"kind": "regression", "favourable": "low"})
    design = DESIGN.model_copy(update={"tasks": {"joy": task}})
    terms, _, _, groups = contrast.run(answers, NO_SWAPS, design, contrast.Params(order=1))
    assert terms.num_rows == 0
    found = tables.check(groups, Identities.__metadata__[0], "identities").to_pandas().set_index(["group", "metric"])
    assert found.loc[("women", "difference"), "value"] == pytest.approx(-0.1)
    assert found.loc[("Muslim people", "subgroup_auc"), "value"] == 1.0


def test_swaps_of_every_cell_are_there():
    row = {"doc_id": "d", "author_id": "a", "attribute": "gender", "first": "women", "second": "men", "direction": "first to second"}
    row |= {"favourable": True, "original": 0.6, "swapped": 0.4, "original_decision": True, "swapped_decision": False, "model": "m"}
    swaps = from_pandas(pd.DataFrame([{**row, "task": task, "doc_id": f"d{i}"} for task in ("joy", "trust") for i in range(8)]))
    empty = from_pandas(pd.DataFrame(columns=[*NO_RESPONSES]))
    found = contrast.run(empty, swaps, DESIGN, contrast.Params())[2]
    found = tables.check(found, SwapEffects.__metadata__[0], "effects").to_pandas()
    chosen = found[(found["label"] == "all") & (found["convention"] == "crossbias") & (found["direction"] == "first to second")]
    assert chosen["task"].tolist() == ["joy", "trust"]
    assert chosen["p_value"].tolist() == pytest.approx([2 * 0.5**8] * 2)
    assert chosen["only_first"].tolist() == [8, 8]
