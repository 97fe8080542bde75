"""Who is trained on what: folds, validation authors, and the fit and prediction of one fold."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

from stages.contract.bad_input import BadInput
from stages.models import kept_folds, kept_outputs

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
    """What a family's ``fit`` learns in one fold: ``targets`` is float32, one a text of the table, 0/1 or standardised.

    A standardised target is (label - ``mean``) / ``deviation``; ``exact`` are the labels themselves, float64, where they differ.
    A mitigation may set the rest. ``weights`` are float32, one a text of the table, of mean 1 over ``train``; None: all 1. ``draw``
    takes what one epoch trains on, always as many texts; None: all of ``train``. ``adversary`` joins the training: given the
    network's last linear layer, the optimiser and the seed, it gives a loss to be added, summed over the texts just read.
    """

    kind: Kind
    targets: np.ndarray
    train: np.ndarray
    validation: np.ndarray
    seed: int
    mean: float = 0.0
    deviation: float = 1.0
    exact: np.ndarray | None = None
    weights: np.ndarray | None = None
    draw: Callable[[np.random.Generator], np.ndarray] | None = None
    adversary: Callable[..., Callable[[np.ndarray], Any]] | None = None

    @property
    def labels(self) -> np.ndarray:
        """What is learned in its own units, float64 [texts], for methods with settings in those."""
        return self.targets.astype(np.float64) if self.exact is None else self.exact

    def texts_of(self, epoch: int) -> np.ndarray:
        """Positions of the texts that an epoch trains on."""
        return self.train if self.draw is None else self.draw(np.random.default_rng([self.seed, epoch]))


class Family(Protocol):
    """A file of this shelf that defines ``Params``. ``predict`` returns logits, or outputs in the units of ``Lesson.targets``.

    ``SLOW``: which of "fit" and "predict" take long enough to be worth a process of their own; ``memory``: bytes each takes.
    ``stored``: bytes of a fitted fold. ``prepare`` takes any texts, so that a fitted network also reads texts it was not fitted beside.
    """

    SLOW: frozenset[str]

    def memory(self, base: Path) -> float: ...
    def prepare(self, texts: Sequence[str], base: Path, params: Any) -> Any: ...
    def stored(self, inputs: Any, params: Any) -> int: ...
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


def fit_mitigated(
    fit: Callable[..., Any], mitigate: Callable[[np.ndarray], dict[str, Any]], inputs: Any, lesson: Lesson, params: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """A family's ``fit`` of the lesson with what ``mitigate`` makes of its training texts: weights, draw or adversary."""
    found: tuple[dict[str, Any], dict[str, Any]] = fit(inputs, replace(lesson, **mitigate(lesson.train)), params)
    return found


def fit_fold(
    fit: Callable[..., Any],
    predict: Callable[..., Any] | None,
    inputs: Any,
    params: Any,
    kind: Kind,
    targets: np.ndarray,
    kept: Path,
    fold: Fold,
) -> dict[str, Any]:
    """Fit one fold, keep ``fold_<name>.safetensors`` in the folder ``kept`` and return its record, with the seconds it took.

    The file holds the fitted weights or, where ``predict`` is given, what they say of the texts that they did not learn from instead.
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
    standard = ((targets - mean) / deviation).astype(np.float32)
    lesson = Lesson(kind, standard, fold.train, fold.validation, fold.seed, mean, deviation, targets)
    tensors, history = _fitted(fit, inputs, lesson, params, fold.name)
    if predict is not None:
        tensors = kept_outputs.of(predict, inputs, tensors, fold, params)
    tensors["target_mean"], tensors["target_deviation"] = tensor(mean).double(), tensor(deviation).double()
    record = {"fold": fold.name, "n_train": len(fold.train), "n_validation": len(fold.validation), **history}
    kept_folds.keep(kept, fold.name, record, lambda path: save_file(tensors, path, metadata={"format": "pt"}))
    return record | {"seconds": time.monotonic() - started}


def _fitted(fit: Callable[..., Any], inputs: Any, lesson: Lesson, params: Any, name: str) -> Any:
    """What ``fit`` returns, its refusals and a want of memory in one sentence that names the fold."""
    from stages.models.memory import ran_out

    try:
        return fit(inputs, lesson, params)
    except BadInput as error:
        raise BadInput(f"fold {name}: {error}") from error
    except (RuntimeError, MemoryError) as error:
        if not ran_out(error):
            raise
        raise BadInput(f"fold {name}: memory is too small for the network; take a smaller base, or set processes: 1.") from error


def predict_fold(
    predict: Callable[..., Any], inputs: Any, params: Any, kind: Kind, fitted: Path, part: tuple[str, np.ndarray], own: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Positions of texts and what the network of fold ``part[0]`` says of them: P(favourable), or the label's own units.

    ``own``: ``inputs`` are the texts of the table that was fitted on; kept outputs serve for those alone.
    BadInput: the fold was not fitted, or its file holds outputs for other texts.
    """
    from safetensors.torch import load_file

    name, index = part
    file = fitted / f"fold_{name}.safetensors"
    if not file.is_file():
        raise BadInput(f"{file} is missing: the models were fitted on other folds than the documents have now; run finetune again.")
    tensors = load_file(file)
    mean, deviation = tensors.pop("target_mean").item(), tensors.pop("target_deviation").item()
    said = kept_outputs.at(tensors, index, own, file) if "outputs" in tensors else predict(inputs, tensors, index, params)
    found = said.astype(np.float64) * deviation + mean
    # The logistic function, written so that no logit overflows.
    return index, (1 + np.tanh(found / 2)) / 2 if kind == "classification" else found


def refuse_outputs(fitted: Path, names: Sequence[str]) -> None:
    """BadInput: of a fold only outputs were kept, which say nothing of other texts than its own."""
    from safetensors import safe_open

    for name in names:
        with safe_open(fitted / f"fold_{name}.safetensors", "pt") as file:
            if "outputs" in file.keys():  # noqa: SIM118  (no mapping)
                raise BadInput(f"{fitted}: of its models only outputs were kept; set finetune.keep: weights and run finetune again.")
