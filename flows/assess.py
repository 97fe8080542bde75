"""`crossbias assess`: an ethical assessment of anyone's text classifier from its predictions, without a pipeline, DVC or Git."""

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

from flows import assess_model, assess_report, audit, audit_folder, audit_report, audit_table
from flows.assess_options import Options, parse
from flows.audit_report import MODEL, TASK
from stages import assess, describe
from stages.contract.bad_input import BadInput
from stages.contract.command import HUB
from stages.contract.descriptions import Descriptions
from stages.contract.explanations import Explanations, Leanings, LocalExplanations
from stages.contract.params import Entry
from stages.contract.probes import Probes
from stages.contract.shelf import take
from stages.contract.swaps import Identities, SwapEffects
from stages.contract.tables import check, column_names, from_pandas
from stages.metrics import gate
from stages.reporting.assessment_measured import Measured

CELL = {"task": TASK, "model": MODEL}


def main(arguments: Sequence[str] | None = None, program: str = "crossbias assess") -> int:
    """The exit code: see ``exit_codes.OF_COMMANDS``. Of bad input, which is one sentence, nothing is written."""
    options, debug = parse(arguments, program)
    os.environ |= HUB | os.environ
    try:
        folder = options.audit.out or options.audit.file.with_name(f"{options.audit.file.name.split('.')[0]}_assessment")
        audit_folder.refuse_others(folder, assess_report.FILES)
        outcome = assess_report.publish(_assessed(options), options, folder)
    except (BadInput, OSError) as error:
        if debug:
            traceback.print_exc()
        print(f"assess: {error}", file=sys.stderr)
        return 2
    return 0 if outcome is None else outcome.exit_code


def _assessed(options: Options) -> assess_report.Assessed:
    """Read the file, look for people in its texts, score, describe and, where there is a model, ask it."""
    if options.audit.fail_on is not None:
        gate.parsed(options.audit.fail_on)
    searched = bool(options.mentions) and options.audit.lang == describe.LANG
    if options.mentions and not searched and not options.audit.attributes:
        raise BadInput(
            f"{options.audit.file}: words for people are looked for in English texts alone, and these are in {options.audit.lang!r} "
            f"(--lang), so nobody can be compared; name columns with --attributes."
        )
    found = audit_table.read(options.audit, _mine(options) if searched else None)
    if options.mentions and not searched:
        found.notes.append(f"texts are in {options.audit.lang!r}: words for people are looked for in English alone, so not in these.")
    scored = audit.score(found, options.audit)
    told = audit_report.tell(scored, options.audit)
    rows = describe.run(found.documents, describe.Params(attributes=options.mentions if searched else (), conventions=("crossbias",)))
    asked = assess_model.answers(found.documents, options, CELL) if options.model else None
    held = {"descriptions": (Descriptions, rows.to_pandas())} | _answered(asked)
    made = {name: _checked(table, frame, name) for name, (table, frame) in held.items()}
    ratios = _ratios(found, options, scored.evaluate.confidence)
    stacked = {name: _named(table) for name, table in made.items() if name != "local_explanations"}
    figures = Probes.__metadata__[0].empty()
    measured = Measured(told.results, _named(told.tables["groups"]), ratios, **stacked, figures=figures)
    return assess_report.Assessed(scored, told, measured, made, asked.notes if asked else [])


def _mine(options: Options) -> Any:
    """The look-up of the word lists that were asked for."""
    module, params = take("mentions", Entry.model_validate({"use": "lookup", "attributes": options.mentions}))
    return lambda texts: module.mine(texts, params)


def _answered(asked: assess_model.Answers | None) -> dict[str, tuple[Any, pd.DataFrame]]:
    hints = (SwapEffects, Identities, Explanations, Leanings, LocalExplanations)
    names = ("effects", "identities", "tokens", "leanings", "local_explanations")
    frames = [pd.DataFrame()] * 5 if asked is None else [asked.effects, asked.identities, asked.tokens, asked.leanings, asked.local]
    return dict(zip(names, zip(hints, frames, strict=True), strict=True))


def _checked(hint: Any, frame: pd.DataFrame, name: str) -> pa.Table:
    at = hint.__metadata__[0]
    empty: pa.Table = at.empty()
    return empty if frame.empty else check(from_pandas(frame.reindex(columns=column_names(hint))), at, name)


def _named(table: pa.Table) -> pa.Table:
    """The table with the names of the one cell, where it lacks them."""
    for key, name in CELL.items():
        if key not in table.column_names:
            table = table.append_column(key, pa.array([name] * table.num_rows, pa.string()))
    return table


def _ratios(found: audit_table.Reading, options: Options, confidence: float) -> pd.DataFrame:
    """The impact ratios by the categories of the attributes that stand for sex and race. BadInput: one named is no attribute."""
    given = {name: (value,) for name, value in (("sex", options.sex), ("race", options.race)) if value is not None}
    params = assess.Params.model_validate(given | {"leave_out_small": options.leave_out_small})
    documents = found.documents
    texts = [
        name
        for name in found.rules
        if pa.types.is_string(documents.schema.field(name).type) or pa.types.is_large_string(documents.schema.field(name).type)
    ]
    for option, (name,) in given.items():
        if name not in texts:
            raise BadInput(f"--{option} {name}: no attribute with categories is called so; there are {', '.join(texts) or 'none'}.")
    values = documents.select(["doc_id", *texts]).rename_columns(["doc_id", *(f"{name}_value" for name in texts)])
    return assess.impact(
        _named(documents.select(["doc_id", "author_id", "favourable"])), _named(values), _named(found.predictions), params, confidence
    )
