"""Documents are joined by identifier; what differs is counted and left out, recoded attributes and folds are no reason to."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from stages.contract.bad_input import BadInput
from stages.metrics.shared_documents import Tables, share
from tests.conftest import make_documents


def tables(documents: pa.Table, **changes: list) -> Tables:
    """One attribute, gender, woman and man in turn, the fourth unknown; predictions as the labels."""
    number = documents.num_rows
    values = changes.get("gender", [("woman", "man")[i % 2] if i != 3 else None for i in range(number)])
    status = [None if value is None else "privileged" if value == "man" else "protected" for value in values]
    subgroups = pa.table(
        {"doc_id": documents["doc_id"], "gender": pa.array(status, pa.string()), "gender_value": pa.array(values, pa.string())}
    )
    favourable = np.array(documents["favourable"].to_pylist())
    predictions = {
        "doc_id": documents["doc_id"],
        "fold": documents["fold"],
        "y_true": favourable.astype(float),
        "y_score": favourable * 0.8,
    }
    return Tables(documents, subgroups, pa.table(predictions | {"y_pred": favourable.astype(int)}))


def documents(texts: list[str], **columns: list) -> pa.Table:
    table = make_documents(texts, [i % 3 == 0 for i in range(len(texts))])
    for name, values in columns.items():
        table = table.set_column(table.column_names.index(name), name, pa.array(values))
    return table


def test_every_difference_is_counted_and_left_out():
    texts = [f"text {i}" for i in range(10)]
    one = tables(documents(texts))
    frame = documents(["changed", *texts[1:]]).to_pandas()
    frame.loc[1, "author_id"] = "somebody else"
    frame.loc[2, ["label", "favourable"]] = [1.0, True]
    frame = pd.concat([frame.iloc[:9], frame.iloc[9:].assign(doc_id="new")], ignore_index=True)
    other = tables(
        pa.Table.from_pandas(frame, preserve_index=False), gender=["woman", "man", "woman", None, "man", *["man", "woman"] * 2, "man"]
    )
    found, counts = share(one, other, set())
    changed = {"changed_text": 1, "changed_author": 1, "changed_label": 1, "changed_demographics": 1}
    assert counts == {"shared": 9, "compared": 5, "only_a": 1, "only_b": 1, "other_fold": 0} | changed
    assert found.scores[0].tolist() == found.scores[1].tolist() == [0.8, 0, 0.8, 0, 0]
    assert found.status["gender"].isna().tolist() == [True, False, False, False, False]


def test_the_order_of_rows_does_not_matter():
    one = tables(documents([f"text {i}" for i in range(12)]))
    turned = Tables(*(table.take(list(range(table.num_rows))[::-1]) for table in one))
    found, counts = share(one, turned, set())
    assert counts["compared"] == 12
    assert (found.scores[0] == found.scores[1]).all()


def test_recoded_attributes_and_folds_leave_documents_in():
    plain = documents([f"text {i}" for i in range(6)])
    one, other = tables(plain), tables(plain, gender=["man"] * 6)
    other = other._replace(predictions=other.predictions.set_column(1, "fold", pa.array(["9"] * 6)))
    found, counts = share(one, other, {"gender"})
    assert (counts["compared"], counts["other_fold"]) == (6, 6)
    assert found.status.shape == (6, 0)
    assert share(one, other, set())[1]["compared"] == 2


def test_nothing_in_common():
    one, other = tables(documents(["a", "b"])), tables(documents(["c", "d"]))
    assert share(one, other, set())[1]["compared"] == 0


def test_tables_of_two_runs_are_refused():
    one = tables(documents(["a", "b", "c"]))
    with pytest.raises(BadInput, match="1 predicted documents are missing among the subgroups"):
        share(one._replace(subgroups=one.subgroups.slice(1)), one, set())
