"""Anyone's predictions file -> documents, predictions and the rules of its groups, with every choice made on the way in a sentence."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from flows import audit_outcomes, large_files
from flows.audit_mined import Mine, add
from flows.audit_options import Options
from stages import subgroup
from stages.contract.bad_input import BadInput
from stages.contract.tables import from_pandas
from stages.datasets import outcomes, predictions_file, reference_groups

RESERVED = subgroup.FIXED | {"y_true", "y_score", "y_pred"}
NO_OUTPUT = "name the column of the model's scores (--score), or of its decisions (--decision), or both."
Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Reading:
    """What a file holds: the columns of Documents and Predictions that the stages read, and each attribute's rule by its plain name.

    ``rows``: read, used, and left out by reason; ``notes``: how each column was understood; ``kind``: what the labels are.
    """

    documents: pa.Table
    predictions: pa.Table
    rules: dict[str, dict[str, Any]]
    containing: str | None
    kind: Literal["classification", "regression"]
    rows: dict[str, Any]
    notes: list[str]


def read(options: Options, mine: Mine | None = None) -> Reading:
    """The file by its options, with what ``mine`` finds in its texts. BadInput: what cannot be read, or only by guessing."""
    if options.score is None and options.decision is None:
        raise BadInput(NO_OUTPUT)
    named = [options.label, options.score, options.decision, options.author, options.id, options.text]
    wanted = list(dict.fromkeys([*(name for name in named if name), *options.attributes]))
    read_one = partial(predictions_file.read_columns, columns=wanted, delimiter=options.delimiter, encoding=options.encoding)
    frames, ways = zip(*(read_one(file) for file in large_files.shards(options.file)), strict=True)
    raw, how = pd.concat(frames, ignore_index=True), ways[0]
    columns = pd.DataFrame({name: outcomes.known(raw[name], ("", *options.unknown)) for name in wanted})
    columns, rows = _complete(columns, options)
    texts = [] if options.text is None else raw[options.text].iloc[columns.index - 1].tolist()
    columns, options, mined = add(columns, options, texts, mine)
    kind, label, true, results, notes = audit_outcomes.read(columns, options)
    documents, said = _identifiers(columns, options)
    values, rules, meant = _attributes(columns, options)
    held = {} if options.text is None else {"text": texts, "lang": options.lang}
    return Reading(
        from_pandas(documents.assign(fold="0", label=true, favourable=label, **held, **values)),
        from_pandas(documents[["doc_id"]].assign(fold="all", y_true=true, **results)),
        rules,
        containing(options),
        kind,
        rows,
        [f"{how}.", *notes, said, *mined, *meant],
    )


def containing(options: Options) -> str | None:
    """The plain name of the attribute that all sets must have."""
    return reference_groups.plain_names(options.attributes, RESERVED)[options.containing] if options.containing else None


def _complete(columns: pd.DataFrame, options: Options) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The rows with a label and an output, and how many were left out for want of which, with the first of their row numbers."""
    kept = np.ones(len(columns), dtype=bool)
    left_out = []
    for role in ("label", "score", "decision"):
        name = getattr(options, role)
        if name is None:
            continue
        missing = kept & columns[name].isna().to_numpy()
        if missing.any():
            first = (np.flatnonzero(missing)[: audit_outcomes.SHOWN] + 1).tolist()
            left_out.append({"missing": role, "column": name, "rows": int(missing.sum()), "first": first})
        kept &= ~missing
    if not kept.any():
        raise BadInput(f"{options.file}: no row has both a label and an output; check the columns and --unknown.")
    used = columns[kept].set_axis(np.flatnonzero(kept) + 1)
    return used, {"read": len(columns), "used": len(used), "left_out": left_out}


def _identifiers(columns: pd.DataFrame, options: Options) -> tuple[pd.DataFrame, str]:
    row = pd.Series([f"row{number}" for number in columns.index], dtype=object)
    identifier = row
    if options.id:
        identifier = columns[options.id].reset_index(drop=True)
        repeated = identifier[identifier.duplicated() | identifier.isna()]
        if len(repeated):
            raise BadInput(
                f"{options.file}: column {options.id!r} is empty or repeats an earlier row in {len(repeated):,} of {len(row):,} rows "
                f"(first: {repeated.iloc[0]!r}); each row needs an identifier of its own, or leave --id out."
            )
    if options.author is None:
        return pd.DataFrame({"doc_id": identifier, "author_id": row}), author_note(options, len(row), len(row))
    author = columns[options.author].reset_index(drop=True)
    nobody = int(author.isna().sum())
    note = author_note(options, author.nunique(), nobody)
    return pd.DataFrame({"doc_id": identifier, "author_id": author.where(author.notna(), row)}), note


def author_note(options: Options, people: int, nobody: int) -> str:
    """Whose the rows are; ``nobody``: how many have no author."""
    if options.author is None:
        return "each row counts as another person's; name the column with --author."
    return f"author {options.author!r}: {people:,} people; {nobody:,} rows without one count as another person's each."


def _attributes(columns: pd.DataFrame, options: Options) -> tuple[dict[str, pd.Series], dict[str, dict[str, Any]], list[str]]:
    """Each attribute's values and rule under its plain name, and what was decided."""
    once = np.ones(len(columns), dtype=np.int64)
    return attributes_of({name: (columns[name].reset_index(drop=True), once) for name in options.attributes}, len(columns), options)


def attributes_of(
    columns: Mapping[str, tuple[pd.Series, NDArray[np.int64]]], rows: int, options: Options
) -> tuple[dict[str, pd.Series], dict[str, dict[str, Any]], list[str]]:
    """The same of columns of cells and how often each of them occurs in ``rows``."""
    wanted: dict[str, list[str]] = {}
    for text in options.privileged:
        column, equals, who = text.partition("=")
        if not equals or not who.strip():
            raise BadInput(f"--privileged {text}: say who, as in gender=male, race=white,asian or age=..55.")
        wanted.setdefault(column, []).append(who)
    names = reference_groups.plain_names(options.attributes, RESERVED)
    for column in [*wanted, *([options.containing] if options.containing else [])]:
        if column not in names:
            raise BadInput(f"{column!r} of --privileged or --containing is not among --attributes: {', '.join(names)}.")
    values, rules, notes = {}, {}, []
    for column, name in names.items():
        cells, times = columns[column]
        found = reference_groups.attribute(cells, wanted.get(column, ()), times)
        if isinstance(found, str):
            notes.append(found)
            continue
        values[name], rules[name] = found.values, found.rule
        notes += [f"{column} is called {name} here."] * (name != column) + found.notes
        if missing := int(times[cells.isna()].sum()):
            notes.append(f"{column}: unknown in {missing:,} of {rows:,} rows, a group of their own that counts among everyone.")
    if not values or (options.containing and names[options.containing] not in values):
        raise BadInput(f"no attribute is left to look at: {' '.join(notes)}")
    return values, rules, notes
