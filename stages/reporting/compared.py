"""Two revisions compared, as words and tables: what is worse and better first, then what cannot be compared, then everything else."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from stages.reporting import assessment, filled
from stages.reporting.tables import Table
from stages.reporting.wording import count, decimals_of, metric_name, number, option, probability, set_name, signed

WORSE, BETTER, NO_EVIDENCE, NOT_COMPARABLE = "worse", "better", "no evidence", "not comparable"
PERFORMANCE = "performance"
COLUMNS = ["Cell", "Attribute set", "Figure", "A", "B", "Change [interval]", "q", "Verdict"]
WORDS = (0, 1, 2, 7)
ON_PAGE = 150
IN_COMMENT, MOST_CELLS, MOST_REASONS, MOST_CHANGES = 8, 6, 3, 3  # what keeps the comment below sixty lines


def render(
    rows: pd.DataFrame, cells: Sequence[Mapping[str, Any]], sides: tuple[str, str], about: Mapping[str, Any], failed: pd.DataFrame
) -> tuple[str, str]:
    """The page as HTML that needs nothing else, and a comment in Markdown of at most sixty lines.

    ``rows`` are ordered by what matters; ``cells`` have task, model, status, reasons, documents and selection; ``sides`` say which
    revisions A and B are; ``about``: notes, changes (tables by name), method (sentences), gates, and ``untested``, why by some
    of them nothing could be tested; ``failed``: rows that fail a gate.
    """
    told = rows[rows["verdict"].isin([WORSE, BETTER])]
    shown: dict[str, Any] = {"title": f"{sides[0]} and {sides[1]} compared", "sides": sides, "sentences": sentences(rows, cells)}
    shown |= {"notes": about["notes"], "method": about["method"], "gates": gates(failed, about["gates"], about["untested"])}
    shown |= {"changes": [_changed(name, changes) for name, changes in about["changes"].items() if changes]}
    page = shown | {"cells": cell_table(cells, rows), "found": figures("What is worse or better", told, ON_PAGE), "reasons": reasons(rows)}
    page |= {"all": [figures(_cell(own), own, ON_PAGE) for _, own in rows.groupby(["task", "model"], sort=False)]}
    comment = shown | {"cells": cell_table(cells, rows, MOST_CELLS), "found": figures("Worse or better", told, IN_COMMENT)}
    comment |= {"reasons": reasons(rows, MOST_REASONS), "changes": [_in_words(*own) for own in about["changes"].items() if own[1]]}
    return filled.fill("compared.html.jinja", page), assessment.markdown("compared.md.jinja", comment)


def sentences(rows: pd.DataFrame, cells: Sequence[Mapping[str, Any]]) -> list[str]:
    """What came of it, fairness first."""
    same = sum(cell["status"] == "identical" for cell in cells)
    told = []
    if same:
        which = f"All {count(same, 'cell')}" if same == len(cells) else f"{same} of {count(len(cells), 'cell')}"
        told.append(f"{which} {'is' if same == 1 else 'are'} identical to the byte.")
    for name in ("Fairness", "Performance", "Fairness by other conventions"):
        part = rows[kinds(rows) == name]
        if len(part):
            counts = part["verdict"].value_counts()
            listed = ", ".join(f"{counts.get(verdict, 0):,} {verdict}" for verdict in (WORSE, BETTER, NO_EVIDENCE, NOT_COMPARABLE))
            told.append(f"{name}: of {count(len(part), 'figure')} {listed}.")
    return told or [f"Nothing could be compared: of {count(len(cells), 'cell')} none has results on both sides."]


def kinds(rows: pd.DataFrame) -> pd.Series:
    """Of which kind each row is; "" for the row of a cell of which nothing can be compared."""
    other = rows["family"].str.contains(", ", regex=False)
    kind = rows["family"].map({PERFORMANCE: "Performance", "cell": ""}).fillna("Fairness")
    return kind.mask(other, "Fairness by other conventions")


def gates(failed: pd.DataFrame, rules: Sequence[str], untested: Mapping[str, str]) -> list[str]:
    """Each gate in a sentence."""
    words = dict.fromkeys(rules, "passed") | {rule: f"nothing could be tested, which is no pass ({why})" for rule, why in untested.items()}
    words |= {str(rule): f"failed by {count(int(number), 'figure')}" for rule, number in failed["gate"].value_counts().items()}
    return [f"Gate {rule}: {words[rule]}." for rule in rules]


def cell_table(cells: Sequence[Mapping[str, Any]], rows: pd.DataFrame, most: int | None = None) -> Table:
    """A row a cell, those with something worse first and identical ones last."""
    by_kind = [rows[kinds(rows) == kind].groupby(["task", "model"])["verdict"].value_counts() for kind in ("Fairness", "Performance")]
    lines = []
    for cell in cells:
        found = [{verdict: int(part.get((cell["task"], cell["model"], verdict), 0)) for verdict in (WORSE, BETTER)} for part in by_kind]
        texts = f"{cell['documents']['compared']:,}" if cell["documents"] else ""
        shares = [number(share) for share in cell["selection"] or ()] or ["", ""]
        verdicts = [f"{own[WORSE]} / {own[BETTER]}" if cell["selection"] else "" for own in found]
        rank = (cell["status"] == "identical", *(-own[WORSE] for own in found), -found[0][BETTER])
        lines.append((rank, [f"{cell['task']} x {cell['model']}", cell["status"], texts, *shares, *verdicts, "; ".join(cell["reasons"])]))
    lines.sort(key=lambda line: line[0])
    table = [line for _, line in lines[:most]]
    if most is not None and len(lines) > most:
        table.append([f"{len(lines) - most} more", *[""] * 7])
    columns = ["Cell", "Outcome", "Texts compared", "Selected in A", "in B", "Gaps worse / better", "Performance worse / better", "Why"]
    return Table("Cells", columns, table, (0, 1, 7))


def figures(caption: str, rows: pd.DataFrame, most: int) -> Table:
    """A row a figure, as they are ordered, and how many more there are."""
    table = [_line(row) for row in rows.head(most).to_dict("records")]
    if len(rows) > most:
        table.append([f"{len(rows) - most:,} more in rows.parquet", *[""] * 7])
    return Table(f"{caption}: {count(len(rows), 'figure')}", COLUMNS, table, WORDS)


def reasons(rows: pd.DataFrame, most: int | None = None) -> Table:
    """Why figures cannot be compared, with how many and in which cells."""
    lost = rows[rows["verdict"] == NOT_COMPARABLE].fillna({"reason": "no reason was recorded"})
    table = [
        [str(reason), f"{len(part):,}", ", ".join(dict.fromkeys(_cell(own) for _, own in part.groupby(["task", "model"], sort=False)))]
        for reason, part in lost.groupby("reason", sort=False)
    ]
    more = [[f"{len(table) - most} more reasons", "", ""]] if most is not None and len(table) > most else []
    return Table("Not comparable", ["Reason", "Figures", "Cells"], table[:most] + more, (0, 2))


def _line(row: Mapping[str, Any]) -> list[str]:
    places = max(3, decimals_of(row["metric"]))
    values = ["undefined" if pd.isna(row[side]) else number(row[side], places) for side in ("value_a", "value_b")]
    change = "" if pd.isna(row["difference"]) else signed(row["difference"])
    if change and not pd.isna(row["ci_low"]) and not pd.isna(row["ci_high"]):
        change += f" [{signed(row['ci_low'])}, {signed(row['ci_high'])}]"
    tested = "" if pd.isna(row["q_value"]) else probability(row["q_value"])
    verdict = row["verdict"] if pd.isna(row["reason"]) else f"{row['verdict']} ({row['reason']})"
    return [f"{row['task']} x {row['model']}", set_name(row["attributes"]) or "everyone", named(row), *values, change, tested, verdict]


def named(row: Mapping[str, Any]) -> str:
    """A figure's metric, with the gap over groups or the convention where it needs them."""
    over = "" if row["group"] in ("everyone", "protected/privileged") else f", {row['group']}"
    convention = "" if row["convention"] in ("crossbias", "") else f" ({row['convention']})"
    return f"{metric_name(row['metric'])}{over}{convention}"


def _cell(own: pd.DataFrame) -> str:
    return f"{own['task'].iloc[0]} x {own['model'].iloc[0]}"


def _changed(name: str, changes: Sequence[tuple[str, Any, Any]], most: int = 60) -> Table:
    rows = [[key, *("none" if value is None else option(value) for value in values)] for key, *values in changes[:most]]
    if len(changes) > most:
        rows.append([f"{len(changes) - most} more", "", ""])
    return Table(f"{name.capitalize()} that differ", ["Name", "A", "B"], rows, (0, 1, 2))


def _in_words(name: str, changes: Sequence[tuple[str, Any, Any]]) -> str:
    told = [(key, *("none" if value is None else option(value) for value in values)) for key, *values in changes[:MOST_CHANGES]]
    shown = ", ".join(f"{key} ({one} → {other})" if len(one + other) < 40 else key for key, one, other in told)
    return f"{name.capitalize()} that differ: {shown}{f' and {len(changes) - MOST_CHANGES} more' if len(changes) > MOST_CHANGES else ''}."
