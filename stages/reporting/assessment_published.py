"""The figures that Singh et al. (2021) printed beside ours, for tasks on the same data: numbers of a yaml file and tables -> tables."""

from collections.abc import Collection

from stages.contract import yaml_file
from stages.reporting.assessment import FOLDER, Part
from stages.reporting.assessment_cells import BY_LABEL, REPORT, support
from stages.reporting.assessment_measured import Measured
from stages.reporting.assessment_rows import Row, figure, records, share
from stages.reporting.groups import ITSELF
from stages.reporting.results import EVERYONE, OURS, Key, Results
from stages.reporting.tables import Table
from stages.reporting.wording import measure, number

CONVENTION = "assessment2021"
WHOSE = "% of hateful and of other texts; published of the training set (nine tenths of the texts), ours of all texts"
MADE_UP = ("mean_favourable", "mean_unfavourable")
LABELS = {"unfavourable": "Hateful", "favourable": "Not hateful", "macro": "Macro average", "weighted": "Weighted average"}


def published(measured: Measured, tasks: Collection[str]) -> Part | None:
    """The paper's tables beside ours, of ``tasks`` on its data: hateful is the unfavourable label there. None without tasks.

    What is said are the tables that nothing of ours stands beside.
    """
    if not tasks:
        return None
    theirs = yaml_file.read(FOLDER / "assessment2021.yaml")
    held = (measured.groups, measured.descriptions, measured.effects, measured.identities)
    own = [[row for row in records(table.to_pandas()) if row["task"] in tasks] for table in held]
    found = [
        _performance(theirs["performance"], tasks, measured.results),
        _described(f"Table 2: texts that refer to a group, {WHOSE}", theirs["references"], "group", own[1], 2),
        _mean_scores(theirs["mean_scores"], own[0]),
        _described(f"Table 4: texts that hold a word, {WHOSE}", theirs["terms"], "term", own[1], 4),
        _swaps(theirs["swaps"], own[2]),
        _counterfactual(theirs["counterfactual_bias"], own[3]),
        _made_up(theirs["made_up"], own[3]),
    ]
    missing = [f"{table.caption}: not asked for." for table in found if not table.rows]
    return Part([table for table in found if table.rows], said=missing)


def _performance(theirs: dict[str, list[float]], tasks: Collection[str], results: Results) -> Table:
    rows = [["published", LABELS[name], *(f"{value:.2f}" for value in values[:3]), f"{values[3]:,}"] for name, values in theirs.items()]
    for task, model in results.performed():
        for name in LABELS if task in tasks else ():
            scores = [results.scores.get(Key(task, model, EVERYONE, "everyone", metric, OURS)) for metric in REPORT[name]]
            if any(scores):
                rows.append([f"{task}, {model}", LABELS[name], *(measure(score) for score in scores), support(scores)])
    columns = ["Model", "Label", "Precision", "Recall", "F1", "Support"]
    return Table(
        "Table 1: technical performance on the texts that models decided on", columns, rows if len(rows) > len(theirs) else [], (0, 1)
    )


def _described(caption: str, theirs: dict[str, list[float]], kind: str, descriptions: list[Row], decimals: int) -> Table:
    """Ours under the paper's own rules; ``decimals`` are the paper's."""
    name = "term" if kind == "term" else "category"
    ours = {row[name]: row for row in descriptions if row["convention"] == CONVENTION and row["kind"] == kind}
    rows = []
    for word, (hateful, other) in theirs.items():
        row = ours.get(word)
        counts = ["not looked for"] * 2
        if row is not None:
            n_other = row["n_favourable"]
            hits = (row["texts"] - row["favourable"], row["n"] - n_other), (row["favourable"], n_other)
            counts = [f"{100 * part / whole:.{decimals}f} ({part:,} of {whole:,})" for part, whole in hits]
        rows.append([word, *(f"{value:.{decimals}f}" for value in (hateful, other)), *counts])
    columns = ["Who or what", "Published, hateful", "Published, other", "Ours, hateful", "Ours, other"]
    return Table(caption, columns, rows if ours else [])


