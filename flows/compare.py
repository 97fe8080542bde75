"""`crossbias compare REV_A [REV_B]`: what changed between two revisions' results, and whether it is more than chance, without checkout."""

import argparse
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from flows import compare_cells, compare_report
from flows.arguments import commas, whole
from flows.compare_cells import ONLY, Cell
from flows.compare_report import Comparison
from flows.revisions import WORKSPACE, History, Revision
from stages.contract.bad_input import BadInput
from stages.contract.exit_codes import OF_COMMANDS
from stages.metrics import compare_gate, paired
from stages.metrics.paired import Rules
from stages.metrics.threads import side_by_side

# Whose recorded parameters must be those of params.yaml for the results to be of that design.
READ = ("ingest", "subgroup", "finetune", "predict", "evaluate")
LEAST_DRAWS = 100


@dataclass(frozen=True)
class Options:
    """What is compared, and how; the command's options have the same names. Empty ``tasks`` and ``models`` are all of them."""

    one: str
    other: str = WORKSPACE
    tasks: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    fail_on: tuple[str, ...] = ()
    out: Path = Path("data/compare")
    rules: Rules = field(default_factory=Rules)


def main(arguments: Sequence[str] | None = None, program: str = "crossbias compare") -> int:
    """The exit code: see ``exit_codes.OF_COMMANDS``. Of bad input, which is one sentence, nothing is written."""
    options, debug = _parse(arguments, program)
    try:
        outcome = publish(compare(options), options)
    except (BadInput, OSError) as error:
        if debug:
            traceback.print_exc()
        print(f"compare: {error}", file=sys.stderr)
        return 2
    return outcome.exit_code


def compare(options: Options) -> Comparison:
    """Line up the cells of both revisions and compare each on the documents it shares. BadInput: see ``History`` and ``_checked``."""
    _checked(options)
    with History() as history:
        a, b = history.revision(options.one), history.revision(options.other)
        chosen = _chosen(a, b, options)
        both = [names for names in chosen if names in a.cells() and names in b.cells()]
        differ = [names for names in both if not compare_cells.identical(a, b, *names)]
        history.fetch([(side, path) for names in differ for side in (a, b) for path in compare_cells.paths(*names).values()])
        made = side_by_side(lambda names: compare_cells.compare_cell(history, a, b, names, options.rules), differ)
        found = dict(zip(differ, made, strict=True))
    cells, parts = [], []
    for names in chosen:
        cell, rows = found.get(names) or _alone(a, b, names)
        cells.append(cell)
        parts.append(rows.assign(task=names[0], model=names[1]))
    rows = pd.concat([part for part in parts if len(part)] or [_no_rows()], ignore_index=True)
    rows = paired.judged(rows.reindex(columns=compare_report.COLUMNS), options.rules)
    return Comparison(a, b, cells, compare_report.ordered(rows), list(_notes(a, b, both)), _changes(a, b), options.rules)


def publish(comparison: Comparison, options: Options) -> compare_gate.Outcome:
    """Write the folder, whole or not at all, print the summary, and give what the gates say."""
    outcome = judge(comparison, options)
    compare_report.publish(comparison, outcome, options.fail_on, options.out)
    return outcome


def judge(comparison: Comparison, options: Options) -> compare_gate.Outcome:
    """What the gates of ``options`` say of a comparison."""
    same = any(cell.status in (compare_cells.IDENTICAL, compare_cells.OTHERWISE) for cell in comparison.cells)
    return compare_gate.judge(comparison.rows, options.fail_on, same)


def _checked(options: Options) -> None:
    """BadInput before the work, not after it: an unknown gate, or settings that leave nothing to tell."""
    for rule in options.fail_on:
        compare_gate.parsed(rule)
    if options.rules.draws < LEAST_DRAWS or not 0 < options.rules.level < 1:
        raise BadInput(f"compare needs at least {LEAST_DRAWS} draws and a level between 0 and 1; the defaults are 2000 and 0.05.")


def _chosen(a: Revision, b: Revision, options: Options) -> list[tuple[str, str]]:
    cells = list(dict.fromkeys([*b.cells(), *a.cells()]))
    for kind, place, names in (("task", 0, options.tasks), ("model", 1, options.models)):
        known = {cell[place] for cell in cells}
        unknown = sorted(set(names) - known)
        if unknown:
            raise BadInput(f"{unknown[0]!r} is no {kind} with results in {a.name} or {b.name}; there are {', '.join(sorted(known))}.")
    kept = [cell for cell in cells if cell[0] in (options.tasks or {cell[0]}) and cell[1] in (options.models or {cell[1]})]
    if not kept:
        raise BadInput(f"neither {a.name} nor {b.name} has scores of any cell of its params.yaml: run `dvc repro` and commit dvc.lock.")
    return kept


