"""How well models do, and for whom: scores, groups and impact ratios of every cell -> parts of the assessment."""

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from stages.reporting import measured
from stages.reporting.assessment import Part
from stages.reporting.assessment_rows import Row, counted, cut, figure, records
from stages.reporting.assessment_text import short
from stages.reporting.figures import FOUR_FIFTHS
from stages.reporting.groups import DISPARITY, FROM_EVERYONE, ITSELF
from stages.reporting.results import EVERYONE, OURS, Key, Results
from stages.reporting.tables import Table
from stages.reporting.wording import measure, number, set_name

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
    return Part([measured.performance(results, level)])


def class_report(results: Results) -> Part | None:
    """Precision, recall and F1 of each label, and their averages."""
    rows = []
    for task, model in results.performed():
        for label, metrics in REPORT.items():
            scores = [results.scores.get(Key(task, model, EVERYONE, "everyone", metric, OURS)) for metric in metrics]
            known = [score for score in scores if score is not None]
            if known:
                rows.append([f"{task}, {model}", label, *(measure(score) for score in scores), f"{known[0].n:,}"])
    columns = ["Task, model", "Label", "Precision", "Recall", "F1", "Support"]
    return Part([Table("Precision, recall and F1 by label, and their averages", columns, rows, (0, 1))]) if rows else None


def classification_bias(groups: pa.Table, level: float) -> Part | None:
    """The seven metrics of every group beside its reference group, groups with the most disparities first."""
    chosen = groups.filter(pc.is_in(groups["metric"], pa.array(list(SEVEN))))
    tests, differences = _by_group(chosen, FROM_EVERYONE), _by_group(chosen, FROM_REFERENCE)
    compared = [key for key, rows in differences.items() if any(row["value"] is not None for row in rows.values())]
    shown = sorted(compared, key=lambda key: (-_apart(tests[key]), key[3].count("+")))
    rows = [[*_named(key), *(_cell(differences[key], tests[key], metric) for metric in SEVEN)] for key in shown]
    table = cut("Seven metrics by group", ["Task, model", "Group", "Attributes", *SEVEN.values()], rows, (0, 1, 2))
    tested = [row for of_group in tests.values() for row in of_group.values()]
    first = _furthest(shown[0], differences[shown[0]], tests[shown[0]]) if shown else ""
    return Part([table], counted(tested, level), first=first) if rows else None


def mean_scores(groups: pa.Table) -> Part | None:
    """The mean score of favourable by label and group (Table 3 of the paper)."""
    own = _by_group(groups.filter(pc.is_in(groups["metric"], pa.array(list(BY_LABEL)))), ITSELF)
    single = sorted(own, key=lambda key: key[3].count("+"))
    rows = [[*_named(key), *(_own(own[key].get(metric)) for metric in BY_LABEL)] for key in single]
    columns = ["Task, model", "Group", "Attributes", *BY_LABEL.values()]
    return Part([cut("Mean score of favourable, by label and group", columns, rows, (0, 1, 2))]) if rows else None


def impact(ratios: pd.DataFrame) -> Part | None:
    """The table of New York City's Local Law 144 (6 RCNY 5-301 to 5-303)."""
    rows = [
        [
            f"{row['task']}, {row['model']}",
            set_name(row["attributes"]),
            short(row["category"]),
            f"{row['n']:,} ({row['people']:,})",
            f"{number(100 * row['share'], 1)} %" + (", small" if row["small"] else ""),
            f"{row['selected']:,}",
            "not told: unknown" if row["unknown"] else figure(row, "rate", "rate_low", "rate_high"),
            _ratio(row),
        ]
        for row in records(ratios)
    ]
    columns = ["Task, model", "Attributes", "Category", "Texts (people)", "Share", "Selected", "Selection rate", "Impact ratio"]
    return Part([cut("Impact ratios by category", columns, rows, (0, 1, 2))]) if rows else None


def _ratio(row: Row) -> str:
    if row["impact_ratio"] is None:
        return f"undefined: {row['reason']}"
    highest = row["ratio_low"] is None
    shown = f"{number(row['impact_ratio'])}, the highest" if highest else figure(row, "impact_ratio", "ratio_low", "ratio_high")
    return shown + ("\nbelow 0.8" if row["impact_ratio"] < FOUR_FIFTHS[0] else "")


def _by_group(groups: pa.Table, comparison: str) -> dict[tuple[str, ...], dict[str, Row]]:
    """By task, model, group and attributes the rows of each metric."""
    found: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in records(groups.filter(pc.equal(groups["comparison"], comparison)).to_pandas()):
        found.setdefault((row["task"], row["model"], row["group"], row["attributes"]), {})[row["metric"]] = row
    return found


def _apart(rows: dict[str, Row]) -> int:
    return sum(row["verdict"] == DISPARITY for row in rows.values())


def _furthest(key: tuple[str, ...], differences: dict[str, Row], tests: dict[str, Row]) -> str:
    """The metric by which a group with a disparity is furthest from its reference group, in words; "" without a disparity."""
    apart = [name for name in SEVEN if name in tests and tests[name]["verdict"] == DISPARITY and differences[name]["value"] is not None]
    if not apart:
        return ""
    name = max(apart, key=lambda metric: abs(differences[metric]["value"]))
    return f"{', '.join(_named(key))}: {SEVEN[name]} {figure(differences[name])}"


def _named(key: tuple[str, ...]) -> list[str]:
    task, model, group, attributes = key
    return [f"{task}, {model}", short(group), set_name(attributes)]


def _cell(differences: dict[str, Row], tests: dict[str, Row], metric: str) -> str:
    if metric not in differences:
        return "not computed"
    apart = metric in tests and tests[metric]["verdict"] == DISPARITY
    return figure(differences[metric]) + ("\nunlike everyone" if apart else "")


def _own(row: Row | None) -> str:
    return "not computed" if row is None else f"{figure(row)}, n {row['n']:,}"
