"""Which group each text's author is in, for mitigations: the intersections of some attributes, unknown being a value of its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import AfterValidator, Field, FiniteFloat

from stages.contract.bad_input import BadInput
from stages.contract.params import Section

UNKNOWN = -1


def _category_or_bound(value: str | float) -> str | float:
    if isinstance(value, str) and value != "category":
        raise ValueError("write category, or for numbers a bound")
    return value


class Grouped(Section):
    """``attributes`` of the documents whose intersections are the groups: ``category``, or for numbers a bound (up to it, over it)."""

    attributes: dict[str, Annotated[FiniteFloat | str, AfterValidator(_category_or_bound)]] = Field(min_length=1)


@dataclass(frozen=True)
class Groups:
    """``number`` int64 [texts] is each text's group, 0 to ``count - 1``; ``known`` bool [texts]: nothing about its author is unknown."""

    number: NDArray[np.int64]
    known: NDArray[np.bool_]

    @property
    def count(self) -> int:
        return int(self.number.max()) + 1


def groups_of(documents: pa.Table, attributes: Mapping[str, float | str]) -> Groups:
    """The groups of the texts' authors; attributes that these documents lack are left out, and a printed line says so.

    BadInput: the documents have none of the attributes, everyone is in one group, or categories are given a bound or numbers none.
    """
    there = {name: of for name, of in attributes.items() if name in documents.column_names}
    there = {name: of for name, of in there.items() if documents[name].null_count < documents.num_rows}
    absent = ", ".join(name for name in attributes if name not in there)
    if not there:
        raise BadInput(f"mitigation: attributes: {absent} known of none of the {documents.num_rows} texts; name what this data set has.")
    codes = np.column_stack([_codes(documents[name].to_pandas(), name, of) for name, of in there.items()])
    _, number, sizes = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    if len(sizes) < 2:
        raise BadInput(f"mitigation: attributes: all {len(codes)} texts are in one group by {', '.join(there)}; name further attributes.")
    known = (codes != UNKNOWN).all(axis=1)
    left_out = f"; not known in these data, so left out: {absent}" if absent else ""
    print(
        f"mitigation by {', '.join(there)}: {len(sizes)} groups of {sizes.min()} to {sizes.max()} texts, "
        f"{(~known).sum()} of {len(known)} texts with something unknown{left_out}",
        flush=True,
    )
    return Groups(number.reshape(-1).astype(np.int64), known)


def _codes(values: pd.Series, name: str, of: float | str) -> NDArray[np.int64]:
    """A number for each value, UNKNOWN where there is none."""
    if pd.api.types.is_numeric_dtype(values) == isinstance(of, str):
        mend = "numbers, so give a bound" if isinstance(of, str) else "categories, so write category"
        raise BadInput(f"mitigation: attributes.{name}: the documents hold {mend}.")
    if isinstance(of, str):
        return pd.factorize(values, sort=True)[0].astype(np.int64)
    return np.where(values.isna(), UNKNOWN, values > of).astype(np.int64)
