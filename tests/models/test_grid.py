"""Settings are tried, scored and chosen as scikit-learn's grid search does."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import ParameterGrid

from stages.contract.bad_input import BadInput
from stages.models import grid
from stages.models.folds import Lesson


def lesson(validation: int = 3, kind: str = "regression", **changes: object) -> Lesson:
    targets = np.array([0, 1, 0, 1, 1, 0], np.float32)
    return Lesson(kind, targets, np.arange(3), np.arange(3, 3 + validation), 1, **changes)  # type: ignore[arg-type]


def test_the_order_is_that_of_scikit_learn():
    values = {"kernel": ["rbf", "poly"], "C": [0.1, 1, 10], "gamma": [1, 0.1]}
    assert grid.settings(**values) == list(ParameterGrid(values))


def test_scores_are_those_of_scikit_learn():
    random = np.random.default_rng(1)
    wanted, found = random.normal(size=(2, 50))
    assert grid.score(found, wanted, "regression") == pytest.approx(r2_score(wanted, found), abs=1e-12)
    decided = wanted > 0
    assert grid.score(found, decided.astype(float), "classification") == accuracy_score(decided, found > 0)


def test_the_best_is_kept_and_of_equals_the_first():
    right, wrong = np.array([1.0, 1, 0]), np.array([0.0, 0, 1])
    number, history = grid.best(grid.settings(a=[1, 2, 3]), [wrong, right, right], lesson())
    assert (number, history) == (1, {"chosen": {"a": 2}, "validation_scores": [-3.5, 1.0, 1.0]})


def test_a_choice_needs_validation_texts_and_a_single_setting_none():
    with pytest.raises(BadInput, match=r"3 settings to choose from and no validation texts; raise finetune.validation"):
        grid.best(grid.settings(a=[1, 2, 3]), [], lesson(0))
    assert grid.best(grid.settings(a=[1]), [], lesson(0)) == (0, {"chosen": {"a": 1}, "validation_scores": []})


def test_mitigations_that_weigh_or_draw_texts_reach_these_methods_and_adversaries_are_refused():
    drawn = lesson(draw=lambda random: random.permutation([2, 2, 1]))
    train, both = grid.learned(drawn)
    assert sorted(train) == [1, 2, 2]
    assert both.tolist() == [*train, 3, 4, 5]
    weights = np.arange(6, dtype=np.float32)
    assert grid.weights_of(lesson(weights=weights), np.array([4, 1])).tolist() == [4, 1]
    assert grid.weights_of(lesson(), np.array([4, 1])) is None
    with pytest.raises(BadInput, match="no representation that an adversary could read"):
        grid.learned(lesson(adversary=lambda *_: None))
