"""Raw files -> documents: texts with labels, decoded demographics, authors and folds, and whom the texts mention."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pydantic import Field

from stages.contract.bad_input import BadInput
from stages.contract.command import command
from stages.contract.descriptions import MINED
from stages.contract.in_parts import InParts, Texts
from stages.contract.params import Design, Entry, Section, Task
from stages.contract.schemas import Documents, Population
from stages.contract.shelf import take
from stages.contract.tables import PARQUET, from_pandas
from stages.contract.values import ON_DISK, Seed
from stages.datasets.reading import need_label
from stages.mentions import mining
from stages.metrics.decisions import cut_of, decide

LANG = "en"  # of all that mentions are found by
COLUMNS = ["doc_id", "author_id", "lang", "fold", "label", "favourable"]  # and the texts
# Texts are most of the documents' bytes: those of more than one row group are never held whole.
Written = Annotated[pa.Table | InParts, Documents.__metadata__[0]]


class Params(Section):
    """``folds`` of cross-validation, drawn by author and balanced by label, where the data set has no split of its own.

    ``mentions``: columns of whom English texts mention, such as ``mentioned_gender``; never who wrote them. They are attributes like
    any other from here on.
    """

    folds: int = Field(default=5, ge=2)
    seed: Seed = 1
    mentions: tuple[Entry, ...] = ()


def check(design: Design, params: Params) -> None:
    """BadInput where a data set lacks a file, or a mention's list is none. What a data set says of its own it checks itself."""
    for name, task in design.tasks.items():
        module, options = take("datasets", task.dataset, ON_DISK)
        for file in module.files(options) if hasattr(module, "files") else ():
            path = Path(task.dataset.source, file)
            if not path.is_file():
                raise BadInput(f"params.yaml: tasks.{name}.dataset: {path} is missing; `crossbias data` says where it is to be had.")
        if hasattr(module, "check"):
            module.check(Path(task.dataset.source), task.label, options)
        if hasattr(module, "LABELS"):
            need_label(task.label, module.LABELS, task.dataset.use)
    mining.mined([], params.mentions)


def run(task: Task, params: Params) -> tuple[Written, Population]:
    """The task's documents, and the population they were drawn from where the data set knows it (a simulation does)."""
    module, options = take("datasets", task.dataset)
    source = Path(task.dataset.source)
    frame, texts = _loaded(module, source, task.label, options)
    frame = _checked(frame, texts.blank, source, task.label)
    parts = partial(texts.parts, frame.pop("text").to_numpy())
    frame["favourable"] = decide(frame["label"].to_numpy(), cut_of(frame["label"].to_numpy(), task.threshold), task.favourable)
    if frame["favourable"].all() or not frame["favourable"].any():
        raise BadInput(f"{source}: with threshold {task.threshold} every label decides the same; choose another threshold.")
    if "fold" not in frame:
        frame["fold"] = folds_of(frame, params, source)
    attributes = [name for name in frame.columns if name not in COLUMNS]
    mined = _mentioned(frame, parts, params, source)
    frame, attributes = frame.assign(**mined), [*attributes, *mined]
    if hasattr(module, "population") and not mined:
        population = module.population(source, options)
    else:
        # Whom a simulated population's texts would mention is unknown, so that with mined columns nothing is planted.
        population = frame.head(0)[attributes].assign(mass=0.0, favourable=False, decision=False)
    held = from_pandas(frame[COLUMNS + attributes]).combine_chunks()  # bytes would depend on how the file was read
    documents = InParts(held, "text", parts)
    return documents if len(frame) > PARQUET["row_group_size"] else documents.whole(), from_pandas(population)


def _loaded(module: ModuleType, source: Path, label: str, options: Any) -> tuple[pd.DataFrame, Texts]:
    """What a data set's module loads, with numbers in place of the texts, and the texts apart."""
    if hasattr(module, "load_apart"):
        return module.load_apart(source, label, options)
    frame = module.load(source, label, options)
    return frame.assign(text=range(len(frame))), Texts.of(frame["text"])


def _checked(frame: pd.DataFrame, blank: np.ndarray, source: Path, label: str) -> pd.DataFrame:
    """The rows that have a label (how many have none is printed), refused where they cannot be benchmarked."""
    unlabelled = frame["label"].isna()
    if unlabelled.any():
        print(f"ingest: {int(unlabelled.sum())} of {len(frame)} texts have no label {label!r} and are left out", flush=True)
        frame = frame[~unlabelled]
    frame = frame.astype({"text": "int64"}).sort_values("doc_id", ignore_index=True)
    repeated = frame["doc_id"].duplicated()
    empty = blank[frame["text"]]
    anonymous = frame["author_id"].str.strip() == ""
    if frame.empty:
        raise BadInput(f"{source}: no text has a label {label!r}.")
    if repeated.any():
        raise BadInput(
            f"{source}: {int(repeated.sum())} of {len(frame)} identifiers are used twice (first: {frame['doc_id'][repeated].iloc[0]!r})."
        )
    if empty.any():
        raise BadInput(
            f"{source}: {int(empty.sum())} of {len(frame)} texts are empty (first: {frame['doc_id'][empty].iloc[0]!r}); remove those rows."
        )
    if anonymous.any():
        raise BadInput(f"{source}: {int(anonymous.sum())} of {len(frame)} rows name no author; give each an identifier of its own.")
    if not np.isfinite(frame["label"]).all() or frame["label"].min() == frame["label"].max():
        raise BadInput(f"{source}: label {label!r} is constant or not finite; a benchmark needs labels that differ.")
    return frame


def _mentioned(frame: pd.DataFrame, parts: Callable[[], Iterator[pa.Array]], params: Params, source: Path) -> dict[str, np.ndarray]:
    """Columns mined from the English texts, null for others; of how many texts each says something is printed.

    None where no text is English: a column of a search that was not made would say that nobody is mentioned.
    """
    declared = [name for name in frame.columns if name.startswith(MINED)]
    if declared:
        raise BadInput(f"{source}: column {declared[0]!r} has a name that mined columns have (mentioned_, mentions_); rename it.")
    if not params.mentions:
        return {}
    english = (frame["lang"] == LANG).to_numpy()
    if not english.any():
        print(f"ingest: none of {len(frame)} texts is English, so whom they mention is not looked for", flush=True)
        return {}
    columns = mining.columns(parts(), english, params.mentions)
    for name, values in columns.items():
        known = sum(value not in (None, "not mentioned") for value in values[english])
        print(f"ingest: {name} is found in {known} of {english.sum()} English texts: whom they mention, not who wrote them", flush=True)
    return columns


def folds_of(frame: pd.DataFrame, params: Params, source: Path) -> np.ndarray:
    """A fold name for each row: all texts of an author in one fold, the share of favourable labels alike in all."""
    from sklearn.model_selection import StratifiedGroupKFold

    authors = frame["author_id"].nunique()
    fewest = frame.groupby("favourable")["author_id"].nunique().min()
    if min(authors, fewest) < params.folds:
        raise BadInput(f"{source}: {authors} authors ({fewest} with the rarer label) cannot fill {params.folds} folds; lower ingest.folds.")
    splitter = StratifiedGroupKFold(n_splits=params.folds, shuffle=True, random_state=params.seed)
    fold = np.empty(len(frame), dtype=object)
    people = frame["author_id"].factorize(sort=True)[0]  # in the order in which scikit-learn sorts names, which are far larger
    for number, (_, test) in enumerate(splitter.split(people, frame["favourable"], people)):
        fold[test] = str(number)
    return fold


if __name__ == "__main__":
    command(run)
