"""The section on groups as they are: of every cell its groups that stand out, its figure and its tables -> what the template asks for."""

from typing import Any

from stages.reporting import forest, overall, standing
from stages.reporting.groups import DRAWN, AsTheyAre
from stages.reporting.results import Results
from stages.reporting.wording import count


def parts(results: Results, groups: dict[tuple[str, str], AsTheyAre], level: str) -> dict[str, Any]:
    """For each task its gaps over all groups, and for each of its models what is told of groups one by one."""
    return {
        task: {
            "worst": overall.worst(results, groups, task),
            "cells": [_cell(results, groups[task, model], task, model, level) for model in results.models],
        }
        for task in results.orders
    }


def _cell(results: Results, groups: AsTheyAre, task: str, model: str, level: str) -> dict[str, Any]:
    return {
        "name": f"{task}, {model}",
        "said": standing.sentence(groups),
        "standing": standing.table(groups, task, model, level) if groups.standing else None,
        "every": [] if results.many else overall.every(results, groups, task, model),
        "everything": standing.everything(results, groups, task, model),
        "figure": _figure(results, groups, task, model) if groups.shown else None,
    }


def _figure(results: Results, groups: AsTheyAre, task: str, model: str) -> dict[str, Any]:
    import markupsafe

    everyone = {metric: results.everyone(task, model, metric).value for metric in DRAWN}
    drawn, possible = len(forest.largest(groups)), len(groups.shown) + groups.left_out
    which = f"the {drawn} largest of {possible:,} groups" if possible > drawn else f"all {count(possible, 'group')}"
    return {
        "svg": markupsafe.Markup(forest.draw(groups, everyone)),  # noqa: S704 - drawn by vl-convert, which escapes the names in it
        "label": f"Selection rate and TPR of {which} of single demographics and of pairs, {task}, {model}: measured with interval, pooled "
        "estimate, and everyone's rate as a line; the table below has every number.",
        "which": which,
        "inline": not results.many,
        "file": f"groups.{task}.{model}",
    }
