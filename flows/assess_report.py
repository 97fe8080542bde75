"""What an assessment found: the folder with the page, the audit's report, a model card and every table, and lines for the terminal."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from flows import audit_folder
from flows.assess_options import Options
from flows.audit_report import Audit, Told
from stages.contract.tables import from_pandas
from stages.metrics.gate import Outcome
from stages.reporting import assessment, assessment_made, tables
from stages.reporting.assessment import Part
from stages.reporting.assessment_card import card
from stages.reporting.assessment_measured import Measured
from stages.reporting.tables import Table

TABLES = ("scores", "groups", "descriptions", "effects", "identities", "tokens", "leanings", "local_explanations")
BESIDE = ("index.md", "model_card.md", "impact_ratios.csv")
FILES = {"index.html", "report.html", "summary.json", *BESIDE, *(f"{name}.parquet" for name in TABLES)}
WHOSE = "Whether the model had learned from these rows is not known here; a model looks better on rows it learned from."
HOW = "Every number follows from the file, the options and the versions of this program; the same give the same bytes on a CPU."
NO_FOOTPRINT = "Energy and emissions were not measured: the model was made, and its predictions were drawn, elsewhere."


@dataclass(frozen=True)
class Assessed:
    """An audit, how it is told, the tables of the assessment by name, and what was said of the model."""

    audit: Audit
    told: Told
    measured: Measured
    tables: dict[str, pa.Table]
    notes: list[str]


def publish(found: Assessed, options: Options, folder: Path) -> Outcome | None:
    """Write the folder, whole or not at all, print what was found, and give what the gate says, if there is one."""
    rules = found.audit.evaluate
    parts = _made(found) | found.measured.parts(rules)
    title = f"Ethical assessment of the predictions in {options.audit.file.name}"
    about = [f"{found.audit.reading.rows['used']:,} texts with labels and predictions of one classifier. {WHOSE}"]
    page, text = assessment.render(parts, title, about, "report.html", None, BESIDE)
    beside = {"index.md": text, "report.html": found.told.page, "impact_ratios.csv": _csv(found)}
    beside["model_card.md"] = card(parts, title, [tables.rules(found.audit.subgroup)], assessment_made.rules(rules))
    verdicts = assessment.verdicts(assessment.arranged(parts))
    summary = found.told.summary | {"assessment": [dict(zip(verdicts.columns, row, strict=True)) for row in verdicts.rows]}
    held = {name: table for name, table in found.tables.items() if table.num_rows}
    audit_folder.write(folder, page, found.told.tables | held, summary, beside)
    print("\n".join([*found.told.lines, *found.notes, *(": ".join((row[0], f"{row[1]} disparities")) for row in verdicts.rows)]))
    print(f"assessment: {folder / 'index.html'}", flush=True)
    return found.told.gate


def _made(found: Assessed) -> dict[str, Part | None]:
    """What is told of the file where a design tells of its pipeline."""
    reading, settings = found.audit.reading, {"subgroup": found.audit.subgroup, "evaluate": found.audit.evaluate}
    read = Table("How the file was read", ["Choice"], [[note] for note in (*reading.notes, *found.notes)], (0,))
    rows = Table("Rows", ["Rows", "Number"], [["read", f"{reading.rows['read']:,}"], ["used", f"{reading.rows['used']:,}"]])
    return {
        "data": Part([rows], said=[WHOSE]),
        "traceability": Part([read], said=[HOW]),
        "reproducibility": Part([tables.settings(settings)], said=["Intervals cover the draw of people and texts."]),
        "auditability": Part(),
        "footprint": Part(said=[NO_FOOTPRINT]),
    }


def _csv(found: Assessed) -> str:
    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(from_pandas(found.measured.ratios), sink)
    return bytes(sink.getvalue()).decode("utf-8")
