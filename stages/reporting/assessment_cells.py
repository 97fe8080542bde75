"""How well models do, and for whom: scores, groups and impact ratios of every cell -> parts of the assessment."""

from dataclasses import replace

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from stages.reporting import measured
from stages.reporting.assessment import Part
from stages.reporting.assessment_rows import NOT_FOUND, Row, counted, cut, figure, group_name, records, surest, telling, told, unmentioned
from stages.reporting.assessment_text import short
from stages.reporting.figures import FOUR_FIFTHS
from stages.reporting.groups import DISPARITY, FROM_EVERYONE, ITSELF
from stages.reporting.results import EVERYONE, OURS, Key, Results, Score
from stages.reporting.tables import Table
from stages.reporting.wording import listed, measure, number, set_name

FROM_REFERENCE = "difference to reference"
# The seven metrics of Singh et al. 2021, Appendix F, by their names in groups.parquet.
SEVEN = {
    "tpr": "Equal opportunity (TPR)",
    "gini": "Gini equality",
    "treatment_equality": "Normalised treatment equality",
    "accuracy": "Overall accuracy equality",
    "ppv": "Positive predictive value",
    "mean_score_selected": "Positive class balance",
    "selection_rate": "Statistical parity",
}
# Precision, recall and F1 of each label, and their averages, by their names in scores.parquet.
REPORT = {
    name: tuple(f"{metric}_{name}" for metric in ("precision", "recall", "f1"))
    for name in ("favourable", "unfavourable", "macro", "weighted")
}
BY_LABEL = {"mean_score_favourable": "Favourable label", "mean_score_unfavourable": "Unfavourable label"}


def performance(results: Results, level: str) -> Part:
    """How well every cell predicts."""
    table = measured.performance(results, level)
    return Part([replace(table, caption=f"Performance on the texts that models decided on, with {level} intervals")])


def class_report(results: Results) -> Part | None:
    """Precision, recall and F1 of each label, and their averages."""
    rows = []
    for task, model in results.performed():
        for label, metrics in REPORT.items():
            scores = [results.scores.get(Key(task, model, EVERYONE, "everyone", metric, OURS)) for metric in metrics]
            if any(scores):
                rows.append([f"{task}, {model}", label, *(measure(score) for score in scores), support(scores)])
    columns = ["Task, model", "Label", "Precision", "Recall", "F1", "Support"]
    return Part([Table("Precision, recall and F1 by label, and their averages", columns, rows, (0, 1))]) if rows else None


def support(scores: list[Score | None]) -> str:
    """Texts that have the label (of an average: all texts), which is what recall counts; ``scores``: precision, recall, F1."""
    return "not computed" if scores[1] is None else f"{scores[1].n:,}"


def classification_bias(groups: pa.Table, level: float) -> Part | None:
    """The seven metrics of every group: beside everyone, which is what the tests compare it with, and beside its reference group."""
    chosen = groups.filter(pc.is_in(groups["metric"], pa.array(list(SEVEN))))
    every = [row for of_group in _by_group(chosen, FROM_EVERYONE).values() for row in of_group.values()]
    tested = telling([row for row in every if not unmentioned(row)], level, "n")
    tables = [table for table in (_unlike(tested, level), _beside(_by_group(chosen, FROM_REFERENCE))) if table.rows]
    nobody = len(every) - len(tested)
    said = [f"{nobody:,} tests of groups with {NOT_FOUND} are not counted in the summary: they are no groups of people."] if nobody else []
    return Part(tables, counted(tested, level), said, surest(tested, level, _first)) if tables else None


def _unlike(tested: list[Row], level: float) -> Table:
    rows = [
        [*_named(row), SEVEN[row["metric"]], f"{row['n']:,} ({row['people']:,})", figure(row), told(row, level)]
        for row in tested
        if row["verdict"] == DISPARITY
    ]
    columns = ["Task, model", "Group", "Attributes", "Metric", "Texts (people)", "Group - everyone", "Verdict"]
    return cut("Groups unlike everyone, by the strength of evidence", columns, rows, (0, 1, 2, 3, 6))


def _beside(differences: dict[tuple[str, ...], dict[str, Row]]) -> Table:
    compared = [own for own in differences.values() if any(row["value"] is not None for row in own.values())]
    rows = [[*_named(next(iter(own.values()))), *(_cell(own, metric) for metric in SEVEN)] for own in sorted(compared, key=_place)]
    columns = ["Task, model", "Group", "Attributes", *SEVEN.values()]
    return cut("Group - reference group, the largest groups first", columns, rows, (0, 1, 2))


