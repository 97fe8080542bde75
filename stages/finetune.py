"""documents, base -> one fitted model a fold, each trained without the texts it will predict."""

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from stages.contract import shelf
from stages.contract.bad_input import BadInput
from stages.contract.command import command
from stages.contract.params import Design, Entry, Model, Section, Task
from stages.contract.schemas import Documents
from stages.contract.tables import At
from stages.contract.values import ON_DISK, Seed, Threads
from stages.mitigations.groups import groups_of
from stages.models import folds, kept_folds, pretrained, processes

Base = Annotated[Path, At("data/debias/{model}")]
Fitted = Annotated[Path, At("data/finetune/{task}/{model}")]


class Params(Section):
    """``validation``: the share of each fold's training authors whose texts choose the best epoch; 0: the last epoch is kept.

    ``processes``: how many folds are fitted at once where cores and memory allow; the models do not depend on it, but in their
    last digits on ``threads``, the threads of each process. ``keep`` outputs: a fold's file holds what the model says of its test
    texts, kilobytes from which predictions are the same, and not the weights.
    """

    seed: Seed
    validation: float = Field(default=0.1, ge=0, le=0.5)
    processes: int = Field(default=1, ge=1)
    threads: Threads = 1
    keep: Literal["weights", "outputs"] = "weights"


def check(design: Design, _: Params) -> None:
    """BadInput where a model's family or its mitigation is none, or the family is not made for what the base holds."""
    for name, each in design.models.items():
        family, _options = shelf.take("models", each.family, ON_DISK)
        if each.family.mitigation is not None:
            shelf.take("mitigations", each.family.mitigation, ON_DISK)
        for kind in pretrained.kinds(each.base.source).values():
            if kind != family.BASE:
                use, source = each.family.use, each.base.source
                raise BadInput(f"params.yaml: models.{name}: {use} is not made for {kind}, which {source} holds; change the base or {use}.")


def run(documents: Documents, base: Base, task: Task, model: Model, params: Params, output: Fitted) -> None:
    """Fit the model's family once a fold: fold_<name>.safetensors, and training.json with each fold's sizes and losses.

    A run that was broken off, with the same inputs, left its fitted folds in ``.cache/folds``: they are taken, the others fitted.
    Classification learns ``favourable`` (0/1), regression ``label``; a mitigation groups texts by the documents' own columns.
    BadInput: see the family, its mitigation, ``folds``, ``kept_folds`` and ``processes``.
    """
    family, options = shelf.take("models", model.family)
    processes.limit_threads(params.threads)
    base = pretrained.in_language(base, documents["lang"].to_pylist())
    inputs = family.prepare(documents["text"].to_pylist(), base, options)
    targets = documents["favourable" if task.kind == "classification" else "label"].to_numpy().astype(np.float64)
    plan = folds.split(documents["fold"].to_pylist(), documents["author_id"].to_pylist(), params.validation, params.seed)
    settings = (task.kind, model.family.model_dump(), params.model_dump(exclude={"processes"}), inputs.notes)
    kept = kept_folds.place(documents, base, *settings)
    records = kept_folds.records(kept, [fold.name for fold in plan])
    missing = [fold for fold in plan if fold.name not in records]
    if params.keep == "weights":
        kept_folds.check_room((kept.parent, output), len(missing), family.stored(inputs, options))
    judge = family.predict if params.keep == "outputs" else None
    fit = _mitigated(family.fit, model.family.mitigation, documents)
    work = functools.partial(folds.fit_fold, fit, judge, inputs, options, task.kind, targets, kept)
    asked = params.processes if "fit" in family.SLOW else 1
    for record in processes.each(work, missing, processes.affordable(asked, len(missing), family.memory(base)), params.threads):
        print(_progress(record, record.pop("seconds")), flush=True)
        records[record["fold"]] = record
    kept_folds.deliver(kept, list(records), output)
    notes = inputs.notes | {"folds": [records[fold.name] for fold in plan]}
    (output / "training.json").write_text(json.dumps(notes, indent=2) + "\n", encoding="utf-8")


def _mitigated(fit: Callable[..., Any], mitigation: Entry | None, documents: pa.Table) -> Callable[..., Any]:
    """The family's ``fit``, on what the mitigation makes of each fold's lesson where it does so in training."""
    if mitigation is None:
        return fit
    module, options = shelf.take("mitigations", mitigation)
    if not hasattr(module, "lesson"):
        return fit
    groups = groups_of(documents, options.attributes)
    mitigate = functools.partial(module.lesson, groups, documents["favourable"].to_numpy(), params=options)
    return functools.partial(folds.fit_mitigated, fit, mitigate)


def _progress(record: dict[str, Any], seconds: float) -> str:
    how = _chosen(record) if "chosen" in record else _best(record)
    return f"fold {record['fold']}: {record['n_train']} texts, {how}, {seconds:.1f} s"


def _best(record: dict[str, Any]) -> str:
    epochs, best = record["epochs"], record["best_epoch"]
    loss = epochs[best - 1]["validation_loss"]
    kept = "no validation texts, the last kept" if loss is None else f"best validation loss {loss:.4f} in epoch {best}"
    return f"{len(epochs)} epochs, {kept}"


def _chosen(record: dict[str, Any]) -> str:
    settings = " ".join(f"{name} {value}" for name, value in record["chosen"].items())
    return f"{len(record['validation_scores'])} settings tried on {record['n_validation']} validation texts, {settings} kept"


if __name__ == "__main__":
    command(run)
