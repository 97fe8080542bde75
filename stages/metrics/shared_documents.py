"""The documents that two revisions of a cell share and see alike, and how many they do not."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput

Numbers = NDArray[np.float64]
# What a document is: where any of these differs, the two revisions speak of different things.
CHANGES = {"text": ("text",), "author": ("author_id",), "label": ("label", "favourable")}


class Tables(NamedTuple):
    """Of one revision of a cell, as the stages wrote them."""

    documents: pa.Table
    subgroups: pa.Table
    predictions: pa.Table


@dataclass(frozen=True)
class Shared:
    """Texts [texts] that both have, alike in text, author, label and demographics, with what each decided and scored.

    ``status`` (privileged, protected or null) and ``categories`` have a column an attribute; ``scores`` and ``selected`` are of both.
    """

    authors: NDArray[np.int64]
    favourable: NDArray[np.bool_]
    true: Numbers
    status: pd.DataFrame
    categories: pd.DataFrame
    scores: tuple[Numbers, Numbers]
    selected: tuple[NDArray[np.bool_], NDArray[np.bool_]]

    def frame(self, side: int) -> pd.DataFrame:
        """The texts as ``evaluate`` sees them, with the predictions of one side, 0 or 1."""
        columns = {"author_id": self.authors, "favourable": self.favourable, "y_true": self.true}
        columns |= {"y_score": self.scores[side], "y_pred": self.selected[side].astype(np.int64)}
        return pd.concat([pd.DataFrame(columns), self.status, self.categories.add_suffix("_value")], axis=1)


def share(one: Tables, other: Tables, recoded: set[str]) -> tuple[Shared, dict[str, int]]:
    """The documents both sides predict, joined by ``doc_id``, and counts: shared, only in one, and why the others were left out.

    A document whose text, author, label or demographics differ is left out, not averaged over. Attributes that are ``recoded``, by
    another rule, or that one side lacks, are no reason to: sets with them are none of ``status``. BadInput: a side whose own tables
    hold different documents.
    """
    frames = [_joined(side) for side in (one, other)]
    both = frames[0].index.intersection(frames[1].index, sort=False)
    a, b = (frame.loc[both] for frame in frames)
    named = [[name.removesuffix("_value") for name in side.subgroups.column_names if name.endswith("_value")] for side in (one, other)]
    attributes = [name for name in named[0] if name in named[1] and name not in recoded]
    coded = tuple(f"{name}{end}" for name in attributes for end in ("", "_value"))
    differ = {why: _differ(a, b, columns) for why, columns in (CHANGES | {"demographics": coded}).items()}
    alike = ~np.logical_or.reduce(list(differ.values()))
    counts = {"shared": len(both), "compared": int(alike.sum())}
    counts |= {f"only_{side}": len(frame) - len(both) for side, frame in zip("ab", frames, strict=True)}
    counts |= {f"changed_{why}": int(rows.sum()) for why, rows in differ.items()}
    counts["other_fold"] = int(_differ(a[alike], b[alike], ("fold",)).sum())
    return _shared(a[alike].reset_index(drop=True), b[alike].reset_index(drop=True), attributes), counts


def _shared(a: pd.DataFrame, b: pd.DataFrame, attributes: list[str]) -> Shared:
    status, categories = a[attributes], a[[f"{name}_value" for name in attributes]].set_axis(attributes, axis=1)
    scores: Any = tuple(frame["y_score"].to_numpy(dtype=float) for frame in (a, b))
    selected: Any = tuple(frame["y_pred"].to_numpy() == 1 for frame in (a, b))
    authors = pd.factorize(a["author_id"])[0].astype(np.int64)
    return Shared(authors, a["favourable"].to_numpy(dtype=bool), a["y_true"].to_numpy(dtype=float), status, categories, scores, selected)


def _joined(side: Tables) -> pd.DataFrame:
    """What is predicted, with its document and subgroups; texts that a published split trains on are predicted by nobody."""
    documents = side.documents.select(["doc_id", *(name for names in CHANGES.values() for name in names)]).to_pandas()
    frame = side.predictions.to_pandas()
    for name, table in (("documents", documents), ("subgroups", side.subgroups.to_pandas())):
        lost = len(set(frame["doc_id"]) - set(table["doc_id"]))
        if lost:
            raise BadInput(
                f"{lost} predicted documents are missing among the {name}: that revision's dvc.lock mixes two runs; run it again."
            )
        frame = frame.merge(table, on="doc_id", how="left", validate="one_to_one")
    return frame.set_index("doc_id")


def _differ(a: pd.DataFrame, b: pd.DataFrame, columns: tuple[str, ...]) -> NDArray[np.bool_]:
    """Whether any of the columns differs [texts]; two nulls are alike."""
    found = np.zeros(len(a), dtype=bool)
    for name in columns:
        one, other = a[name], b[name]
        found |= ~((one == other).fillna(False).to_numpy(dtype=bool) | (one.isna() & other.isna()).to_numpy())
    return found
