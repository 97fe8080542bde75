"""sentences of challenges, fitted models -> what each cell's models say of those in its language"""

import functools
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
from stages.contract.tables import At
from stages.models import folds, pretrained, processes

Base = Annotated[Path, At("data/debias/{model}")]
Fitted = Annotated[Path, At("data/finetune/{task}/{model}")]


class Params(Section):
    """``processes``: how many folds answer at once where cores and memory allow; ``threads``: of each process."""

    processes: int = Field(default=1, ge=1)
    threads: int = Field(default=1, ge=1)


def run(
    documents: Documents,
    sentences: Challenge,
    base: Base,
    fitted: Fitted,
    task: Task,
    model: Model,
    challenges: list[str],
    params: Params,
) -> Responses:
    """The mean over folds of what the cell's models say, 6 decimals, of the sentences of ``challenges`` in the documents' language.

    ``unit_score`` is the probability of ``favourable``, or (output - lowest label) / (highest - lowest label) of a regression, which may
    leave [0, 1]. No rows where no challenge is for this task. BadInput: see the family and ``folds``.
    """
    in_language = pc.is_in(sentences["lang"], pa.array(sorted(set(documents["lang"].to_pylist()))))
    sentences = sentences.filter(pc.and_(in_language, pc.is_in(sentences["challenge"], pa.array(challenges, pa.string()))))
    score = np.zeros(sentences.num_rows)
    if sentences.num_rows:
        family, options = shelf.take("models", model.family)
        processes.limit_threads(params.threads)
        base = pretrained.in_language(base, documents["lang"].to_pylist())
        inputs = family.prepare(sentences["text"].to_pylist(), base, options)
        everything = np.arange(sentences.num_rows)
        parts = [(name, everything) for name in folds.tested(documents["fold"].to_pylist())]
        folds.refuse_outputs(fitted, [name for name, _ in parts])
        work = functools.partial(folds.predict_fold, family.predict, inputs, options, task.kind, fitted)
        asked = params.processes if "predict" in family.SLOW else 1
        at_once = processes.affordable(asked, len(parts), family.memory(base))
        found = [values for _, values in processes.each(work, parts, at_once, params.threads)]
        score = np.round(np.sort(found, axis=0).mean(axis=0), 6)  # sorted: folds come in the order of finishing
    label = documents["label"].to_numpy()
    lowest, highest = (label.min(), label.max()) if task.kind == "regression" else (0.0, 1.0)
    table = sentences.drop_columns(["text", "lang"])
    return table.append_column("y_score", pa.array(score)).append_column("unit_score", pa.array((score - lowest) / (highest - lowest)))


if __name__ == "__main__":
    command(run)
