"""What representations hold of bias, before and after each debiaser side by side: tables of probe -> sentences and tables."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

from stages.reporting import embedding_cells
from stages.reporting.embedding_words import STATISTICS, named
from stages.reporting.tables import Table
from stages.reporting.wording import count, listed, number, probability

HEADLINE = ("effect_size", "amae", "direct_bias", "cluster_accuracy", "classification_accuracy", "neighbour_correlation")
SIZES = ("weat", "seat", "ceat")  # probes whose figure is an effect size
ROUNDING = 1e-6  # of vectors in float32: what lies so near to 0 is 0
Figures = dict[tuple[str, str, str, str], dict[str, dict[str, Any]]]


def parts(
    probes: pa.Table, associations: pa.Table, names: pa.Table, bases: Sequence[tuple[str, Mapping[str, str]]], level: float
) -> dict[str, Any] | None:
    """All that the section shows; None where nothing was probed. ``bases``: of each base its name and, as it is given first, the models in
    column ``model`` with what stands over their columns. ``level``: up to which q a lean is more than chance.
    """
    rows = probes.to_pandas()
    probed = set(rows["model"])
    shown = [(name, {model: heading for model, heading in models.items() if model in probed}) for name, models in bases]
    cells, groups = associations.to_pandas(), names.to_pandas()
    found = [_base(name, models, rows, cells, groups, level) for name, models in shown if models]
    return {"level": f"{level:g}", "bases": found, "beside": None} if found else None


def figures_of(rows: pd.DataFrame) -> Figures:
    """Rows of probe by probe, test, statistic and vectors, then by model."""
    figures: Figures = {}
    for row in rows.astype(object).where(rows.notna(), None).to_dict("records"):
        figures.setdefault((row["probe"], row["test"], row["statistic"], row["vectors"]), {})[row["model"]] = row
    return figures


def _base(
    name: str, models: Mapping[str, str], rows: pd.DataFrame, cells: pd.DataFrame, names: pd.DataFrame, level: float
) -> dict[str, Any]:
    figures = figures_of(rows[rows["model"].isin(list(models))])
    own = {model: cells[cells["model"] == model] for model in models}
    return {
        "name": name,
        "sentences": [_sentence(model, heading, figures, own[model], level) for model, heading in models.items()],
        "summary": _summary(name, models, figures, own, level),
        "effect_sizes": _side_by_side("Effect sizes", models, figures, lambda key: key[0] in SIZES and key[2] == "effect_size", level),
        "details": _side_by_side(
            "Association with groups, and what of gender is left",
            models,
            figures,
            lambda key: key[0] in ("association", "clusters") and key[2] != "mac",
            level,
        ),
        "undefined": _undefined(figures, models),
        "groups": embedding_cells.by_group(models, own, names),
        "cells": {heading: embedding_cells.grids(own[model], names[names["model"] == model]) for model, heading in models.items()},
    }


def _sentence(model: str, heading: str, figures: Figures, cells: pd.DataFrame, level: float) -> str:
    """The widest lean, and how many there are, in words."""
    found = [
        (key[1], of[model])
        for key, of in figures.items()
        if key[0] in SIZES and key[2] == "effect_size" and model in of and _told(of[model])
    ]
    beyond = [(test, row) for test, row in found if row["q_value"] <= level]
    text = f"{heading}: of {count(len(found), 'association test')} {len(beyond)} show a lean that is more than chance"
    if beyond:
        test, row = max(beyond, key=lambda one: abs(one[1]["value"]))
        text += f", the widest {named(test)} (d {number(row['value'])})"
    tested = int(cells["q_value"].notna().sum())
    if tested:
        text += f"; of {tested:,} cells of names and words {int(cells['significant'].sum()):,} do"
    return text + "."


def _summary(name: str, models: Mapping[str, str], figures: Figures, cells: Mapping[str, pd.DataFrame], level: float) -> Table:
    """One row a measure, one column a model: as it is given, and after each debiaser."""
    rows = []
    spaces = list(dict.fromkeys(key[3] for key in figures))
    for probe in SIZES:
        for space in spaces:
            sizes = [of for key, of in figures.items() if (key[0], key[2], key[3]) == (probe, "effect_size", space)]
            own = [[of[model] for of in sizes if model in of and _told(of[model])] for model in models]
            if any(own):
                where = f"{probe.upper()}{_where(space, spaces)}"
                rows.append([f"{where}: tests beyond chance", *(f"{_beyond(found, level)} of {len(found)}" for found in own)])
                rows.append([f"{where}: mean size of d (0 is parity)", *(_mean_size(found) for found in own)])
    for key, of in figures.items():
        if key[0] == "clusters" or key[2] == "amae":
            rows.append([f"{_row_name(key, spaces)}", *(_short(of.get(model)) for model in models)])
    if any(len(frame) for frame in cells.values()):
        rows.append(["Names and words: cells beyond chance", *(_cells(cells[model]) for model in models)])
    return Table(f"In short: {name}", ["Measure", *models.values()], rows)


def _side_by_side(
    caption: str, models: Mapping[str, str], figures: Figures, chosen: Callable[[tuple[str, str, str, str]], bool], level: float
) -> Table:
    spaces = list(dict.fromkeys(key[3] for key in figures))
    rows = [[_row_name(key, spaces), *(_full(of.get(model), level) for model in models)] for key, of in figures.items() if chosen(key)]
    return Table(caption, ["What", *models.values()], rows)


def _row_name(key: tuple[str, str, str, str], spaces: Sequence[str]) -> str:
    probe, test, statistic, space = key
    if statistic == "effect_size":
        return f"{'' if probe == 'weat' else probe.upper() + ': '}{named(test)}{_where(space, spaces)}"
    return f"{named(test)}: {STATISTICS.get(statistic, statistic)}{_where(space, spaces)}"


def _where(space: str, spaces: Sequence[str]) -> str:
    return f" ({space})" if len(spaces) > 1 else ""


def _told(row: dict[str, Any]) -> bool:
    return row["value"] is not None and row["q_value"] is not None


def _beyond(found: Sequence[dict[str, Any]], level: float) -> int:
    return sum(row["q_value"] <= level for row in found)


def _mean_size(found: Sequence[dict[str, Any]]) -> str:
    return number(sum(abs(row["value"]) for row in found) / len(found)) if found else "-"


def _cells(cells: pd.DataFrame) -> str:
    return f"{int(cells['significant'].sum()):,} of {int(cells['q_value'].notna().sum()):,}"


def _short(row: dict[str, Any] | None) -> str:
    if row is None:
        return "not probed"
    return "undefined" if row["value"] is None else f"{_rounded(row['value'], 3)}{_chance(row)}"


def _rounded(value: float, decimals: int) -> str:
    return number(0.0 if abs(value) < ROUNDING else value, decimals)


def _chance(row: dict[str, Any]) -> str:
    return "" if row["null_low"] is None else f"\nchance {number(row['null_low'], 3)} to {number(row['null_high'], 3)}"


def _full(row: dict[str, Any] | None, level: float) -> str:
    """Value, interval and q; ``*``: beyond chance."""
    if row is None:
        return "not probed"
    if row["value"] is None:
        return "undefined"
    decimals = 2 if row["statistic"] == "effect_size" else 3
    value, *ends = ("" if row[name] is None else _rounded(row[name], decimals) for name in ("value", "ci_low", "ci_high"))
    interval = f" [{', '.join(ends)}]" if all(ends) else ""
    tested = "" if row["q_value"] is None else f"\n{'* ' if row['q_value'] <= level else ''}q {probability(row['q_value'])}"
    return f"{value}{interval}{tested}"


def _undefined(figures: Figures, headings: Mapping[str, str]) -> Table | None:
    """Words without a vector, and figures without a value; what holds for several models stands once."""
    held: dict[tuple[str, str], list[str]] = {}
    for (probe, test, statistic, _), of in figures.items():
        for model, row in of.items():
            for told in filter(None, (row["lost"] and f"without: {row['lost']}", row["reason"] and f"{statistic}: {row['reason']}")):
                models = held.setdefault((f"{probe}: {named(test)}", str(told)), [])
                models += [] if headings[model] in models else [headings[model]]
    rows = [[test, told, listed(models)] for (test, told), models in held.items()]
    return Table("Words without a vector, and undefined figures", ["Test", "What is missing", "In"], rows, (0, 1, 2)) if rows else None
