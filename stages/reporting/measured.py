"""The page's tables of what was measured: scores -> rows of words, most telling first."""

from stages.contract.params import Design
from stages.reporting import findings, standing
from stages.reporting.groups import AsTheyAre
from stages.reporting.results import OURS, PUBLISHED, Results, Score
from stages.reporting.tables import Table, texts_people
from stages.reporting.wording import METRICS, direction, measure, set_name, verdict, verdict_of_adi

PERFORMANCE = ("accuracy", "f1", "auc", "mse", "pearson_r")
HEADLINES = {"classification": "accuracy", "regression": "pearson_r"}


def selection(results: Results, groups: dict[tuple[str, str], AsTheyAre], design: Design) -> Table:
    """One line a cell: how well it predicts, the most notable set by ADI, and how many groups as they are stand out."""
    rows = []
    for task, model in results.cells():
        headline = HEADLINES[design.tasks[task].kind]
        performance = f"{METRICS[headline]} {measure(results.everyone(task, model, headline))}"
        apart = f"{findings.disparities(results, task, model, 'adi')} of {len(results.orders[task])}"
        found = ["none defined", "-", "-", "-"]
        for attributes, adi in list(findings.notable(results, task, model, "adi").items())[:1]:
            found = [set_name(attributes), measure(adi), _counted(adi), verdict_of_adi(adi)]
        rows.append([task, model, performance, *found, apart, standing.counted(groups[task, model])])
    columns = ["Task", "Model", "Performance", "Most notable set", "ADI", "Texts, protected / privileged"]
    columns += ["Verdict", "Sets with a disparity", "Groups that stand out"]
    return Table("Selection: is each group selected as often as its labels warrant?", columns, rows, (0, 1, 2, 3, 6))


def misses(results: Results) -> Table:
    """One line a cell: the most notable set by FV, its verdict and the two rates behind it."""
    rows = []
    for task, model in results.cells():
        found = ["none defined", "-", "-", "-", "-"]
        for attributes, fv in list(findings.notable(results, task, model, "fv").items())[:1]:
            found = [set_name(attributes), measure(fv), _counted(fv), verdict(fv), findings.recall(results, task, model, attributes)]
        rows.append([task, model, *found, f"{findings.disparities(results, task, model, 'fv')} of {len(results.orders[task])}"])
    columns = [
        "Task",
        "Model",
        "Most notable set",
        "FV",
        "Favourable texts, protected / privileged",
        "Verdict",
        "In words",
        "Sets with a disparity",
    ]
    return Table("Misses: is each group found as reliably as everyone when its label is favourable?", columns, rows, (0, 1, 2, 5, 6))


def _counted(gap: Score) -> str:
    return f"{gap.n_protected:,} / {gap.n_privileged:,}"


def performance(results: Results, level: str) -> Table:
    rows = []
    for task, model in results.performed():
        scores = [results.everyone(task, model, metric) for metric in PERFORMANCE]
        rows.append([task, model, f"{scores[0].n:,}", *(measure(score, 3) for score in scores)])
    columns = ["Task", "Model", "Texts", "Accuracy", "F1", "AUC", "MSE", "Pearson r"]
    return Table(f"Predictive performance on all texts, with {level} intervals", columns, rows, (0, 1))


def gaps(results: Results, task: str, metric: str, level: str) -> Table:
    """ADI or FV of every set for every model of a task."""
    rows = []
    for attributes, order in results.orders[task].items():
        scores = [results.gap(task, model, attributes, metric) for model in results.models]
        first = scores[0]
        counted = [f"{first.n_protected:,}", f"{first.n_privileged:,}"] if first else ["", ""]
        rows.append([set_name(attributes), str(order), *counted, *map(measure, scores)])
    what = "texts" if metric == "adi" else "texts with a favourable label"
    caption = f"{task}: {METRICS[metric]} with {level} intervals; n counts {what}"
    return Table(caption, ["Attribute set", "Order", "n protected", "n privileged", *results.models], rows)


def impacts(results: Results, task: str, level: str) -> Table:
    """DI of every set for every model beside DI*, the same ratio of the labels."""
    rows = []
    for attributes, order in results.orders[task].items():
        labels = results.gap(task, results.models[0], attributes, "di_star")
        scores = [results.gap(task, model, attributes, "di") for model in results.models]
        rows.append([set_name(attributes), str(order), *map(measure, [labels, *scores])])
    columns = ["Attribute set", "Order", "DI* (labels)", *results.models]
    return Table(f"{task}: DI* and each model's DI with {level} intervals; ADI is DI / DI*", columns, rows)


def worst(results: Results, how_many: int, level: str) -> Table:
    """Each cell's sets furthest from parity among those with the verdict disparity, with the rates behind them."""
    rows = []
    for task, model in results.cells():
        for attributes, adi in list(findings.apart(results, task, model, "adi").items())[:how_many]:
            groups = [_group(results, task, model, attributes, group) for group in ("protected", "privileged")]
            rows.append([task, model, set_name(attributes), measure(adi), verdict(adi), *groups[0], *groups[1], direction(adi.known)])
    sides = [f"{side}: {what}" for side in ("Protected", "Privileged") for what in ("base rate → selected", "texts (people)")]
    columns = ["Task", "Model", "Attribute set", f"ADI, {level} interval", "Verdict", *sides, "Protected group selected"]
    return Table("Sets with a disparity by ADI, furthest from parity first", columns, rows, (0, 1, 2, 4, 9))


def _group(results: Results, task: str, model: str, attributes: str, group: str) -> list[str]:
    base, selected = (results.rate(task, model, attributes, group, metric).known for metric in ("base_rate", "selection_rate"))
    return [f"{100 * base:.1f} → {100 * selected:.1f} %", texts_people(results.sizes[task, attributes, group])]


def conventions(results: Results, task: str, model: str) -> Table:
    rows = [
        [set_name(s), *(measure(results.gap(task, model, s, metric, name)) for metric in ("adi", "fv") for name in (OURS, PUBLISHED))]
        for s in results.orders[task]
    ]
    return Table(f"{task}, {model}", ["Attribute set", "ADI", f"ADI {PUBLISHED}", "FV", f"FV {PUBLISHED}"], rows)
