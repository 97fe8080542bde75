"""documents, fitted models -> out-of-fold predictions: each text is judged by the model that did not see it."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from stages.contract import on_disk, shelf
from stages.contract.bad_input import BadInput
from stages.contract.command import command
from stages.contract.on_disk import OnDisk
from stages.contract.params import Entry, Model, Section, Task
from stages.contract.schemas import Documents, Predictions
from stages.contract.tables import At
from stages.contract.values import Threads
from stages.metrics import decisions
from stages.mitigations.groups import groups_of
from stages.models import folds, pretrained, processes

Base = Annotated[Path, At("data/debias/{model}")]
Fitted = Annotated[Path, At("data/finetune/{task}/{model}")]
Part = tuple[str, np.ndarray]  # a fold, and the positions of the texts that its model is asked about
# Texts are most of the documents' bytes, and each is looked at once.
Streamed = Annotated[pa.Table | OnDisk, replace(Documents.__metadata__[0], streamed=("text",))]


class Params(Section):
    """``processes``: how many folds are predicted at once where cores and memory allow; ``threads``: of each process."""

    processes: int = Field(default=1, ge=1)
    threads: Threads = 1


def run(documents: Streamed, base: Base, fitted: Fitted, task: Task, model: Model, params: Params) -> Predictions:
    """Predict each test fold's texts with its own model, in the documents' order.

    ``y_score`` has 6 decimals: the probability of ``favourable``, decided at .5, or the regression's output, decided as the
    task decides labels. A mitigation with thresholds decides anew, by group, and leaves scores as they are.
    BadInput: the folds are not those the models were fitted on; see the mitigation.
    """
    known = documents.select(["doc_id", "lang", "fold", "label", "favourable"])
    names = known["fold"].to_pylist()
    tested = folds.tested(names)
    others = _fitted_on(model.family.mitigation, names, tested)
    # What thresholds are fitted on is predicted anyway, but for the dev part of a published split.
    parts = [*tested.items(), *(others.items() if len(tested) == 1 else ())]
    ask = functools.partial(_answers, pretrained.in_language(base, pc.unique(known["lang"]).to_pylist()), fitted, task, model, params)
    score = np.zeros(documents.num_rows)
    for start, batch in _batches(documents, model):
        end = start + batch.num_rows
        here = [(name, index[(index >= start) & (index < end)]) for name, index in parts]
        for index, found in ask(batch["text"], start, [(name, index) for name, index in here if len(index)]):
            score[index] = np.round(found, 6)
    label = known["label"].to_numpy()
    if task.kind == "classification":
        true, decided = known["favourable"].to_numpy().astype(np.float64), score >= 0.5
    else:
        true, decided = label, decisions.decide(score, decisions.cut_of(label, task.threshold), task.favourable)
    if others and model.family.mitigation is not None:
        upwards = score if task.kind == "classification" or task.favourable == "high" else -score
        decided = _by_group(model.family.mitigation, documents, upwards, decided, [(others[name], tested[name]) for name in tested])
    results = {"y_true": true, "y_score": score, "y_pred": decided.astype(np.int64)}
    table = pa.table({"doc_id": known["doc_id"], "fold": known["fold"], **results})
    return table.take(np.sort(np.concatenate(list(tested.values()))))


def _batches(documents: pa.Table | OnDisk, model: Model) -> Iterator[tuple[int, pa.Table]]:
    """The texts in batches, each with its first text's position.

    All at once where a family keeps what it prepares, as an encoder's features: finetune has left those of the whole table.
    """
    if not hasattr(shelf.take("models", model.family)[0], "unkept"):
        yield from on_disk.batches(documents, ["text"])
        return
    if documents.num_rows > on_disk.BATCH:
        whole = f"all {documents.num_rows} texts at once: their features are kept as a whole"
        print(f"predict: {model.family.use} looks at {whole}", flush=True)
    yield 0, documents.select(["text"])


def _answers(
    base: Path, fitted: Path, task: Task, model: Model, params: Params, texts: pa.ChunkedArray, start: int, parts: list[Part]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Positions in the table and what the model of each part's fold says of those ``texts``, of which the first is at ``start``."""
    family, options = shelf.take("models", model.family)
    processes.limit_threads(params.threads)
    inputs = family.prepare(texts.to_pylist(), base, options)
    predict = functools.partial(_predict, family.predict, start)
    work = functools.partial(folds.predict_fold, predict, inputs, options, task.kind, fitted, own=True)
    asked = params.processes if "predict" in family.SLOW else 1
    return processes.each(work, parts, processes.affordable(asked, len(parts), family.memory(base)), params.threads)


def _predict(predict: Callable[..., np.ndarray], start: int, inputs: Any, tensors: Any, index: np.ndarray, options: Any) -> np.ndarray:
    """A family's ``predict`` of texts by their positions in the table, which kept outputs have too."""
    return predict(inputs, tensors, index - start, options)


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
    mitigation: Entry, documents: pa.Table | OnDisk, score: np.ndarray, decided: np.ndarray, parts: list[tuple[np.ndarray, np.ndarray]]
) -> np.ndarray:
    """Decisions by thresholds of each group; ``parts``: the texts they are fitted on, and those they decide."""
    module, options = shelf.take("mitigations", mitigation)
    table = documents.select([name for name in documents.column_names if name == "favourable" or name in options.attributes])
    groups, favourable = groups_of(table, options.attributes), table["favourable"].to_numpy()
    found = decided.copy()
    for fitted, applied in parts:
        found[applied] = module.decide(score, favourable, decided, groups, fitted, applied, options)
    return found


if __name__ == "__main__":
    command(run)
