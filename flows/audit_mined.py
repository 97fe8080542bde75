"""Attributes mined from the texts of a predictions file, beside its own columns."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from flows.audit_options import Options
from stages.contract.bad_input import BadInput

Mine = Callable[[list[str]], Mapping[str, Sequence[str | None]]]


def add(columns: pd.DataFrame, options: Options, texts: list[str], mine: Mine | None) -> tuple[pd.DataFrame, Options, list[str]]:
    """The columns and options with the attributes that ``mine`` finds in the texts, and what it found.

    BadInput: a column of the file has the name of one, or nothing is found and the file has no attributes of its own.
    """
    if mine is None:
        return columns, options, []
    found = {name: pd.Series(values, index=columns.index, dtype=object) for name, values in mine(texts).items()}
    twice = sorted(set(found) & set(columns))
    if twice:
        raise BadInput(f"{options.file}: column {twice[0]!r} would be mined from the texts too; rename it, or leave it out of --mentions.")
    kept = {name: column for name, column in found.items() if len(set(column.dropna())) > 1}
    notes = [f"{name}: mined from the texts; whom they mention, not who wrote them." for name in kept]
    notes += [f"{name}: left out, as no two groups are mentioned." for name in found if name not in kept]
    if not kept and not options.attributes:
        looked = ", ".join(found)
        raise BadInput(
            f"{options.file}: texts mention no two groups of {looked}, so nobody can be compared; name columns with --attributes."
        )
    return columns.assign(**kept), dataclasses.replace(options, attributes=(*options.attributes, *kept)), notes
