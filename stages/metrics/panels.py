"""The tables of all tasks and models as panels: the people of each task, what each model decided, and the matched baselines."""

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput
from stages.contract.params import Design, Task
from stages.metrics.matching import Comparison, cut_to, follows
from stages.metrics.panel import Panel, gather

Numbers = NDArray[np.float64]


def panels_of(
    documents: pa.Table, subgroups: pa.Table, sets: pa.Table, predictions: pa.Table, design: Design, cut: list[Comparison]
) -> dict[str, Panel]:
    """The people of each task with the decisions of all models and, behind them, of the matched baselines.

    Authors of one source are the same people in all its tasks. Texts that a published split has for training and development are
    predicted by nobody, and left out. BadInput unless all tables of a task hold the same documents.
    """
    texts, coded = documents.to_pandas(), subgroups.to_pandas()
    apart = texts.loc[texts["fold"].isin(["train", "dev"]), ["task", "doc_id"]]
    if len(apart):
        texts, coded = _without(texts, apart), _without(coded, apart)
    source = texts["task"].map({name: task.dataset.source for name, task in design.tasks.items()})
    texts["owner"] = texts.groupby(source)["author_id"].transform(lambda authors: pd.factorize(authors)[0])
    authors = texts.groupby(source)["owner"].max() + 1
    statuses, chosen = (dict(list(table.groupby("task"))) for table in (coded, sets.to_pandas()))
    cells = dict(list(predictions.to_pandas().groupby(["task", "model"])))
    panels = {}
    for name, task in design.tasks.items():
        own = texts[texts["task"] == name].set_index("doc_id")
        groups = [tuple(joined.split("+")) for joined in dict.fromkeys(chosen[name]["attributes"])]
        status = _aligned(statuses[name], own.index, f"subgroups of {name}")[sorted({part for group in groups for part in group})]
        parts = [_aligned(cells[name, model], own.index, f"predictions of {model} for {name}") for model in design.models]
        decided = _with_matched(parts, list(design.models), task, cut)
        panels[name] = gather(status, own["favourable"].to_numpy(), decided, own["owner"].to_numpy(), authors[task.dataset.source], groups)
    return panels


def _without(table: pd.DataFrame, apart: pd.DataFrame) -> pd.DataFrame:
    """The rows of other documents than those ``apart``; identifiers are a task's own."""
    left_out = pd.MultiIndex.from_frame(table[["task", "doc_id"]]).isin(pd.MultiIndex.from_frame(apart))
    return table[~left_out]


def _with_matched(parts: list[pd.DataFrame], names: list[str], task: Task, cut: list[Comparison]) -> Numbers:
    """Decisions [texts, models], then of each baseline cut to the selection rate of its model; NaN where no cut can give them."""
    # A regression's output is a score as it is, so that low ones may be favourable; a probability is that of favourable.
    sign = -1 if task.kind == "regression" and task.favourable == "low" else 1
    decided = {name: part["y_pred"].to_numpy() == 1 for name, part in zip(names, parts, strict=True)}
    columns = [column.astype(float) for column in decided.values()]
    for comparison in cut:
        scores = sign * parts[names.index(comparison.reference)]["y_score"].to_numpy()
        fair = follows(scores, decided[comparison.reference])
        columns.append(cut_to(scores, decided[comparison.model].sum()) if fair else np.full(len(scores), np.nan))
    return np.stack(columns, axis=1)


def _aligned(table: pd.DataFrame, identifiers: pd.Index, name: str) -> pd.DataFrame:
    """A table in the order of the documents; BadInput unless it holds the same ones."""
    table = table.set_index("doc_id")
    lost = len(identifiers.symmetric_difference(table.index))
    if lost:
        raise BadInput(f"documents and {name} differ in {lost} identifiers; rerun the stages that write them (dvc repro).")
    return table.loc[identifiers]
