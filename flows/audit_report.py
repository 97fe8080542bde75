"""What an audit found: a few lines for the terminal, and a folder with the page, the scores and a summary."""

import json
import os
import shutil
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from flows.audit_options import Options
from flows.audit_table import Reading
from stages import evaluate, subgroup
from stages.contract.bad_input import BadInput
from stages.contract.params import Design
from stages.contract.schemas import Groups
from stages.contract.tables import Scores, check, write_parquet
from stages.metrics import gate
from stages.reporting import findings, page, results, tables
from stages.reporting.wording import measure, set_name

TASK, MODEL = "labels", "predictions"
FILES = {"index.html", "scores.parquet", "groups.parquet", "summary.json"}
NOTABLE = 3


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


def publish(audit: Audit, options: Options, failed: list[dict[str, Any]]) -> None:
    """Write the folder, whole or not at all, and print the summary. BadInput: the folder holds files of somebody else."""
    folder = options.out or options.file.with_name(f"{options.file.name.split('.')[0]}_audit")
    if folder.exists() and (not folder.is_dir() or {path.name for path in folder.iterdir()} - FILES):
        raise BadInput(f"{folder} is there and is no earlier audit; name another folder with --out.")
    scores = check(audit.scores, Scores.__metadata__[0], "scores")
    found = _results(scores, audit.sets)
    title = f"Audit of {options.file.name}"
    settings: dict[str, Any] = {"subgroup": audit.subgroup, "evaluate": audit.evaluate}
    html = page.render(found, _design(audit, options), settings, title, NOTABLE, notes=[*_rows(audit.reading), *audit.reading.notes])
    temporary, earlier = (folder.with_name(f".{folder.name}.{os.getpid()}{end}") for end in ("", ".earlier"))
    try:
        temporary.mkdir(parents=True)
        (temporary / "index.html").write_text(html, encoding="utf-8")
        write_parquet(scores, temporary / "scores.parquet")
        write_parquet(check(audit.groups, Groups.__metadata__[0], "groups"), temporary / "groups.parquet")
        (temporary / "summary.json").write_text(json.dumps(_summary(audit, scores, options, failed), indent=2, allow_nan=False) + "\n")
        if folder.exists():
            folder.rename(earlier)
        temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(earlier, ignore_errors=True)
    print("\n".join(_lines(audit, found, scores, options, failed)))
    print(f"report: {folder / 'index.html'}", flush=True)


def _results(scores: pa.Table, sets: pa.Table) -> results.Results:
    names = {"task": TASK, "model": MODEL}
    for key, name in names.items():
        scores = scores.append_column(key, pa.array([name] * scores.num_rows))
    return results.read(scores, sets.append_column("task", pa.array([TASK] * sets.num_rows)), [TASK], [MODEL])


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


def _summary(audit: Audit, scores: pa.Table, options: Options, failed: list[dict[str, Any]]) -> dict[str, Any]:
    rule = options.fail_on
    places = ("attributes", "group", "metric", "value", "ci_low", "ci_high", "q_value")
    failures = [{place: None if row[place] != row[place] else row[place] for place in places} for row in failed]
    return {
        "file": options.file.name,
        "rows": audit.reading.rows,
        "notes": audit.reading.notes,
        "subgroup": audit.subgroup.model_dump(mode="json", exclude_none=True),
        "evaluate": audit.evaluate.model_dump(mode="json"),
        "headline": audit.headline,
        "verdicts": _verdicts(scores),
        "gate": None if rule is None else {"name": rule, "rule": gate.RULES[rule], "passed": not failed, "failures": failures},
    }


def _lines(audit: Audit, found: results.Results, scores: pa.Table, options: Options, failed: list[dict[str, Any]]) -> list[str]:
    """Rows, choices, groups, the sets furthest from parity, verdicts and gate."""
    lines = [f"{options.file.name}: {line}" for line in _rows(audit.reading)]
    lines += [f"  {note}" for note in audit.reading.notes]
    lines += ["groups, texts (people): protected (all other) / privileged (reference) / unknown"]
    for attribute in audit.subgroup.attributes:
        sizes = [found.sizes.get((TASK, attribute, group)) for group in ("protected", "privileged", "unknown")]
        if all(sizes):
            lines.append(f"  {attribute}: {' / '.join(tables.texts_people(size) for size in sizes if size)}")
    for metric, parity in (("adi", 1), ("fv", 0)):
        lines.append(f"most notable by {metric.upper()} ({parity} is parity; n protected / privileged):")
        gaps = sorted(findings.defined(found, TASK, MODEL, metric).items(), key=lambda item: item[1].verdict != "disparity")[:NOTABLE]
        shown = [f"  {set_name(name)}: {measure(gap)}, {gap.verdict}, n {gap.n_protected:,} / {gap.n_privileged:,}" for name, gap in gaps]
        lines += shown or ["  none defined"]
    verdicts = _verdicts(scores)
    lines.append(f"verdicts on all gaps: {', '.join(f'{number:,} {verdict}' for verdict, number in verdicts.items()) or 'none'}")
    if options.fail_on:
        lines.append(f"gate {options.fail_on}: {f'failed, {len(failed):,} rows' if failed else 'passed'} ({gate.RULES[options.fail_on]})")
    return lines
