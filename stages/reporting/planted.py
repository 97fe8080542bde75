"""Whether the benchmark finds what a simulation planted: planted and measured gaps side by side."""

from stages.reporting import findings
from stages.reporting.results import Results, Score
from stages.reporting.tables import Table
from stages.reporting.wording import METRICS, measure, number, set_name


def simulated(results: Results) -> list[str]:
    """The tasks whose population is known, because it was simulated."""
    known = {key.task for key, score in results.scores.items() if score.planted is not None}
    return [task for task in results.orders if task in known]


def described(results: Results, task: str) -> list[str]:
    """The planted gap furthest from parity of each kind, in words."""
    sentences = {
        "di_star": "{set}: DI* {value}, so favourable labels are {value} times as likely in the protected as in the privileged group",
        "adi": "{set}: an ideal reader's ADI is {value}",
        "fv": "{set}: an ideal reader's FV is {value}",
    }
    found = []
    for metric, sentence in sentences.items():
        values = {s: gap.planted for s in results.orders[task] if (gap := _first(results, task, s, metric)) and gap.planted is not None}
        if values:
            furthest = max(values, key=lambda name: findings.distance(metric, values[name]))
            found.append(sentence.format(set=set_name(furthest), value=number(values[furthest])))
    return found


def held(results: Results, tasks: list[str]) -> Table:
    """How many intervals hold the planted value: DI* once a task, ADI and FV for each model."""
    rows = []
    for task in tasks:
        labels = _held([_first(results, task, attributes, "di_star") for attributes in results.orders[task]])
        for model in results.models:
            counts = [_held([results.gap(task, model, s, metric) for s in results.orders[task]]) for metric in ("adi", "fv")]
            rows.append([task, model, labels, *counts])
    columns = ["Task", "Model", "DI* (labels alone)", "ADI", "FV"]
    return Table("Attribute sets whose interval holds the planted value, of those with an interval", columns, rows, (0, 1))


def labels(results: Results, task: str) -> Table:
    """DI* of each set: planted beside measured."""
    rows = [_row(attributes, [_first(results, task, attributes, "di_star")]) for attributes in results.orders[task]]
    return Table(f"{task}: DI*, planted and measured", ["Attribute set", "Planted", "Measured"], rows)


def gaps(results: Results, task: str, metric: str) -> Table:
    """A gap of each set: what an ideal reader would have beside what each model has."""
    rows = [_row(s, [results.gap(task, model, s, metric) for model in results.models]) for s in results.orders[task]]
    caption = f"{task}: {METRICS[metric]} of an ideal reader (planted) and of each model"
    return Table(caption, ["Attribute set", "Planted", *results.models], rows)


def _row(attributes: str, scores: list[Score | None]) -> list[str]:
    planted = scores[0].planted if scores[0] else None
    return [set_name(attributes), "none" if planted is None else number(planted), *(f"{measure(score)}{_place(score)}" for score in scores)]


def _place(score: Score | None) -> str:
    if score is None or not score.bounded or score.planted is None:
        return ""
    return " inside" if score.holds(score.planted) else " outside"


def _held(scores: list[Score | None]) -> str:
    inside = [score.holds(score.planted) for score in scores if score is not None and score.bounded and score.planted is not None]
    return f"{sum(inside)} of {len(inside)}"


def _first(results: Results, task: str, attributes: str, metric: str) -> Score | None:
    """What depends on the labels alone is the same for every model, so the first one's."""
    return results.gap(task, results.models[0], attributes, metric)
