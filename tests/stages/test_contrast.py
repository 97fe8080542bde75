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
from stages.contract.tables import from_pandas
from tests.conftest import ROOT

CORPUS = ROOT / "stages" / "challenges" / "corpora" / "en_black_white.yaml"
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
    terms, fits = contrast.run(responses, DESIGN, contrast.Params())
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


def test_the_number_of_processes_changes_nothing(responses, found):
    terms, _ = contrast.run(responses, DESIGN, contrast.Params(processes=2))
    pd.testing.assert_frame_equal(tables.check(terms, Contrasts.__metadata__[0], "contrasts").to_pandas(), found[0])


def test_a_challenge_without_a_category_to_compare_with_is_refused(responses):
    with pytest.raises(BadInput, match="group: black_white must have one of Anglo to compare with, and has Black, white"):
        contrast.run(responses, DESIGN, contrast.Params(references={"group": ("Anglo",)}))


def test_without_challenges_there_are_no_rows(responses):
    terms, fits = contrast.run(responses.slice(0, 0), DESIGN, contrast.Params())
    assert terms.num_rows == fits.num_rows == 0
