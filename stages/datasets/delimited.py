"""Your own data: one delimited file, its columns named in params.yaml.

Rows, authors, licence and which label is favourable are yours to know; the task says which label value is favourable.
"""

from pathlib import Path
from typing import Literal

import pandas as pd

from stages.contract.params import Section
from stages.datasets.reading import need, numbers, read_delimited


class Params(Section):
    """Which column is what. Without ``author`` every text counts as written by another person."""

    text: str = "text"
    identifier: str | None = None
    author: str | None = None
    fold: str | None = None
    lang: str = "en"
    attributes: dict[str, Literal["category", "number"]]
    unknown: tuple[str, ...] = ("",)
    delimiter: str = ","
    encoding: str = "utf-8"


def load(source: Path, label: str, params: Params) -> pd.DataFrame:
    """Documents of the file ``source``; the row number stands in for a missing identifier."""
    frame = read_delimited(source, params.delimiter, params.encoding)
    named = [params.identifier, params.author, params.fold]
    need(frame, [params.text, label, *params.attributes, *(name for name in named if name)], source)
    row = pd.Series([f"row{number}" for number in range(1, len(frame) + 1)], dtype=str)
    documents = pd.DataFrame(
        {
            "doc_id": frame[params.identifier] if params.identifier else row,
            "author_id": frame[params.author] if params.author else row,
            "text": frame[params.text],
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