def _mean_scores(theirs: dict[str, list[float]], groups: list[Row]) -> Table:
    rows = [["published", name, f"{not_hateful:.1f}", f"{hateful:.1f}"] for name, (not_hateful, hateful) in theirs.items()]
    ours: dict[tuple[str, str], dict[str, str]] = {}
    for row in groups:
        if row["comparison"] == ITSELF and row["metric"] in BY_LABEL and row["attributes"] == "mentioned_gender" and row["group"] in theirs:
            ours.setdefault((row["model"], row["group"]), {})[row["metric"]] = f"{_hateful(row)}, n {row['n']:,}"
    rows += [[model, group, *(found.get(metric, "not computed") for metric in BY_LABEL)] for (model, group), found in ours.items()]
    columns = ["Model", "Texts that mention", "Labelled not hateful", "Labelled hateful"]
    caption = "Table 3: mean probability of hateful, %, of the texts that models decided on"
    return Table(caption, columns, rows if ours else [], (0, 1))


def _swaps(theirs: dict[str, float], effects: list[Row]) -> Table:
    rows = [["published", "", *(f"{theirs[name]:.1f} %" for name in ("women", "men", "unchanged"))]]
    for row in effects:
        if (row["convention"], row["label"], row["direction"]) == (CONVENTION, "all", "either") and {row["first"], row["second"]} == {
            "women",
            "men",
        }:
            counts = row["favours_first"], row["favours_second"]
            women, men = counts if row["first"] == "women" else counts[::-1]
            rows.append([row["model"], f"{row['texts']:,}", *(share(part, row["texts"]) for part in (women, men, row["unchanged"]))])
    columns = ["Model", "Texts", "Favours women", "Favours men", "Unchanged at 4 decimals"]
    caption = "Section 6.3: texts in which swapping women and men favours either, by how sure the model is of the text's own label"
    return Table(caption, columns, rows if len(rows) > 1 else [])


def _counterfactual(theirs: dict[str, float], identities: list[Row]) -> Table:
    rows = [["published", "", name, f"{value:.4f}", "-"] for name, value in theirs.items()]
    of = {(row["model"], row["challenge"], row["group"], row["metric"]): row for row in identities if row["order"] == 1}
    for (model, challenge, group, metric), row in of.items():
        if group in theirs and metric == "cb_sum":
            mean = of.get((model, challenge, group, "cb_mean"))
            value = "undefined" if row["value"] is None else number(row["value"], 4)
            rows.append([model, challenge, group, value, "not computed" if mean is None else figure(mean, decimals=4)])
    columns = ["Model", "Challenge", "Reference group", "CB, sum", "CB, mean"]
    caption = "Section 6.4: counterfactual bias; which sentences were used, and whether the printed value is a sum, is not known"
    return Table(caption, columns, rows if len(rows) > len(theirs) else [], (0, 1, 2))


def _made_up(theirs: dict[str, list[float]], identities: list[Row]) -> Table:
    rows = [["published", "", name, f"{not_hateful:.1f}", f"{hateful:.1f}"] for name, (not_hateful, hateful) in theirs.items()]
    ours: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in identities:
        if row["order"] == 1 and row["group"] in theirs and row["metric"] in MADE_UP:
            ours.setdefault((row["model"], row["challenge"], row["group"]), {})[row["metric"]] = _hateful(row)
    rows += [[*about, *(found.get(metric, "not computed") for metric in MADE_UP)] for about, found in ours.items()]
    columns = ["Model", "Challenge", "Sentences that mention", "Labelled not hateful", "Labelled hateful"]
    caption = "Tables 8 and 9: mean probability of hateful, %, of made-up sentences; the paper's own sentences are not published"
    return Table(caption, columns, rows if ours else [], (0, 1, 2))


def _hateful(row: Row) -> str:
    """A mean score of favourable as one of hateful, in per cent."""
    turned = {"value": None, "ci_low": None, "ci_high": None, "reason": row["reason"]}
    if row["value"] is not None:
        turned |= {"value": 100 * (1 - row["value"])}
    if row["ci_low"] is not None:
        turned |= {"ci_low": 100 * (1 - row["ci_high"]), "ci_high": 100 * (1 - row["ci_low"])}
    return figure(turned, decimals=1)