def _first(row: Row) -> str:
    task_model, group, attributes = _named(row)
    return f"{task_model}, {group} ({attributes}): {SEVEN[row['metric']]}, group - everyone {figure(row)}"


def mean_scores(groups: pa.Table) -> Part | None:
    """The mean score of favourable by label and group (Table 3 of the paper)."""
    own = _by_group(groups.filter(pc.is_in(groups["metric"], pa.array(list(BY_LABEL)))), ITSELF).values()
    rows = [[*_named(next(iter(of.values()))), *(_own(of.get(metric)) for metric in BY_LABEL)] for of in sorted(own, key=_place)]
    columns = ["Task, model", "Group", "Attributes", *BY_LABEL.values()]
    return Part([cut("Mean score of favourable, by label and group, the largest groups first", columns, rows, (0, 1, 2))]) if rows else None


def impact(ratios: pd.DataFrame) -> Part | None:
    """The table of New York City's Local Law 144 (6 RCNY 5-301 to 5-303)."""
    found = sorted(records(ratios), key=lambda row: row["attributes"].count("+"))
    tops = {(row["task"], row["model"], row["attributes"]): row for row in found if row["impact_ratio"] == 1}
    rows = [
        [
            f"{row['task']}, {row['model']}",
            set_name(row["attributes"]),
            short(group_name(row["category"], row["attributes"])),
            f"{row['n']:,} ({row['people']:,})",
            f"{number(100 * row['share'], 1)} %" + (", small" if row["small"] else ""),
            f"{row['selected']:,}",
            "not told: unknown" if row["unknown"] else figure(row, "rate", "rate_low", "rate_high"),
            _ratio(row, tops.get((row["task"], row["model"], row["attributes"]))),
        ]
        for row in found
    ]
    columns = ["Task, model", "Attributes", "Category", "Texts (people)", "Share", "Selected", "Selection rate", "Impact ratio"]
    few = list(dict.fromkeys(set_name(row["attributes"]) for row in found if _highest(row) and row["small"]))
    said = [f"By {listed(few)} the highest rate of some model is that of a small category, and ratios to it say little."] if few else []
    return Part([cut("Impact ratios by category", columns, rows, (0, 1, 2))], said=said) if rows else None


def _highest(row: Row) -> bool:
    return row["impact_ratio"] is not None and row["ratio_low"] is None


def _ratio(row: Row, top: Row | None) -> str:
    if row["impact_ratio"] is None or top is None:
        return f"undefined: {row['reason']}"
    shown = f"{number(row['impact_ratio'])}, the highest" if _highest(row) else figure(row, "impact_ratio", "ratio_low", "ratio_high")
    if 5 * row["selected"] * top["n"] >= 4 * top["selected"] * row["n"]:  # of counts: 12/20 over 15/20 is no float below four fifths
        return shown
    return shown + (
        "\nbelow 0.8" if row["ratio_high"] is not None and row["ratio_high"] < FOUR_FIFTHS[0] else "\nbelow 0.8, perhaps by chance"
    )


def _by_group(groups: pa.Table, comparison: str) -> dict[tuple[str, ...], dict[str, Row]]:
    """By task, model, group and attributes the rows of each metric."""
    found: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in records(groups.filter(pc.equal(groups["comparison"], comparison)).to_pandas()):
        found.setdefault((row["task"], row["model"], row["group"], row["attributes"]), {})[row["metric"]] = row
    return found


def _place(own: dict[str, Row]) -> tuple[bool, int, int]:
    """Groups of one attribute first, then those with the most texts: not by a value, which is most extreme where few are counted."""
    rows = list(own.values())
    return unmentioned(rows[0]), rows[0]["attributes"].count("+"), -max(row["n"] or 0 for row in rows)


def _named(row: Row) -> list[str]:
    return [f"{row['task']}, {row['model']}", short(group_name(row["group"], row["attributes"])), set_name(row["attributes"])]


def _cell(differences: dict[str, Row], metric: str) -> str:
    return figure(differences[metric]) if metric in differences else "not computed"


def _own(row: Row | None) -> str:
    return "not computed" if row is None else f"{figure(row)}, n {row['n']:,}"