def _alone(a: Revision, b: Revision, names: tuple[str, str]) -> tuple[Cell, pd.DataFrame]:
    """A cell of one revision alone, or one that is identical in both and has no rows."""
    if names in a.cells() and names in b.cells():
        return Cell(*names, compare_cells.IDENTICAL), _no_rows()
    has, lacks = ("a", b) if names in a.cells() else ("b", a)
    named = names[0] in lacks.design.get("tasks", {}) and names[1] in lacks.design.get("models", {})
    reasons = [f"{lacks.name} names it and has no results of it"] if named else []
    return Cell(*names, ONLY[has], reasons), compare_cells.whole_cell("; ".join([f"the cell is {ONLY[has]}", *reasons]))


def _no_rows() -> pd.DataFrame:
    return compare_cells.whole_cell("").head(0)


def _notes(a: Revision, b: Revision, both: list[tuple[str, str]]) -> Iterator[str]:
    """What a reader must know beside the figures: other settings of the evaluation, results that are older than their design."""
    other = list(dict.fromkeys(reason for names in both for reason in compare_cells.evaluation(a, b, names)))
    if other:
        told = ", ".join(other)
        alike = "intervals, p and q here are computed anew for both alike"
        yield f"{told[0].upper()}{told[1:]}: what A and B published is not comparable; {alike}."
    for side, revision in zip("AB", (a, b), strict=True):
        stale = sorted({stage.partition("@")[0] for stage in revision.params if _stale(revision, stage)})
        if stale:
            named = ", ".join(stale)
            older = f"the results of {named} are older than params.yaml or what they are made from"
            yield f"{side} ({revision.name}): {older}, and are compared as recorded; run `dvc repro`."


def _stale(revision: Revision, stage: str) -> bool:
    cell = stage.partition("@")[2]
    live = any(
        cell in (task, f"{task}-{model}") for task in revision.design.get("tasks", {}) for model in revision.design.get("models", {})
    )
    if not live or stage.partition("@")[0] not in READ:
        return False
    other_params = any(compare_cells.at(revision.design, key) != value for key, value in revision.params[stage].items())
    return other_params or any(revision.hashes.get(path, md5) != md5 for path, md5 in revision.deps[stage].items())


def _changes(a: Revision, b: Revision) -> dict[str, list[tuple[str, Any, Any]]]:
    """Parameters, code and data that differ, each with both values."""
    params = [dict(_flat(side.design)) for side in (a, b)]
    deps = [{path: md5 for of_stage in side.deps.values() for path, md5 in of_stage.items()} for side in (a, b)]
    given = [{path: md5 for path, md5 in own.items() if not path.startswith("data/") or path.startswith("data/raw")} for own in deps]
    return {"parameters": _differing(*params), "code and data": _differing(*given)}


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    return [(key, one.get(key), other.get(key)) for key in dict.fromkeys([*one, *other]) if one.get(key) != other.get(key)]


def _parse(arguments: Sequence[str] | None, program: str) -> tuple[Options, bool]:
    description = "Compare the results of two revisions: better, worse, or chance?"
    parser = argparse.ArgumentParser(prog=program, description=description, epilog=OF_COMMANDS)
    add = parser.add_argument
    add("one", metavar="REV_A", help="a commit, branch, tag or experiment (dvc exp)")
    add("other", metavar="REV_B", nargs="?", default=WORKSPACE, help="another, or `workspace` (default)")
    add("--tasks", type=commas, default=(), help="only these, with commas")
    add("--models", type=commas, default=(), help="only these, with commas")
    gates = "; ".join(f"{name}: {rule}" for name, rule in compare_gate.RULES.items())
    add(
        "--fail-on",
        action="append",
        default=[],
        metavar="GATE",
        help=f"exit with 1 when it fails, with 3 when nothing can be tested; may be repeated. {gates}",
    )
    add("--draws", type=whole, default=Rules.draws, help=f"how often people are drawn and exchanged (default {Rules.draws})")
    add("--level", type=float, default=Rules.level, help="q up to which a change is called (default 0.05)")
    add("--fewest", type=whole, default=Rules.fewest, help="people in the smaller group below which nothing is tested (default 10)")
    add("--seed", type=int, default=Rules.seed)
    add("--out", type=Path, default=Options.out, help="the folder to write (default data/compare, which Git ignores)")
    add("--debug", action="store_true", help="show the traceback of an error")
    given = vars(parser.parse_args(arguments))
    rules = Rules(given.pop("draws"), level=given.pop("level"), fewest=given.pop("fewest"), seed=given.pop("seed"))
    debug = given.pop("debug")
    return Options(**given | {"fail_on": tuple(given["fail_on"]), "rules": rules}), debug


if __name__ == "__main__":
    sys.exit(main())
