"""The JSON of a page's explorer read back as rows of numbers, by its own rules and not by the code that wrote it."""

import json
import re
from typing import Any


def data_of(page: str) -> dict[str, Any]:
    """What lies in the page for the explorer."""
    found = re.findall(r'<script type="application/json" id="explorer_data">(.*?)</script>', page, re.DOTALL)
    assert len(found) == 1
    return json.loads(found[0])


def numbers(data: dict[str, Any], place: int, step: float = 1.0) -> list[float | None]:
    return [None if value is None else value * step for value in data["columns"][place]]


def words(data: dict[str, Any], place: int) -> list[str]:
    return [data["texts"][value] for value in data["columns"][place]]


def groups(data: dict[str, Any]) -> dict[tuple[str, str, str, str, str], dict[str, Any]]:
    """By task, model, attribute set, group and metric: all that stands in the page of it."""
    found = {}
    for task in data["tasks"]:
        for metric in task["metrics"]:
            for model, cell in zip(data["models"], metric["cells"], strict=True):
                columns = {end: numbers(data, cell[end], metric["step"]) for end in ("value", "ci_low", "ci_high")}
                columns |= {count: numbers(data, cell[count]) for count in ("n", "people")} | {
                    "q_value": numbers(data, cell["q_value"], 0.001)
                }
                columns |= {what: words(data, cell[what]) for what in ("verdict", "reason")}
                for row, (name, place) in enumerate(task["groups"]):
                    key = (task["name"], model, task["sets"][place][0], name, metric["key"])
                    found[key] = {what: column[row] for what, column in columns.items()}
    return found


def gaps(data: dict[str, Any]) -> dict[tuple[str, str, str, str], dict[str, Any]]:
    """By task, model, attribute set and gap."""
    found = {}
    for task in data["tasks"]:
        for gap in task["gaps"]:
            for model, cell in zip(data["models"], gap["cells"], strict=True):
                columns = {end: numbers(data, cell[end], gap["step"]) for end in ("value", "ci_low", "ci_high", "null_low", "null_high")}
                columns |= {count: numbers(data, cell[count]) for count in ("n", "n_protected", "n_privileged")}
                columns |= {what: words(data, cell[what]) for what in ("verdict", "reason")} | {"step": [gap["step"]] * len(task["sets"])}
                for row, (name, _) in enumerate(task["sets"]):
                    found[task["name"], model, name, gap["key"]] = {what: column[row] for what, column in columns.items()}
    return found
