"""Labels, scores and decisions of a predictions file: which are favourable, said in a sentence each."""

from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from flows.audit_options import Options
from stages.contract.bad_input import BadInput
from stages.datasets import outcomes
from stages.metrics import decisions

SHOWN = 10
NO_SCORES = "no scores were given, so AUC, mean squared error and Pearson r are those of the decisions as 0 and 1."
Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]


def read(
    columns: pd.DataFrame, options: Options
) -> tuple[Literal["classification", "regression"], Flags, Numbers, dict[str, Any], list[str]]:
    """The kind of label, whether it is favourable, its number, y_score and y_pred, and notes; high is favourable throughout."""
    label = columns[options.label]
    direction = direction_of(label, options)
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
        notes = [counted_note("label", label, favourable)]
    notes = [*taken(label, favourable, options, scale), *notes]
    score = None
    if options.score:
        score, selected, note = _scored(columns[options.score], cut, direction, scale, options)
        notes.append(note)
    if options.decision:
        beside = () if scale else tuple(label.unique())
        selected = outcomes.two_valued(columns[options.decision], options.favourable, beside) == 1
        notes.append(counted_note("decision", columns[options.decision], selected))
    if score is None:
        score = selected.astype(float)
        notes.append(NO_SCORES)
    return "regression" if scale else "classification", favourable, true, {"y_score": score, "y_pred": selected.astype(np.int64)}, notes


def taken(label: pd.Series, favourable: Flags, options: Options, scale: bool) -> list[str]:
    """What is taken as favourable though no option says so, and how to say otherwise; ``label``: its cells or its distinct values."""
    columns = {role: getattr(options, role) for role in ("label", "score", "decision") if getattr(options, role)}
    decision = columns.pop("decision", None)
    notes = []
    if scale:
        if options.favourable_scores is None:
            high = " and ".join(f"{role} {name!r}" for role, name in columns.items())
            notes.append(f"high numbers are taken as favourable in {high}; if low ones are, add --favourable-scores low.")
        if decision:
            notes.append(f"1 is taken as favourable in decision {decision!r}; if 0 is, exchange its 0 and 1.")
    elif not options.favourable:
        one, zero = (next(iter(label[side].dropna()), plain) for side, plain in ((favourable, "1"), (~favourable, "0")))
        where = " and ".join(f"{role} {name!r}" for role, name in (("label", options.label), ("decision", decision)) if name)
        high = f", and high scores {options.score!r} as speaking for it" * (options.score is not None and options.favourable_scores is None)
        notes.append(f"{one} is taken as favourable in {where}{high}; if {zero} is the favourable value, add --favourable {zero}.")
    return notes


def direction_of(label: pd.Series, options: Options) -> Literal["high", "low"]:
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
    refuse_uncut(options, low, high)
    selected = decisions.decide(values, cut, direction)
    note = score_note(options, low, high, cut, direction, scale, f"{selected.sum():,} of {len(values):,}")
    if direction == "low":
        values = 1 - values if low >= 0 and high <= 1 and not scale else -values
    return values, selected, note


def refuse_uncut(options: Options, low: float, high: float) -> None:
    """BadInput where scores are no probabilities and nothing says where they are cut."""
    if not (low >= 0 and high <= 1) and options.threshold is None and options.decision is None:
        raise BadInput(f"column {options.score!r} runs from {low:g} to {high:g}, so no probabilities: say where to cut (--threshold).")


def score_note(options: Options, low: float, high: float, cut: float, direction: str, scale: bool, selected: str) -> str:
    """How scores were understood; ``selected``: how many of how many are favourable."""
    note = f"score {options.score!r}: from {low:g} to {high:g}{'' if (low >= 0 and high <= 1) or scale else ', so no probabilities'}"
    if options.decision is None:
        note += f"; {_side(direction, cut)} is favourable ({selected})"
    if direction == "low":
        note += "; turned round, as low scores are favourable, for AUC, mean squared error and Pearson r"
    return f"{note}."


def counted_note(role: str, column: pd.Series, favourable: Flags, times: NDArray[np.int64] | None = None) -> str:
    """Which values of a column are favourable; ``times``: how often each cell occurs, by default once."""
    parts = []
    for meant, verb in ((favourable, "favourable"), (~favourable, "not favourable")):
        counted = outcomes.counted(column[meant], None if times is None else times[meant]).iloc[:SHOWN]
        parts.append(f"{verb}: {', '.join(f'{value!r} ({number:,})' for value, number in counted.items()) or 'none'}")
    return f"{role} {column.name!r}, {'; '.join(parts)}."
