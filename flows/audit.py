"""`crossbias audit`: subgroup, evaluate and report on anyone's predictions, without a pipeline, DVC or Git."""

import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from flows import audit_report, large, large_coding, large_files, large_spill, large_workers
from flows.audit_heavy import heavy_note
from flows.audit_options import Options, parse
from flows.audit_report import Audit
from flows.audit_table import Reading, containing, read
from stages import evaluate, subgroup
from stages.contract.bad_input import BadInput
from stages.contract.params import fill
from stages.metrics import gate

MOST_SETS = 255


def main(arguments: Sequence[str] | None = None, program: str = "crossbias audit") -> int:
    """The exit code: see ``exit_codes.OF_COMMANDS``. Of bad input, which is one sentence, nothing is written."""
    options, debug = parse(arguments, program)
    try:
        outcome = audit_report.publish(audit(options), options)
    except (BadInput, OSError) as error:
        if debug:
            traceback.print_exc()
        print(f"audit: {error}", file=sys.stderr)
        return 2
    return 0 if outcome is None else outcome.exit_code


def audit(options: Options) -> Audit:
    """Read the file or files, code their groups, and score every attribute set. BadInput: what cannot be read, or only by guessing."""
    if options.fail_on is not None:
        gate.parsed(options.fail_on)  # before the work, not after it
    files = large_files.shards(options.file)
    return score_large(files, options) if large_files.big(files) else score(read(options), options)


def score(found: Reading, options: Options) -> Audit:
    """Code the groups of a file that was read, and score every attribute set. BadInput: see the stages."""
    groups, params = _settings(found.rules, found.containing, options)
    subgroups, population, sets = subgroup.run(found.documents, _nobody(found.documents, list(found.rules)), groups)
    scores, of_groups, headline, *_ = evaluate.run(found.documents, subgroups, population, sets, found.predictions, params)
    found.notes.extend(_heavy(of_groups, params))
    return Audit(found, scores, of_groups, sets, headline, groups, params)


def score_large(files: list[Path], options: Options, lot: int = large_spill.LOT) -> Audit:
    """The same of more rows than fit into memory, ``lot`` of them at once; their own sentences say what is not exact."""
    with large_workers.workers() as pool:
        counted = large.survey(pool, files, options)
        rows = counted.account(options)
        coding = large_coding.understand(counted, options)
        groups, params = _settings(coding.rules, containing(options), options)
        found = large.score(pool, files, options, counted, coding, groups, params, lot)
    nothing = pa.table({})
    notes = [*found.notes, *_heavy(found.groups, params)]
    reading = Reading(nothing, nothing, coding.rules, groups.containing, "classification", rows, notes)
    return Audit(reading, found.scores, found.groups, found.sets, found.headline, groups, params)


def _heavy(groups: pa.Table, params: evaluate.Params) -> list[str]:
    note = heavy_note(groups, params.fewest)
    return [] if note is None else [note]


def _settings(rules: dict[str, dict[str, Any]], held: str | None, options: Options) -> tuple[subgroup.Params, evaluate.Params]:
    """Which sets of attributes are met, and how they are scored."""
    settings: dict[str, Any] = {"attributes": rules, "containing": held, "highest_order": options.highest_order}
    groups = fill(subgroup.Params, settings, "audit")
    number = len(subgroup.sets_of(list(rules), groups))
    if number > MOST_SETS:
        raise BadInput(f"{len(rules)} attributes make {number:,} sets, more than {MOST_SETS}; name fewer, or lower --highest-order.")
    settings = {
        "seed": options.seed,
        "replicates": options.replicates,
        "least_ratio": options.least_ratio,
        "most_difference": options.most_difference,
        "conventions": tuple(dict.fromkeys(("crossbias", *options.convention))),
    }
    return groups, fill(evaluate.Params, settings, "audit")


def _nobody(documents: pa.Table, attributes: list[str]) -> pa.Table:
    """The population behind real data: unknown, so no rows."""
    columns = {"mass": pa.float64(), "favourable": pa.bool_(), "decision": pa.bool_()}
    columns |= {name: documents.schema.field(name).type for name in attributes}
    return pa.table({name: pa.array([], kind) for name, kind in columns.items()})
