"""documents, base -> one fitted model a fold, each trained without the texts it will predict."""

import functools
import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from stages.contract import shelf
from stages.contract.command import command
from stages.contract.params import Model, Section, Task
from stages.contract.schemas import Documents
from stages.contract.tables import At
from stages.models import folds, processes

Base = Annotated[Path, At("data/debias/{model}")]
Fitted = Annotated[Path, At("data/finetune/{task}/{model}")]


class Params(Section):
    """``validation``: the share of each fold's training authors whose texts choose the best epoch; 0: the last epoch is kept.

    ``processes``: how many folds are fitted at once where cores and memory allow; the models do not depend on it, but in their
    last digits on ``threads``, the threads of each process.
    """

    seed: int = Field(ge=0)
    validation: float = Field(default=0.1, ge=0, le=0.5)
    processes: int = Field(default=1, ge=1)
    threads: int = Field(default=1, ge=1)


def run(documents: Documents, base: Base, task: Task, model: Model, params: Params, output: Fitted) -> None:
    """Fit the model's family once a fold: fold_<name>.safetensors, and training.json with each fold's sizes and losses.

    Classification learns ``favourable`` (0/1), regression ``label``. BadInput: see the family, ``folds`` and ``processes``.
    """
    family, options = shelf.take("models", model.family)
    processes.limit_threads(params.threads)
    inputs = family.prepare(documents["text"].to_pylist(), base, options)
    targets = documents["favourable" if task.kind == "classification" else "label"].to_numpy().astype(np.float64)
    plan = folds.split(documents["fold"].to_pylist(), documents["author_id"].to_pylist(), params.validation, params.seed)
    work = functools.partial(folds.fit_fold, family.fit, inputs, options, task.kind, targets, output)
    asked = params.processes if "fit" in family.SLOW else 1
    records = {}
    for record in processes.each(work, plan, processes.affordable(asked, len(plan), family.memory(base)), params.threads):
        print(_progress(record, record.pop("seconds")), flush=True)
        records[record["fold"]] = record
    notes = inputs.notes | {"folds": [records[fold.name] for fold in plan]}
    (output / "training.json").write_text(json.dumps(notes, indent=2) + "\n", encoding="utf-8")


def _progress(record: dict[str, Any], seconds: float) -> str:
    epochs, best = record["epochs"], record["best_epoch"]
    loss = epochs[best - 1]["validation_loss"]
    kept = "no validation texts, the last kept" if loss is None else f"best validation loss {loss:.4f} in epoch {best}"
    return f"fold {record['fold']}: {record['n_train']} texts, {len(epochs)} epochs, {kept}, {seconds:.1f} s"


if __name__ == "__main__":
    command(run)
