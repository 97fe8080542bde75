"""The report as one HTML page that needs nothing else: results and the design -> text."""

from typing import Any

from stages.contract.params import Design, Section
from stages.reporting import figures, filled, findings, groups_section, lattice, measured, overview, paper, planted, tables, undefined
from stages.reporting.figures import FOUR_FIFTHS, Point
from stages.reporting.groups import AsTheyAre
from stages.reporting.results import PUBLISHED, Results
from stages.reporting.wording import METRICS, count, number, percent

GAPS = ("adi", "fv")


def render(*shown: Any, **optional: Any) -> str:
    """The page of what ``parts`` gives."""
    return filled.fill("page.html.jinja", parts(*shown, **optional))


def parts(
    results: Results,
    groups: dict[tuple[str, str], AsTheyAre],
    design: Design,
    sections: dict[str, Section],
    title: str,
    worst: int,
    *,
    notes: list[str] | None = None,
    reaudit: dict[str, Any] | None = None,
    relate: dict[str, Any] | None = None,
    challenges: dict[str, Any] | None = None,
    embeddings: dict[str, Any] | None = None,
    explorer: dict[str, Any] | None = None,
    versions: dict[str, Any] | None = None,
    gate: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """All that the page shows. ``sections`` are the stages' settings with their defaults; ``worst`` disparities a cell are shown.

    ``notes`` say how a file of predictions was read: the page of an audit, which has them where a benchmark has its design.
    ``reaudit``, ``relate``, ``challenges``, ``embeddings``, ``explorer`` and ``versions`` are what the parts of reaudited, related,
    challenged and so on give, None for a page without that section; ``gate``: what reporting/gate.py gives.
    """
    evaluate: Any = sections["evaluate"]
    level = percent(evaluate.confidence)
    settings: dict[str, Any] = {"title": title, "notes": notes, "reaudit": reaudit, "relate": relate, "level": level}
    settings |= {
        "challenges": challenges,
        "embeddings": embeddings,
        "explorer": explorer,
        "versions": versions,
        "gate": gate,
        "models": results.models,
        "many": results.many,
    }
    settings |= {"overview": overview.parts(results, groups, relate, challenges, reaudit), "lattice": lattice.parts(results)}
    settings |= {"replicates": f"{evaluate.replicates:,}", "found": _found(results, evaluate.level), "share": percent(evaluate.level)}
    settings |= {
        "fewest": evaluate.fewest,
        "alpha": f"{evaluate.level:g}",
        "thresholds": _thresholds(evaluate.least_ratio, evaluate.most_difference),
    }
    return settings | _design(results, design, sections) | _measured(results, groups, design, evaluate, worst, level)


def _design(results: Results, design: Design, sections: dict[str, Any]) -> dict[str, Any]:
    return {
        "counts": [count(len(design.tasks), "task"), count(len(results.models), "model"), count(len(list(results.performed())), "cell")],
        "totals": {task: _totals(results, task) for task in results.orders},
        "ungrouped": {task: count(results.everyone(task, results.models[0], "accuracy").n or 0, "text") for task in results.ungrouped},
        "design": [tables.tasks(design), tables.models(design), tables.settings(sections)],
        "settings": tables.settings(sections),
        "rules": tables.rules(sections["subgroup"]),
        "sizes": [tables.sizes(results, task) for task in results.orders],
    }


def _measured(
    results: Results, groups: dict[tuple[str, str], AsTheyAre], design: Design, evaluate: Any, worst: int, level: str
) -> dict[str, Any]:
    points = {metric: {task: _points(results, task, metric) for task in results.orders} for metric in GAPS}
    published = list(results.cells()) if PUBLISHED in evaluate.conventions else []
    return {
        "summary": [measured.selection(results, groups, design), measured.misses(results)],
        "paper": paper.parts(results, design, level),
        "performance": measured.performance(results, level),
        "figures": {task: [_figure(results, task, metric, points[metric], level) for metric in GAPS] for task in results.orders},
        "impacts": {task: measured.impacts(results, task, level) for task in results.orders if "di" in evaluate.gaps},
        "groups": groups_section.parts(results, groups, level),
        "worst": measured.worst(results, worst, level),
        "planted": _planted(results),
        "conventions": [measured.conventions(results, task, model) for task, model in published],
        "undefined": undefined.table(results),
    }


def _totals(results: Results, task: str) -> dict[str, str]:
    orders, total = results.orders[task], results.total(task)
    return {
        "texts": count(total.texts, "text"),
        "people": count(total.people, "person", "people"),
        "sets": count(len(orders), "attribute set"),
        "orders": f"1 to {max(orders.values())} demographics" if max(orders.values()) > 1 else "1 demographic",
    }


def _found(results: Results, level: float) -> dict[str, str]:
    """How many ADI were tested, how many have the verdict disparity, and how many a small p before correction, found and by chance."""
    gaps = [gap for cell in results.cells() for gap in findings.defined(results, *cell, "adi").values()]
    p_values = [gap.p_value for gap in gaps if gap.p_value is not None]
    numbers = {"tested": len(p_values), "apart": sum(gap.verdict == "disparity" for gap in gaps)}
    numbers |= {"small": sum(p <= level for p in p_values), "expected": round(level * len(p_values))}
    return {name: f"{value:,}" for name, value in numbers.items()} | {"level": f"{level:g}"}


def _thresholds(least_ratio: float | None, most_difference: float | None) -> str:
    """What is flagged, in words; empty where nothing is."""
    ratio = f"a ratio below {least_ratio:g} or above {1 / least_ratio:.4g}" if least_ratio is not None else ""
    ratio += " (the four-fifths convention)" if least_ratio == FOUR_FIFTHS[0] else ""
    difference = f"a difference of more than {most_difference:g}" if most_difference is not None else ""
    return " or ".join(part for part in (ratio, difference) if part)


def _points(results: Results, task: str, metric: str) -> list[Point]:
    return [
        Point(attributes, order, model, gap.value, gap.ci_low, gap.ci_high, gap.null_low, gap.null_high)
        for model in results.models
        for attributes, order in results.orders[task].items()
        if (gap := results.gap(task, model, attributes, metric)) is not None and gap.value is not None
    ]


def _figure(results: Results, task: str, metric: str, points: dict[str, list[Point]], level: str) -> dict[str, Any]:
    """A task's figure, on the same axis as the other tasks' figures of this metric; without any point, no drawing."""
    import markupsafe

    axis = figures.axis_of(metric, [point for some in points.values() for point in some])
    shown = points[task]
    drawing = figures.gaps(metric, shown, results.orders[task], results.models, axis) if shown else ""
    spread = f" from {number(min(p.value for p in shown))} to {number(max(p.value for p in shown))}" if shown else ""
    name = METRICS[metric]
    label = f"{name} of each attribute set by number of demographics, {task}{spread}, one mark a model; the table below has every number."
    return {
        "metric": name,
        "label": label,
        "svg": markupsafe.Markup(drawing),  # noqa: S704 - drawn by vl-convert, which escapes the names in it
        "axis": [f"{end:.2g}" for end in axis],
        "table": measured.gaps(results, task, metric, level),
    }


def _planted(results: Results) -> dict[str, Any]:
    simulated = planted.simulated(results)
    return {
        "tasks": simulated,
        "described": {task: planted.described(results, task) for task in simulated},
        "held": planted.held(results, simulated),
        "tables": {task: [planted.labels(results, task), *(planted.gaps(results, task, metric) for metric in GAPS)] for task in simulated},
    }
