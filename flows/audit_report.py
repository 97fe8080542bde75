"""What an audit found: a few lines for the terminal, and a folder with the page, the scores and a summary."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from flows import audit_folder
from flows.audit_options import Options
from flows.audit_table import Reading
from stages import evaluate, subgroup
from stages.contract.params import Design
from stages.contract.schemas import Groups, Scores
from stages.contract.tables import check
from stages.metrics.gate import Outcome, judge
from stages.reporting import findings, gate, overall, page, results, standing, tables
from stages.reporting import groups as as_they_are
from stages.reporting.groups import AsTheyAre
from stages.reporting.wording import measure, set_name

TASK, MODEL = "labels", "predictions"
FILES = {"index.html", "scores.parquet", "groups.parquet", "summary.json"}
NOTABLE, STANDING_OUT = 3, 10  # how many are named, and how many groups the page shows


@dataclass(frozen=True)
class Audit:
    """The scores of a file and its attribute sets, with the settings they were made with."""

    reading: Reading
    scores: pa.Table
    groups: pa.Table
    sets: pa.Table
    headline: dict[str, Any]
    subgroup: subgroup.Params
    evaluate: evaluate.Params


@dataclass(frozen=True)
class Told:
    """An audit in every form it is told in: page, checked tables, summary, lines for the terminal, and the results and gate behind them."""

    page: str
    tables: dict[str, pa.Table]
    summary: dict[str, Any]
    lines: list[str]
    results: results.Results
    design: Design
    gate: Outcome | None


def publish(audit: Audit, options: Options) -> Outcome | None:
    """Write the folder, whole or not at all, print the summary, and give what the gate says, if there is one.

    BadInput: the folder holds files of somebody else.
    """
    file = options.file if options.file.exists() else options.file.parent  # a glob
    folder = options.out or file.with_name(f"{file.name.split('.')[0]}_audit")
    audit_folder.refuse_others(folder, FILES)
    told = tell(audit, options)
    audit_folder.write(folder, told.page, told.tables, told.summary)
    print("\n".join(told.lines))
    print(f"report: {folder / 'index.html'}", flush=True)
    return told.gate


def tell(audit: Audit, options: Options) -> Told:
    """The page of an audit and all that stands beside it."""
    scores = check(audit.scores, Scores.__metadata__[0], "scores")
    of_groups = check(audit.groups, Groups.__metadata__[0], "groups")
    found = _results(scores, audit.sets)
    groups = as_they_are.read(_named(of_groups, "task", "model"), found, STANDING_OUT)
    title = f"Audit of {options.file.name}"
    settings: dict[str, Any] = {"subgroup": audit.subgroup, "evaluate": audit.evaluate}
    notes = [*_rows(audit.reading), *audit.reading.notes]
    design = _design(audit, options)
    outcome = None if options.fail_on is None else judge(scores.to_pandas(), options.fail_on, audit.evaluate.level)
    judged = None if outcome is None else outcome.summary()
    html = page.render(found, groups, design, settings, title, NOTABLE, notes=notes, gate=None if judged is None else gate.parts(judged))
    summary = _summary(audit, found, groups[TASK, MODEL], scores, options) | {"gate": judged}
    lines = _lines(audit, found, groups[TASK, MODEL], scores, options) + ([] if judged is None else gate.lines(judged))
    return Told(html, {"scores": scores, "groups": of_groups}, summary, lines, found, design, outcome)


def _results(scores: pa.Table, sets: pa.Table) -> results.Results:
    return results.read(_named(scores, "task", "model"), _named(sets, "task"), [TASK], [MODEL])


def _named(table: pa.Table, *keys: str) -> pa.Table:
    """The table with the names of the one cell, as a benchmark's tables have them."""
    for key in keys:
        table = table.append_column(key, pa.array([{"task": TASK, "model": MODEL}[key]] * table.num_rows, pa.string()))
    return table


def _design(audit: Audit, options: Options) -> Design:
    """A design of one cell, for what the page says of labels; nothing of the models is shown, as nobody here knows it."""
    file = options.file.name
    task = {"dataset": {"use": "predictions_file", "source": file}, "label": options.label, "kind": audit.reading.kind}
    model = {"base": {"source": file}, "debiaser": {"use": "identity"}, "family": {"use": "predictions_file"}}
    return Design.model_validate({"tasks": {TASK: task}, "models": {MODEL: model}})


