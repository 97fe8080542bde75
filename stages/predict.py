"""documents, fitted models -> out-of-fold predictions: each text is judged by the model that did not see it."""

import functools
from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow as pa
from pydantic import Field

from stages.contract import shelf
from stages.contract.command import command
from stages.contract.params import Model, Section, Task
from stages.contract.schemas import Documents, Predictions
from stages.contract.tables import At
from stages.metrics import decisions
from stages.models import folds, processes

Base = Annotated[Path, At("data/debias/{model}")]
Fitted = Annotated[Path, At("data/finetune/{task}/{model}")]


class Params(Section):
    """``processes``: how many folds are predicted at once where cores and memory allow; ``threads``: of each process."""

    processes: int = Field(default=1, ge=1)
    threads: int = Field(default=1, ge=1)


def run(documents: Documents, base: Base, fitted: Fitted, task: Task, model: Model, params: Params) -> Predictions:
    """Predict each test fold's texts with its own model, in the documents' order.

    ``y_score`` has 6 decimals: the probability of ``favourable``, decided at .5, or the regression's output, decided as the
    task decides labels. BadInput: the folds are not those the models were fitted on.
    """
    family, options = shelf.take("models", model.family)
    processes.limit_threads(params.threads)
    inputs = family.prepare(documents["text"].to_pylist(), base, options)
    parts = list(folds.tested(documents["fold"].to_pylist()).items())
    work = functools.partial(folds.predict_fold, family.predict, inputs, options, task.kind, fitted)
    asked = params.processes if "predict" in family.SLOW else 1
    score = np.zeros(documents.num_rows)
    for index, found in processes.each(work, parts, processes.affordable(asked, len(parts), family.memory(base)), params.threads):
        score[index] = np.round(found, 6)
    label = documents["label"].to_numpy()
    if task.kind == "classification":
        true, decided = documents["favourable"].to_numpy().astype(np.float64), score >= 0.5
    else:
        true, decided = label, decisions.decide(score, decisions.cut_of(label, task.threshold), task.favourable)
    results = {"y_true": true, "y_score": score, "y_pred": decided.astype(np.int64)}
    table = pa.table({"doc_id": documents["doc_id"], "fold": documents["fold"], **results})
    return table.take(np.sort(np.concatenate([index for _, index in parts])))


if __name__ == "__main__":
    command(run)
