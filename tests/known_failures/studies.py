"""Small tables of people, scored as a Python user does it: documents through subgroup and evaluate."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from stages import evaluate, subgroup
from stages.contract import tables
from stages.contract.schemas import Documents, Scores
from tests.conftest import make_documents

PAIR = "protected/privileged"
REFERENCE = "reference"


class Inputs(NamedTuple):
    """What evaluate reads."""

    documents: pa.Table
    subgroups: pa.Table
    population: pa.Table
    sets: pa.Table
    predictions: pa.Table


def spread(*kinds: tuple, names: tuple[str, ...] = ("gender",)) -> dict[str, list]:
    """Columns of rows, from kinds (how many, label, decision, a value of each attribute)."""
    label, decision, *values = zip(*(kind[1:] for kind in kinds for _ in range(kind[0])), strict=True)
    return {"label": list(label), "decision": list(decision)} | dict(zip(names, map(list, values), strict=True))


def inputs(columns: dict[str, list], author: list | None = None) -> Inputs:
    """Attributes are every column but label and decision; whoever has the value ``reference`` is privileged."""
    label, decision = (np.asarray(columns[name]) == 1 for name in ("label", "decision"))
    attributes = {name: values for name, values in columns.items() if name not in ("label", "decision")}
    documents = make_documents(["text"] * len(label), label.tolist(), **attributes)
    if author is not None:
        documents = documents.set_column(documents.column_names.index("author_id"), "author_id", pa.array(author))
    documents = tables.check(documents, Documents.__metadata__[0], "documents")
    nobody = {"mass": pa.array([], pa.float64()), "favourable": pa.array([], pa.bool_()), "decision": pa.array([], pa.bool_())}
    population = pa.table(nobody | {name: pa.array([], pa.string()) for name in attributes})
    rules = {name: {"privileged": [REFERENCE]} for name in attributes}
    coded = subgroup.run(documents, population, subgroup.Params.model_validate({"attributes": rules}))
    output = {"y_true": label.astype(float), "y_score": decision.astype(float), "y_pred": decision.astype(int)}
    predictions = pa.table({"doc_id": documents["doc_id"], "fold": documents["fold"]} | output)
    return Inputs(documents, *coded, predictions)


def evaluated(columns: dict[str, list], author: list | None = None, **params) -> pd.DataFrame:
    """The scores by attribute set, group and metric."""
    quick = {"replicates": 100, "permutations": 199, "conventions": ("crossbias",)}
    scores = evaluate.run(*inputs(columns, author), evaluate.Params(**quick | params))[0]
    return tables.check(scores, Scores.__metadata__[0], "scores").to_pandas().set_index(["attributes", "group", "metric"]).sort_index()
