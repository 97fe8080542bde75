"""Your own data: one delimited file, its columns named in params.yaml.

Rows, authors, licence and which label is favourable are yours to know; the task says which label value is favourable.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from stages.contract.bad_input import BadInput
from stages.contract.in_parts import Texts, blank
from stages.contract.params import Section
from stages.contract.values import Encoding
from stages.datasets.reading import need, numbers, read_lots


class Params(Section):
    """Which column is what. Without ``author`` every text counts as written by another person."""

    text: str = "text"
    identifier: str | None = None
    author: str | None = None
    fold: str | None = None
    lang: str = "en"
    attributes: dict[str, Literal["category", "number"]]
    unknown: tuple[str, ...] = ("",)
    delimiter: str = Field(default=",", pattern=r'^[^\n\r"]$')
    encoding: Encoding = "utf-8"


def check(source: Path, label: str, params: Params) -> None:
    """BadInput where the file lacks a column; its rows are not read."""
    named = [name for name in (params.identifier, params.author, params.fold) if name]
    for lot in read_lots(source, params.delimiter, params.encoding):
        need(lot, [params.text, label, *params.attributes, *named], source)
        return


def load_apart(source: Path, label: str, params: Params) -> tuple[pd.DataFrame, Texts]:
    """Documents of the file ``source``, with numbers in place of their texts, and the texts, which may be too many to be held.

    The row number stands in for a missing identifier.
    """
    named = [name for name in (params.identifier, params.author, params.fold) if name]
    if "text" in params.attributes:
        raise BadInput(f"{source}: an attribute called 'text' would take the place of the texts; rename that column.")
    frame, unread = _held(source, [params.text, label, *params.attributes, *named], params)
    return _documents(frame, source, label, params), Texts(partial(_texts, source, params), unread)


def _held(source: Path, columns: list[str], params: Params) -> tuple[pd.DataFrame, np.ndarray]:
    """All ``columns`` but that of the texts, the first, and which texts hold nothing to read."""
    held, unread = [], []
    for lot in read_lots(source, params.delimiter, params.encoding):
        held.append(lot[[name for name in dict.fromkeys(columns[1:]) if name in lot]])
        if columns[0] in lot:
            unread.append(blank(lot[columns[0]]))
    need(lot, columns, source)
    return pd.concat(held), np.concatenate(unread)


def _texts(source: Path, params: Params) -> Iterator[pd.Series]:
    for lot in read_lots(source, params.delimiter, params.encoding):
        yield lot[params.text]


def _documents(frame: pd.DataFrame, source: Path, label: str, params: Params) -> pd.DataFrame:
    row = pc.binary_join_element_wise("row", pa.array(np.arange(1, len(frame) + 1)).cast(pa.string()), "").to_pandas()
    documents = pd.DataFrame(
        {
            "doc_id": frame[params.identifier] if params.identifier else row,
            "author_id": frame[params.author] if params.author else row,
            "text": pd.Series(range(len(frame)), frame.index),
            "lang": params.lang,
            "label": numbers(frame[label], source, params.unknown),
        }
    )
    if params.fold:
        documents["fold"] = frame[params.fold]
    for attribute, kind in params.attributes.items():
        column = frame[attribute]
        if kind == "number":
            documents[attribute] = numbers(column, source, params.unknown)
        else:
            documents[attribute] = column.where(~column.isin(list(params.unknown)), None)
    return documents
