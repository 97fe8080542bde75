"""The assessment's seven metrics against their definitions over texts one by one, for either positive class."""

import numpy as np
import pytest

from stages.contract.bad_input import BadInput
from stages.metrics.assessment import FAVOURABLE, assessment2021
from stages.metrics.contingency import counted
from stages.metrics.group_scores import FROM_REFERENCE
from tests.metrics.test_group_scores import scored
from tests.metrics.test_groups import study


def by_hand(label: np.ndarray, decision: np.ndarray, score: np.ndarray) -> dict[str, float]:
    """Appendix F of one group, with the positive class as 1 and ``score`` its probability."""
    missed, alarmed = ((label == 1) & (decision == 0)).sum(), ((label == 0) & (decision == 1)).sum()
    benefit = decision - label + 1
    return {
        "equal opportunity": decision[label == 1].mean(),
        "gini equality": np.abs(benefit[:, None] - benefit).sum() / (2 * len(benefit) ** 2 * benefit.mean()),
        "normalised treatment equality": (missed - alarmed) / (missed + alarmed),
        "overall accuracy equality": (label == decision).mean(),
        "positive predictive value": label[decision == 1].mean(),
        "positive class balance": score[decision == 1].mean(),
        "statistical parity": decision.mean(),
    }


@pytest.mark.parametrize("positive", ["favourable", "unfavourable"])
def test_the_seven_are_those_of_the_appendix(positive):
    frame = study(400)
    parts = [frame[frame["race_value"] == name] for name in ("white", "Black", "Asian")]
    counts = np.stack([counted(part["favourable"].to_numpy(), part["y_pred"].to_numpy() == 1).sum(axis=0) for part in parts])
    scores = np.array([[part.loc[part["y_pred"] == decided, "y_score"].sum() for decided in (1, 0)] for part in parts])
    found = assessment2021(counts, scores, reference=1, positive=positive)
    columns = [(part["y_true"].to_numpy(), part["y_pred"].to_numpy(), part["y_score"].to_numpy()) for part in parts]
    hand = [by_hand(*(column if positive == "favourable" else tuple(1 - one for one in column))) for column in columns]
    for name, values in found.items():
        assert values == pytest.approx([hand[1][name] - each[name] for each in hand]), name
    assert list(found) == list(FAVOURABLE) == list(hand[0])


def test_a_perfect_classifier_has_parity_where_it_can():
    counts = np.array([[10.0, 6, 6, 6], [10, 2, 2, 2]])
    found = assessment2021(counts, counts[:, [2, 1]] * [0.9, 0.1], reference=0)
    for name in ("equal opportunity", "gini equality", "overall accuracy equality", "positive predictive value"):
        assert found[name].tolist() == [0, 0]
    assert np.isnan(found["normalised treatment equality"]).all(), "no error, no direction of errors"
    assert found["statistical parity"][1] == pytest.approx(0.4), "labels differ"


def test_differences_of_groups_are_those_of_the_assessment_with_the_other_sign():
    frame = study(600)
    rows, _ = scored(frame, [("race",)])
    rows = rows[rows["comparison"] == FROM_REFERENCE].set_index(["metric", "group"])["value"]
    names = ("Black", "Asian", "white")  # the first is this study's reference
    parts = [frame[frame["race_value"] == name] for name in names]
    counts = np.stack([counted(part["favourable"].to_numpy(), part["y_pred"].to_numpy() == 1).sum(axis=0) for part in parts])
    scores = np.array([[part.loc[part["y_pred"] == decided, "y_score"].sum() for decided in (1, 0)] for part in parts])
    for name, values in assessment2021(counts, scores, reference=0).items():
        assert [-rows[FAVOURABLE[name], group] for group in names[1:]] == pytest.approx(values[1:].tolist()), name


def test_a_reference_that_is_not_there_is_refused():
    with pytest.raises(BadInput, match="no group 3 among 2"):
        assessment2021(np.ones((2, 4)), np.ones((2, 2)), reference=3)
