"""A model that selects everybody or nobody has no verdict but that it is collapsed; labels and scores are tested all the same."""

import pandas as pd
import pytest

from stages import evaluate
from stages.contract.vocabulary import COLLAPSED
from stages.metrics import collapsed
from tests.known_failures.studies import REFERENCE, inputs, spread

LABELS = ("di_star", "base_rate")
FAST = {"replicates": 100, "permutations": 199}


def scored(decide, scores=None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Scores and groups of 80 people of two genders with base rates of 3/4 and 1/4, decided as ``decide`` (label, gender) says."""
    kinds = [(30, 1, REFERENCE), (10, 0, REFERENCE), (10, 1, "b"), (30, 0, "b")]
    found = inputs(spread(*((number, label, decide(label, gender), gender) for number, label, gender in kinds)))
    if scores is not None:
        output = found.predictions.column_names.index("y_score")
        found = found._replace(predictions=found.predictions.set_column(output, "y_score", [scores]))
    done = evaluate.run(*found, evaluate.Params(**FAST))
    return done[0].to_pandas(), done[1].to_pandas()


@pytest.mark.parametrize(("selected", "word"), [(0, "no"), (1, "every")])
def test_no_decision_of_a_collapsed_model_has_another_verdict(selected, word):
    for table in scored(lambda label, gender: selected):
        own = table[table["verdict"].notna() & ~table["metric"].isin(LABELS)]
        assert len(own) >= 3
        assert set(own["verdict"]) == {COLLAPSED}
        assert own[["p_value", "q_value"]].isna().all(axis=None)
        assert own["reason"].notna().all()
    assert f"selects {word} text" in " ".join(table["reason"].dropna())


@pytest.mark.parametrize("selected", [0, 1])
def test_labels_and_scores_of_a_collapsed_model_are_tested(selected):
    """Base rates of 3/4 and 1/4; and scores between 0 and 1/2 of people who are all selected, or none, are further off for one gender."""
    scores, groups = scored(lambda label, gender: selected, [0.1 + place / 200 for place in range(80)])
    labels = scores[scores["metric"] == "di_star"]
    assert labels["p_value"].notna().any()
    assert "disparity" in set(labels["verdict"])
    brier = groups[(groups["metric"] == "brier") & groups["verdict"].notna()]
    assert len(brier) == 2
    assert brier["p_value"].notna().all()
    assert COLLAPSED not in set(brier["verdict"])


def test_one_text_decided_otherwise_is_a_model_that_decides():
    """Not collapsed: 79 of 80 are selected."""
    table = pd.DataFrame({"group": ["everyone"], "metric": ["selection_rate"], "value": [79 / 80]})
    assert collapsed.reason(table) is None
    scores, groups = scored(lambda label, gender: 1 - (label == 0) * (gender == "b"))
    assert COLLAPSED not in {*scores["verdict"], *groups["verdict"]}
