"""Who is trained on what: folds, validation authors, and the fit and prediction of one fold."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

from stages.contract.bad_input import BadInput

Kind = Literal["classification", "regression"]


@dataclass(frozen=True)
class Fold:
    """Positions of texts: ``test`` is predicted by the network fitted on ``train`` whose best epoch ``validation`` chose."""

    name: str
    seed: int
    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


@dataclass(frozen=True)
class Lesson:
    """What a family's ``fit`` learns in one fold: ``targets`` is float32, one a text of the table, 0/1 or standardised."""

    kind: Kind
    targets: np.ndarray
    train: np.ndarray
    validation: np.ndarray
    seed: int


class Family(Protocol):
    """A file of this shelf that defines ``Params``. ``predict`` returns logits, or outputs in the units of ``Lesson.targets``.

    ``SLOW``: which of "fit" and "predict" take long enough to be worth a process of their own; ``memory``: bytes each takes.
    ``prepare`` takes any texts, so that a fitted network also reads texts it was not fitted beside.
    """

    SLOW: frozenset[str]

    def memory(self, base: Path) -> float: ...
    def prepare(self, texts: Sequence[str], base: Path, params: Any) -> Any: ...
    def fit(self, inputs: Any, lesson: Lesson, params: Any) -> tuple[dict[str, Any], dict[str, Any]]: ...
    def predict(self, inputs: Any, tensors: dict[str, Any], index: np.ndarray, params: Any) -> np.ndarray: ...


def tested(names: Sequence[str]) -> dict[str, np.ndarray]:
    """Which texts each fold tests: every fold in turn, or "test" alone where the data come split into train, dev and test.

    BadInput: one fold only, or train/dev/test mixed with others or without train or test.
    """
    column, found = np.asarray(names), set(names)
    if not found & {"train", "dev", "test"}:
        if len(found) < 2:
            raise BadInput(f"column fold holds {len(found)} fold and cross-validation needs 2 or more; raise ingest.folds.")
        ordered = sorted(found, key=lambda name: (int(name) if re.fullmatch("[0-9]+", name) else -1, name))
        return {name: np.flatnonzero(column == name) for name in ordered}
    if not {"train", "test"} <= found <= {"train", "dev", "test"}:
        raise BadInput(f"column fold holds {', '.join(sorted(found))}; a published split needs train and test, and may add dev.")
    return {"test": np.flatnonzero(column == "test")}


def split(names: Sequence[str], authors: Sequence[str], share: float, seed: int) -> list[Fold]:
    """The folds of a table: validation is "dev" where the data have one, else the texts of a ``share`` of the other authors.

    Authors are drawn with a seed that follows from ``seed`` and the fold's position; no author is in both parts.
    """
    column, people = np.asarray(names), np.asarray(authors)
    folds = []
    for position, (name, test) in enumerate(tested(names).items()):
        drawing, fitting = np.random.SeedSequence([seed, position]).generate_state(2)
        if "dev" in column:
            validation = column == "dev"
            rest = column == "train"
        else:
            rest = column != name
            validation = rest & np.isin(people, _drawn(people[rest], share, int(drawing)))
        train = rest & ~validation
        folds.append(Fold(name, int(fitting), np.flatnonzero(train), np.flatnonzero(validation), test))
    return folds


def _drawn(people: np.ndarray, share: float, seed: int) -> np.ndarray:
    """A ``share`` of distinct people, at least one unless it is 0, and never all of them."""
    distinct = np.unique(people)
    count = min(max(1, round(share * len(distinct))), len(distinct) - 1) if share else 0
    return np.random.default_rng(seed).permutation(distinct)[:count]


def fit_fold(
    fit: Callable[..., Any], inputs: Any, params: Any, kind: Kind, targets: np.ndarray, output: Path, fold: Fold
) -> dict[str, Any]:
    """Fit one fold, write ``fold_<name>.safetensors`` and return its record, with the seconds it took.

    A regression's target is standardised by its training texts, as the initial network and the learning rates expect values
    near 0 and 1; mean and deviation lie beside the weights, to be undone. BadInput: one class or one value only to train on.
    """
    from safetensors.torch import save_file
    from torch import tensor

    started = time.monotonic()
    learned = targets[fold.train]
    if len(np.unique(learned)) < 2:
        what = "decision (favourable)" if kind == "classification" else "label"
        raise BadInput(f"fold {fold.name}: its {len(learned)} training texts all have one {what}; use fewer folds or another threshold.")
    mean, deviation = (float(learned.mean()), float(learned.std())) if kind == "regression" else (0.0, 1.0)
    lesson = Lesson(kind, ((targets - mean) / deviation).astype(np.float32), fold.train, fold.validation, fold.seed)
    try:
        tensors, history = fit(inputs, lesson, params)
    except BadInput as error:
        raise BadInput(f"fold {fold.name}: {error}") from error
    tensors["target_mean"], tensors["target_deviation"] = tensor(mean).double(), tensor(deviation).double()
    save_file(tensors, output / f"fold_{fold.name}.safetensors", metadata={"format": "pt"})
    sizes = {"n_train": len(fold.train), "n_validation": len(fold.validation)}
    return {"fold": fold.name, **sizes, **history, "seconds": time.monotonic() - started}


def predict_fold(
    predict: Callable[..., Any], inputs: Any, params: Any, kind: Kind, fitted: Path, part: tuple[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Positions of texts and what the network of fold ``part[0]`` says of them: P(favourable), or the label's own units."""
    from safetensors.torch import load_file

    name, index = part
    file = fitted / f"fold_{name}.safetensors"
    if not file.is_file():
        raise BadInput(f"{file} is missing: the models were fitted on other folds than the documents have now; run finetune again.")
    tensors = load_file(file)
    mean, deviation = tensors.pop("target_mean").item(), tensors.pop("target_deviation").item()
    found = predict(inputs, tensors, index, params).astype(np.float64) * deviation + mean
    # The logistic function, written so that no logit overflows.
    return index, (1 + np.tanh(found / 2)) / 2 if kind == "classification" else found