def _rows(reading: Reading) -> list[str]:
    lines = [f"{reading.rows['read']:,} rows read, {reading.rows['used']:,} used."]
    for part in reading.rows["left_out"]:
        first = ", ".join(map(str, part["first"])) + (", ..." if part["rows"] > len(part["first"]) else "")
        lines.append(f"left out: {part['rows']:,} rows without a {part['missing']} in column {part['column']!r} (rows {first}).")
    return lines


def _verdicts(scores: pa.Table) -> dict[str, int]:
    counted = scores.to_pandas()["verdict"].value_counts()
    return {str(verdict): int(number) for verdict, number in counted.items()}


def _summary(audit: Audit, found: results.Results, groups: AsTheyAre, scores: pa.Table, options: Options) -> dict[str, Any]:
    return {
        "file": options.file.name,
        "rows": audit.reading.rows,
        "notes": audit.reading.notes,
        "subgroup": audit.subgroup.model_dump(mode="json", exclude_none=True),
        "evaluate": audit.evaluate.model_dump(mode="json"),
        "headline": audit.headline,
        "verdicts": _verdicts(scores),
        "groups": _groups(found, groups),
    }


def _groups(found: results.Results, groups: AsTheyAre) -> dict[str, Any]:
    """Groups as they are: how many, how many a test can tell of, which stand out first, and what is flagged."""
    first = [
        {"attributes": one.group.attributes, "group": one.group.name, "metric": one.metric, "value": one.measured.own.value}
        | {"ci_low": one.measured.own.ci_low, "ci_high": one.measured.own.ci_high, "everyone": one.everyone, "n": one.measured.own.n}
        | {"people": one.measured.people, "effective_people": one.measured.effective, "q_value": one.q_value}
        for one in groups.standing
    ]
    sets, compared = overall.flags(found, TASK, MODEL)
    flagged = {"impact_ratios": sets, "of_sets": compared, "selection_rate_ratios": groups.flagged, "of_groups": groups.compared}
    return {"number": groups.number, "tested": groups.told, "stand_out": groups.found, "first": first, "flagged": flagged}


def _lines_of_groups(found: results.Results, groups: AsTheyAre) -> list[str]:
    lines = [f"groups as they are: {standing.sentence(groups)}"]
    lines += [f"  {standing.line(one)}" for one in groups.standing[:NOTABLE]]
    sets, compared = overall.flags(found, TASK, MODEL)
    return [*lines, f"  flagged by lowest / highest selection rate: {sets:,} of {compared:,} sets"]


def _lines(audit: Audit, found: results.Results, groups: AsTheyAre, scores: pa.Table, options: Options) -> list[str]:
    """Rows, choices, groups, the most notable sets, groups that stand out, and verdicts."""
    lines = [f"{options.file.name}: {line}" for line in _rows(audit.reading)]
    lines += [f"  {note}" for note in audit.reading.notes]
    lines += ["groups, texts (people): protected (all other) / privileged (reference) / unknown"]
    for attribute in audit.subgroup.attributes:
        sizes = [found.sizes.get((TASK, attribute, group)) for group in ("protected", "privileged", "unknown")]
        if all(sizes):
            lines.append(f"  {attribute}: {' / '.join(tables.texts_people(size) for size in sizes if size)}")
    for metric, parity in (("adi", 1), ("fv", 0)):
        lines.append(f"most notable by {metric.upper()} ({parity} is parity; n protected / privileged):")
        gaps = list(findings.notable(found, TASK, MODEL, metric).items())[:NOTABLE]
        shown = [f"  {set_name(name)}: {measure(gap)}, {gap.verdict}, n {gap.n_protected:,} / {gap.n_privileged:,}" for name, gap in gaps]
        lines += shown or ["  none defined"]
    lines += _lines_of_groups(found, groups)
    verdicts = _verdicts(scores)
    lines.append(f"verdicts on all gaps: {', '.join(f'{number:,} {verdict}' for verdict, number in verdicts.items()) or 'none'}")
    return lines
