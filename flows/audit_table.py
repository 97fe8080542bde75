"""Anyone's predictions file -> documents, predictions and the rules of its groups, with every choice made on the way in a sentence."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from flows.audit_mined import Mine, add
from flows.audit_options import Options
from stages import subgroup
from stages.contract.bad_input import BadInput
from stages.contract.tables import from_pandas
from stages.datasets import outcomes, predictions_file, reference_groups
from stages.metrics import decisions

RESERVED = subgroup.FIXED | {"y_true", "y_score", "y_pred"}
SHOWN = 10
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
        raise BadInput("name the column of the model's scores (--score), or of its decisions (--decision), or both.")
    named = [options.label, options.score, options.decision, options.author, options.id, options.text]
    wanted = list(dict.fromkeys([*(name for name in named if name), *options.attributes]))
    raw, how = predictions_file.read_columns(options.file, wanted, options.delimiter, options.encoding)
    columns = pd.DataFrame({name: outcomes.known(raw[name], ("", *options.unknown)) for name in wanted})
    columns, rows = _complete(columns, options)
    texts = [] if options.text is None else raw[options.text].iloc[columns.index - 1].tolist()
    columns, options, mined = add(columns, options, texts, mine)
    kind, label, true, results, notes = _outcomes(columns, options)
    documents, said = _identifiers(columns, options)
    values, rules, meant = _attributes(columns, options)
    held = {} if options.text is None else {"text": texts, "lang": options.lang}
    return Reading(
        from_pandas(documents.assign(fold="0", label=true, favourable=label, **held, **values)),
        from_pandas(documents[["doc_id"]].assign(fold="all", y_true=true, **results)),
        rules,
        reference_groups.plain_names(options.attributes, RESERVED)[options.containing] if options.containing else None,
        kind,
        rows,
        [f"{how}.", *notes, said, *mined, *meant],
    )


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
            first = (np.flatnonzero(missing)[:SHOWN] + 1).tolist()
            left_out.append({"missing": role, "column": name, "rows": int(missing.sum()), "first": first})
        kept &= ~missing
    if not kept.any():
        raise BadInput(f"{options.file}: no row has both a label and an output; check the columns and --unknown.")
    used = columns[kept].set_axis(np.flatnonzero(kept) + 1)
    return used, {"read": len(columns), "used": len(used), "left_out": left_out}


def _outcomes(
    columns: pd.DataFrame, options: Options
) -> tuple[Literal["classification", "regression"], Flags, Numbers, dict[str, Any], list[str]]:
    """The kind of label, whether it is favourable, its number, y_score and y_pred, and notes; high is favourable throughout."""
    label = columns[options.label]
    direction = _direction(label, options)
    scale = options.threshold is not None and not options.favourable and outcomes.is_scale(label)
    if options.threshold == "median" and not scale:
        raise BadInput(f"--threshold median cuts labels that are numbers on a scale; column {label.name!r} is none, so give a number.")
    numbers = outcomes.finite(label)
    cut = decisions.cut_of(numbers, 0.5 if options.threshold is None else options.threshold)
    if scale:
        true, favourable = (numbers if direction == "high" else -numbers), decisions.decide(numbers, cut, direction)
        if favourable.all() or not favourable.any():
            raise BadInput(
                f"--threshold {cut:g} puts every label of column {label.name!r} on one side; cut between them, or use --favourable."
            )
        notes = [f"label {label.name!r}: numbers {_side(direction, cut)} are favourable ({favourable.sum():,} of {len(label):,})."]
    else:
        true = outcomes.two_valued(label, options.favourable)
        favourable = true == 1
        notes = [_counted("label", label, favourable)]
    score = None
    if options.score:
        score, selected, note = _scored(columns[options.score], cut, direction, scale, options)
        notes.append(note)
    if options.decision:
        beside = () if scale else tuple(label.unique())
        selected = outcomes.two_valued(columns[options.decision], options.favourable, beside) == 1
        notes.append(_counted("decision", columns[options.decision], selected))
    if score is None:
        score = selected.astype(float)
        notes.append("no scores were given, so AUC, mean squared error and Pearson r are those of the decisions as 0 and 1.")
    return "regression" if scale else "classification", favourable, true, {"y_score": score, "y_pred": selected.astype(np.int64)}, notes


def _direction(label: pd.Series, options: Options) -> Literal["high", "low"]:
    """Which scores are favourable; asked where a score could as well be that of the unfavourable 1."""
    if options.score and options.favourable_scores is None and "0" in {outcomes.same(value) for value in options.favourable}:
        raise BadInput(
            f"0 is favourable in column {label.name!r}: do high values of {options.score!r} speak for 0 or for 1? "
            "Add --favourable-scores high (for 0) or low (for 1)."
        )
    return options.favourable_scores or "high"


def _side(direction: str, cut: float) -> str:
    return f"{'of at least' if direction == 'high' else 'below'} {cut:g}"


def _scored(column: pd.Series, cut: float, direction: Literal["high", "low"], scale: bool, options: Options) -> tuple[Numbers, Flags, str]:
    """Scores turned so that high is favourable, the decisions they make, and what was done."""
    values = outcomes.scores(column)
    low, high = values.min(), values.max()
    probabilities = low >= 0 and high <= 1
    if not probabilities and options.threshold is None and options.decision is None:
        raise BadInput(f"column {column.name!r} runs from {low:g} to {high:g}, so no probabilities: say where to cut (--threshold).")
    selected = decisions.decide(values, cut, direction)
    note = f"score {column.name!r}: from {low:g} to {high:g}{'' if probabilities or scale else ', so no probabilities'}"
    if options.decision is None:
        note += f"; {_side(direction, cut)} is favourable ({selected.sum():,} of {len(values):,})"
    if direction == "low":
        note += "; turned round, as low scores are favourable, for AUC, mean squared error and Pearson r"
        values = 1 - values if probabilities and not scale else -values
    return values, selected, f"{note}."


def _counted(role: str, column: pd.Series, favourable: Flags) -> str:
    parts = []
    for meant, verb in ((favourable, "favourable"), (~favourable, "not favourable")):
        counted = column[meant].value_counts().iloc[:SHOWN]
        parts.append(f"{verb}: {', '.join(f'{value!r} ({number:,})' for value, number in counted.items()) or 'none'}")
    return f"{role} {column.name!r}, {'; '.join(parts)}."


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
        return pd.DataFrame({"doc_id": identifier, "author_id": row}), "each row counts as another person's; name the column with --author."
    author = columns[options.author].reset_index(drop=True)
    nobody = int(author.isna().sum())
    note = f"author {options.author!r}: {author.nunique():,} people; {nobody:,} rows without one count as another person's each."
    return pd.DataFrame({"doc_id": identifier, "author_id": author.where(author.notna(), row)}), note


def _attributes(columns: pd.DataFrame, options: Options) -> tuple[dict[str, pd.Series], dict[str, dict[str, Any]], list[str]]:
    """Each attribute's values and rule under its plain name, and what was decided."""
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
        found = reference_groups.attribute(columns[column].reset_index(drop=True), wanted.get(column, ()))
        if isinstance(found, str):
            notes.append(found)
            continue
        values[name], rules[name] = found.values, found.rule
        notes += [f"{column} is called {name} here."] * (name != column) + found.notes
        if missing := int(columns[column].isna().sum()):
            notes.append(f"{column}: unknown in {missing:,} of {len(columns):,} rows, a group of their own that counts among everyone.")
    if not values or (options.containing and names[options.containing] not in values):
        raise BadInput(f"no attribute is left to look at: {' '.join(notes)}")
    return values, rules, notes
