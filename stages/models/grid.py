"""Settings chosen on the validation texts, as scikit-learn's GridSearchCV with a PredefinedSplit chooses them."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from stages.contract.bad_input import BadInput
from stages.models.folds import Kind, Lesson

Setting = dict[str, Any]


def settings(**values: Sequence[Any]) -> list[Setting]:
    """Every combination of ``values``, in the order in which GridSearchCV has them: by name, the last name's values in turn."""
    names = sorted(values)
    return [dict(zip(names, chosen, strict=True)) for chosen in itertools.product(*(values[name] for name in names))]


def best(candidates: list[Setting], outputs: Sequence[np.ndarray], lesson: Lesson) -> tuple[int, dict[str, Any]]:
    """Which candidate's ``outputs`` for the validation texts are best, of equals the first; and the history.

    BadInput: there are several candidates, and no outputs for want of validation texts.
    """
    if not outputs and len(candidates) > 1:
        raise BadInput(f"{len(candidates)} settings to choose from and no validation texts; raise finetune.validation or give one of each.")
    scores = [score(found, lesson.labels[lesson.validation], lesson.kind) for found in outputs]
    number = int(np.argmax(scores)) if scores else 0
    return number, {"chosen": candidates[number], "validation_scores": [round(value, 6) for value in scores]}


def score(found: np.ndarray, wanted: np.ndarray, kind: Kind) -> float:
    """R2 = 1 - sum (y - f)^2 / sum (y - mean y)^2 of a regression, or the share of right decisions (f above 0); 1 is best."""
    if kind == "classification":
        return float(((found > 0) == (wanted > 0.5)).mean())
    return float(1 - ((found - wanted) ** 2).sum() / ((wanted - wanted.mean()) ** 2).sum())


def learned(lesson: Lesson) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the texts to train on while choosing, and of those for the last fit: the validation texts too.

    BadInput: a mitigation wants an adversary, and these methods have no representation that one could read.
    """
    if lesson.adversary is not None:
        raise BadInput("this family has no representation that an adversary could read; take another mitigation or family.")
    train = np.sort(lesson.texts_of(epoch=1))  # these methods' last digits depend on the order, and a draw's has no meaning
    return train, np.concatenate([train, lesson.validation])


def weights_of(lesson: Lesson, index: np.ndarray) -> np.ndarray | None:
    """How much each text at ``index`` weighs, None where all weigh 1."""
    if lesson.weights is None or (lesson.weights[index] == 1).all():
        return None
    return lesson.weights[index].astype(np.float64)
