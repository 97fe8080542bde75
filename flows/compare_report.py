"""What a comparison found: a few lines for the terminal, and a folder with the page, a comment in Markdown, JSON and all rows."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from flows import audit_folder
from flows.compare_cells import Cell
from flows.revisions import Revision
from stages.contract.tables import from_pandas
from stages.metrics.compare_gate import Outcome
from stages.metrics.paired import BETTER, NOT_COMPARABLE, PERFORMANCE, WORSE, Rules
from stages.reporting import compared

FILES = {"index.html", "comment.md", "summary.json", "rows.parquet"}
COLUMNS = ["task", "model", "attributes", "order", "group", "metric", "convention", "family", "value_a", "value_b", "difference", "ci_low"]
COLUMNS += ["ci_high", "worsening", "p_value", "q_value", "verdict", "reason", "verdict_a", "verdict_b"]
SHOWN = 8  # lines of the terminal


@dataclass(frozen=True)
class Comparison:
    """Two revisions, what came of each cell, a row a figure ordered by what matters, and what else differs."""

    a: Revision
    b: Revision
    cells: list[Cell]
    rows: pd.DataFrame
    notes: list[str]
    changes: dict[str, list[tuple[str, Any, Any]]]
    rules: Rules


def ordered(rows: pd.DataFrame) -> pd.DataFrame:
    """Worse fairness first, then worse performance, other conventions, better, not comparable, no evidence; then by q, then by size."""
    fair, changed = compared.kinds(rows) == "Fairness", [rows["verdict"] == verdict for verdict in (WORSE, BETTER, NOT_COMPARABLE)]
    ranks = [changed[0] & fair, changed[0] & (rows["family"] == PERFORMANCE), changed[0], changed[1] & fair, *changed[1:]]
    keys = {"rank": np.select(ranks, range(len(ranks)), len(ranks)), "size": -rows["difference"].astype(float).abs()}
    order = rows.assign(**keys).sort_values(["rank", "q_value", "size"], kind="stable", na_position="last").index
    return rows.loc[order].reset_index(drop=True)


def publish(comparison: Comparison, outcome: Outcome, gates: tuple[str, ...], folder: Path) -> None:
    """Write the folder, whole or not at all, and print the summary. BadInput: the folder holds files of somebody else."""
    audit_folder.refuse_others(folder, FILES)
    page, comment = told(comparison, outcome, gates)
    audit_folder.write(folder, page, {"rows": from_pandas(comparison.rows)}, summary(comparison, outcome, gates), {"comment.md": comment})
    lines = [*_sentences(comparison), *compared.gates(outcome.failed, gates, outcome.untested), *comparison.notes]
    worth = comparison.rows[comparison.rows["verdict"].isin([WORSE, BETTER])].head(SHOWN).to_dict("records")
    lines += [
        f"{row['verdict']}: {row['task']} x {row['model']}, {row['attributes'] or 'everyone'}, {compared.named(row)}:"
        f" {row['value_a']:.3f} → {row['value_b']:.3f} (q {row['q_value']:.3g})"
        for row in worth
    ]
    print("\n".join(lines))
    print(f"report: {folder / 'index.html'}", flush=True)


def told(comparison: Comparison, outcome: Outcome, gates: tuple[str, ...]) -> tuple[str, str]:
    """The page and the comment."""
    about = {"notes": comparison.notes, "changes": comparison.changes, "method": _method(comparison.rules), "gates": gates}
    about |= {"untested": outcome.untested}
    sides = (_side(comparison.a), _side(comparison.b))
    return compared.render(comparison.rows, [asdict(cell) for cell in comparison.cells], sides, about, outcome.failed)


def summary(comparison: Comparison, outcome: Outcome, gates: tuple[str, ...]) -> dict[str, Any]:
    """Everything as JSON: revisions, cells, rows, changes, which gates failed, and by which nothing could be tested."""
    rows = comparison.rows.astype(object).where(comparison.rows.notna(), None)
    sides = {
        side: {"name": revision.name, "commit": revision.commit} for side, revision in zip("ab", (comparison.a, comparison.b), strict=True)
    }
    return sides | {
        "in_words": _sentences(comparison),
        "rules": asdict(comparison.rules),
        "gates": {rule: int((outcome.failed["gate"] == rule).sum()) for rule in gates},
        "untested": outcome.untested,
        "notes": comparison.notes,
        "cells": [asdict(cell) for cell in comparison.cells],
        "changes": {name: [list(map(_plain, change)) for change in found] for name, found in comparison.changes.items()},
        "rows": rows.to_dict("records"),
    }


def _sentences(comparison: Comparison) -> list[str]:
    return compared.sentences(comparison.rows, [asdict(cell) for cell in comparison.cells])


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (str, int, float, bool, list)) else str(value)


def _side(revision: Revision) -> str:
    return (
        revision.name
        if revision.commit is None or revision.commit.startswith(revision.name)
        else f"{revision.name} ({revision.commit[:9]})"
    )


def _method(rules: Rules) -> list[str]:
    told = f"Better and worse: q of at most {rules.level:g} and a {100 * rules.confidence:g} % interval without 0; anything less is no"
    change = "Change: for performance B less A; for a gap how much further from parity B is than A, |log| of ratios and the size of"
    families = "q is Benjamini and Hochberg's over all cells, sets and metrics of a family: performance, gaps of protected and"
    return [
        f"{told} evidence, which is not evidence of no change.",
        f"{change} differences, so that a gap with a change above 0 is worse.",
        "Values are of the documents that both have, alike in text, author, label and demographics.",
        f"Intervals draw the same people for both, {rules.draws:,} times; tests exchange everything the two say of a person as often.",
        f"{families} privileged (each convention its own), and gaps over all groups.",
        "Two sets of fitted models are compared. A new seed fits other models, and may be found to be different where it is.",
        "Gaps move along with how many texts are selected, so read them beside the shares selected in A and in B.",
    ]
