"""documents, fitted models -> out-of-fold predictions: each text is judged by the model that did not see it."""

import functools
from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow as pa
from pydantic import Field

from stages.contract import shelf
from stages.contract.bad_input import BadInput
from stages.contract.command import command
from stages.contract.params import Entry, Model, Section, Task
from stages.contract.schemas import Documents, Predictions
from stages.contract.tables import At
from stages.metrics import decisions
from stages.mitigations.groups import groups_of
from stages.models import folds, pretrained, processes

Base = Annotated[Path, At("data/debias/{model}")]
Fitted = Annotated[Path, At("data/finetune/{task}/{model}")]


class Params(Section):
    """``processes``: how many folds are predicted at once where cores and memory allow; ``threads``: of each process."""

    processes: int = Field(default=1, ge=1)
    threads: int = Field(default=1, ge=1)


def run(documents: Documents, base: Base, fitted: Fitted, task: Task, model: Model, params: Params) -> Predictions:
    """Predict each test fold's texts with its own model, in the documents' order.

    ``y_score`` has 6 decimals: the probability of ``favourable``, decided at .5, or the regression's output, decided as the
    task decides labels. A mitigation with thresholds decides anew, by group, and leaves scores as they are.
    BadInput: the folds are not those the models were fitted on; see the mitigation.
    """
    family, options = shelf.take("models", model.family)
    processes.limit_threads(params.threads)
    base = pretrained.in_language(base, documents["lang"].to_pylist())
    inputs = family.prepare(documents["text"].to_pylist(), base, options)
    names = documents["fold"].to_pylist()
    tested = folds.tested(names)
    others = _fitted_on(model.family.mitigation, names, tested)
    # What thresholds are fitted on is predicted anyway, but for the dev part of a published split.
    parts = [*tested.items(), *(others.items() if len(tested) == 1 else ())]
    work = functools.partial(folds.predict_fold, family.predict, inputs, options, task.kind, fitted, own=True)
    asked = params.processes if "predict" in family.SLOW else 1
    score = np.zeros(documents.num_rows)
    for index, found in processes.each(work, parts, processes.affordable(asked, len(parts), family.memory(base)), params.threads):
        score[index] = np.round(found, 6)
    label = documents["label"].to_numpy()
    if task.kind == "classification":
        true, decided = documents["favourable"].to_numpy().astype(np.float64), score >= 0.5
    else:
        true, decided = label, decisions.decide(score, decisions.cut_of(label, task.threshold), task.favourable)
    if others and model.family.mitigation is not None:
        upwards = score if task.kind == "classification" or task.favourable == "high" else -score
        decided = _by_group(model.family.mitigation, documents, upwards, decided, [(others[name], tested[name]) for name in tested])
    results = {"y_true": true, "y_score": score, "y_pred": decided.astype(np.int64)}
    table = pa.table({"doc_id": documents["doc_id"], "fold": documents["fold"], **results})
    return table.take(np.sort(np.concatenate(list(tested.values()))))


def _fitted_on(mitigation: Entry | None, names: list[str], tested: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Which texts each fold's thresholds are fitted on: all of the other folds, or the dev part. Empty: the mitigation has none."""
    if mitigation is None or not hasattr(shelf.take("mitigations", mitigation)[0], "decide"):
        return {}
    if len(tested) > 1:
        return {name: np.concatenate([tested[other] for other in tested if other != name]) for name in tested}
    if "dev" not in names:
        raise BadInput("mitigation: thresholds are fitted on the dev part, and this split has train and test alone; add dev or use folds.")
    return {"test": np.flatnonzero(np.asarray(names) == "dev")}


def _by_group(
    mitigation: Entry, documents: pa.Table, score: np.ndarray, decided: np.ndarray, parts: list[tuple[np.ndarray, np.ndarray]]
) -> np.ndarray:
    """Decisions by thresholds of each group; ``parts``: the texts they are fitted on, and those they decide."""
    module, options = shelf.take("mitigations", mitigation)
    groups, favourable = groups_of(documents, options.attributes), documents["favourable"].to_numpy()
    found = decided.copy()
    for fitted, applied in parts:
        found[applied] = module.decide(score, favourable, decided, groups, fitted, applied, options)
    return found


if __name__ == "__main__":
    command(run)
