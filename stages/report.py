"""scores and groups of every cell, probes, relations, challenges and the re-audit -> one HTML page that opens anywhere, and tables."""

from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
from pydantic import Field

from stages.contract.challenges import Responses
from stages.contract.command import command
from stages.contract.contrasts import ContrastFits, Contrasts
from stages.contract.design import settings
from stages.contract.findings import Findings, KnownProblems
from stages.contract.params import Design, Section
from stages.contract.probes import Associations, NameGroups, Probes
from stages.contract.relations import Effects, Matched, ProbesAndOutcomes
from stages.contract.schemas import AttributeSets, Groups, Scores
from stages.contract.tables import At
from stages.reporting import (
    breakdown,
    by_order,
    challenged,
    drawings,
    embeddings,
    explorer,
    filled,
    latex,
    page,
    reaudited,
    related,
    represented,
    results,
    versions,
)
from stages.reporting import groups as as_they_are
from stages.reporting.paper_tables import Grid
from stages.reporting.results import Results
from stages.reporting.wording import percent

Page = Annotated[str, At("data/report/index.html")]
AdiByOrder = Annotated[pa.Table, At("data/report/adi_by_order.csv")]
FvByOrder = Annotated[pa.Table, At("data/report/fv_by_order.csv")]
PaperTables = Annotated[pa.Table, At("data/report/paper_tables.csv")]
ByTemplateAndName = Annotated[pa.Table, At("data/report/challenges.csv")]
PaperLatex = Annotated[str, At("data/report/paper_tables.tex")]
Figures = Annotated[Path, At("data/report/figures")]
Evaluated = Annotated[Path, At("data/evaluate")]

# The stages whose settings the page states, in the order they run; dvc.yaml names them under this stage's params.
SHOWN = ("ingest", "subgroup", "debias", "probe", "finetune", "contrast", "evaluate", "relate", "reaudit")


class Params(Section):
    """The page's ``title``; how many of the ``worst`` attribute sets each task and model has shown, and of the groups, templates and
    names that stand out.
    """

    title: str = "Intersectional bias benchmark"
    worst: int = Field(default=3, ge=1)
    standing_out: int = Field(default=5, ge=1)


def run(  # noqa: PLR0917 - a stage's signature is its declaration
    scores: Scores,
    groups: Groups,
    sets: AttributeSets,
    effects: Effects,
    matched: Matched,
    probes: ProbesAndOutcomes,
    findings: Findings,
    problems: KnownProblems,
    contrasts: Contrasts,
    fits: ContrastFits,
    responses: Responses,
    figures: Probes,
    associations: Associations,
    names: NameGroups,
    evaluated: Evaluated,
    design: Design,
    params: Params,
    output: Figures,
) -> tuple[Page, AdiByOrder, FvByOrder, PaperTables, PaperLatex, ByTemplateAndName]:
    """The page and the tables of the design's cells, in the design's order; the figures go into ``output``."""
    found = results.read(scores, sets, list(design.tasks), list(design.models))
    sections: dict[str, Any] = {stage: settings(design, stage) for stage in SHOWN}
    level, rules = sections["evaluate"].level, sections["contrast"]
    references = breakdown.references_of(responses, rules.references)
    items = breakdown.read(responses, fits.to_pandas(), references, rules.confidence)
    optional: dict[str, Any] = {
        "reaudit": reaudited.parts(findings, problems, sections["reaudit"]),
        "relate": related.parts(effects, matched, probes, sections["relate"].confidence, level),
        "challenges": challenged.parts(contrasts, fits, items, references, design, rules, level, params.standing_out),
        "embeddings": _represented((figures, associations, names), found, design, sections["probe"].enumeration.alpha),
        "explorer": explorer.parts(found, groups, matched, level),
        "versions": versions.parts(found, sections, evaluated),
    }
    of_groups = as_they_are.read(groups, found, params.standing_out)
    shown = page.parts(found, of_groups, design, sections, params.title, params.worst, **optional)
    drawings.write(shown, output)
    print(f"report: open {Page.__metadata__[0].path}", flush=True)  # type: ignore[attr-defined]
    lines = by_order.lines(found, design)
    paper = latex.write(Grid(found, lines, by_order.arms(design)), percent(sections["evaluate"].confidence), level)
    gaps = gaps_by_order(found, "adi"), gaps_by_order(found, "fv")
    return filled.fill("page.html.jinja", shown), *gaps, by_order.as_table(lines), paper, items


def _represented(probed: tuple[pa.Table, ...], found: Results, design: Design, level: float) -> dict[str, Any] | None:
    """The section on representations, beside what is decided with them; None where nothing was probed."""
    bases = represented.bases_of(design)
    figures, associations, names = probed
    parts = embeddings.parts(figures, associations, names, bases, level)
    if parts is not None:
        parts["beside"] = represented.beside(embeddings.figures_of(figures.to_pandas()), bases, found, design)
    return parts


def gaps_by_order(found: Results, metric: str) -> pa.Table:
    """One row a cell and attribute set with its gap, ``adi`` or ``fv``; what is undefined is an empty field."""
    text, whole, real = pa.string(), pa.int64(), pa.float64()
    names = ["task", "model", "attributes", "order", metric, "ci_low", "ci_high", "n_protected", "n_privileged"]
    types = [text, text, text, whole, real, real, real, whole, whole]
    rows = [
        (task, model, attributes, order, gap.value, gap.ci_low, gap.ci_high, gap.n_protected, gap.n_privileged)
        for task, model in found.cells()
        for attributes, order in found.orders[task].items()
        if (gap := found.gap(task, model, attributes, metric)) is not None
    ]
    return pa.Table.from_pylist(
        [dict(zip(names, row, strict=True)) for row in rows], schema=pa.schema(list(zip(names, types, strict=True)))
    )


if __name__ == "__main__":
    command(run)
