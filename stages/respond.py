"""sentences of challenges, swapped texts, fitted models -> what each cell's models say of them"""

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from stages.contract import shelf
from stages.contract.challenges import Challenge, Responses
from stages.contract.command import command
from stages.contract.params import Model, Section, Task
from stages.contract.schemas import Documents
from stages.contract.swaps import SwapResponses, Swaps
from stages.contract.tables import At
from stages.contract.values import Threads
from stages.metrics import decisions
from stages.models import folds, pretrained, processes

Base = Annotated[Path, At("data/debias/{model}")]
Fitted = Annotated[Path, At("data/finetune/{task}/{model}")]
Part = tuple[str, np.ndarray]  # a fold, and the positions of the texts that its model is asked about
Ask = Callable[[Sequence[str], list[Part]], list[tuple[np.ndarray, np.ndarray]]]


class Params(Section):
    """``processes``: how many folds answer at once where cores and memory allow; ``threads``: of each process."""

    processes: int = Field(default=1, ge=1)
    threads: Threads = 1


def run(  # noqa: PLR0917 - a stage's signature is its declaration
    documents: Documents,
    sentences: Challenge,
    swaps: Swaps,
    base: Base,
    fitted: Fitted,
    task: Task,
    model: Model,
    challenges: list[str],
    params: Params,
) -> tuple[Responses, SwapResponses]:
    """What the cell's models say, 6 decimals, of the sentences of ``challenges`` in the documents' language, and of swapped documents.

    Of a sentence the mean over folds; no rows where no challenge is for this task. Of a swapped text and its original, what the model
    of the fold that tests it says. ``unit_score`` is the probability of ``favourable``, or (output - lowest label) / (highest - lowest
    label) of a regression, which may leave [0, 1]. BadInput: see the family and ``folds``.
    """
    in_language = pc.is_in(sentences["lang"], pa.array(sorted(set(documents["lang"].to_pylist()))))
    sentences = sentences.filter(pc.and_(in_language, pc.is_in(sentences["challenge"], pa.array(challenges, pa.string()))))
    ask = functools.partial(_answers, documents, base, fitted, task, model, params)
    score = np.zeros(sentences.num_rows)
    if sentences.num_rows:
        everything = np.arange(sentences.num_rows)
        parts = [(name, everything) for name in folds.tested(documents["fold"].to_pylist())]
        found = [values for _, values in ask(sentences["text"].to_pylist(), parts)]
        score = np.round(np.sort(found, axis=0).mean(axis=0), 6)  # sorted: folds come in the order of finishing
    table = sentences.drop_columns(["text", "lang"]).append_column("y_score", pa.array(score))
    return table.append_column("unit_score", pa.array(_unit(score, documents, task))), _swapped(documents, swaps, task, ask)


def _answers(
    documents: pa.Table, base: Path, fitted: Path, task: Task, model: Model, params: Params, texts: Sequence[str], parts: list[Part]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Positions of ``texts`` and what the model of each part's fold says of them, in the order of finishing."""
    family, options = shelf.take("models", model.family)
    processes.limit_threads(params.threads)
    base = pretrained.in_language(base, documents["lang"].to_pylist())
    inputs = family.prepare(texts, base, options)
    folds.refuse_outputs(fitted, [name for name, _ in parts])
    work = functools.partial(folds.predict_fold, family.predict, inputs, options, task.kind, fitted)
    asked = params.processes if "predict" in family.SLOW else 1
    return list(processes.each(work, parts, processes.affordable(asked, len(parts), family.memory(base)), params.threads))


def _swapped(documents: pa.Table, swaps: pa.Table, task: Task, ask: Ask) -> pa.Table:
    """The rows of ``SwapResponses``: clear swaps of texts that some fold tests, each original asked about once."""
    tested = folds.tested(documents["fold"].to_pylist())
    ids = documents["doc_id"].take(np.concatenate(list(tested.values()))).combine_chunks()
    clear = swaps.filter(pc.and_(pc.equal(swaps["outcome"], "swapped"), pc.is_in(swaps["doc_id"], ids)))
    rows = pc.index_in(clear["doc_id"], documents["doc_id"].combine_chunks()).to_numpy().astype(np.int64)
    originals, own = np.unique(rows, return_inverse=True)
    texts = [*documents["text"].take(originals).to_pylist(), *clear["text"].to_pylist()]
    about = np.concatenate([originals, rows])  # which document each text is, or is made from
    score = np.zeros(len(texts))
    parts = [(name, np.flatnonzero(np.isin(about, positions))) for name, positions in tested.items()]
    parts = [(name, index) for name, index in parts if len(index)]
    for index, found in ask(texts, parts) if parts else ():
        score[index] = np.round(found, 6)
    unit, decided = _unit(score, documents, task), _decided(score, documents, task)
    if task.kind == "regression" and task.favourable == "low":
        unit = 1 - unit
    table = clear.select(["doc_id", "attribute", "first", "second", "direction"])
    for name in ("author_id", "favourable"):
        table = table.append_column(name, documents[name].take(rows))
    for name, index in (("original", own), ("swapped", len(originals) + np.arange(len(rows)))):
        table = table.append_column(name, pa.array(np.round(unit[index], 6)))
        table = table.append_column(f"{name}_decision", pa.array(decided[index]))
    return table


def _unit(score: np.ndarray, documents: pa.Table, task: Task) -> np.ndarray:
    """Scores on a scale where the lowest label is 0 and the highest 1."""
    label = documents["label"].to_numpy()
    lowest, highest = (label.min(), label.max()) if task.kind == "regression" else (0.0, 1.0)
    unit: np.ndarray = (score - lowest) / (highest - lowest)
    return unit


def _decided(score: np.ndarray, documents: pa.Table, task: Task) -> np.ndarray:
    """Decisions from scores alone, as predict makes them where no mitigation sets thresholds by group."""
    if task.kind == "classification":
        return np.asarray(score >= 0.5)
    return decisions.decide(score, decisions.cut_of(documents["label"].to_numpy(), task.threshold), task.favourable)


if __name__ == "__main__":
    command(run)
