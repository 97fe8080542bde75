"""The enumeration's tables as people read them: groups of names as columns, categories of words as rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from stages.reporting.tables import Table
from stages.reporting.wording import percent

RACES = ("white", "black", "hispanic", "asian", "other")


@dataclass(frozen=True)
class Grid:
    """``columns``: names of each group and who bears them; each row: a category's words, then of each group words that lean to it or "".

    ``silent``: how many groups, and how many categories, have no such words and are left out.
    """

    vectors: str
    columns: list[tuple[str, str]]
    rows: list[list[str]]
    silent: tuple[int, int]


def grids(cells: pd.DataFrame, names: pd.DataFrame) -> list[Grid]:
    """Of each kind of vectors the groups and categories with a significant cell, the strongest categories first."""
    found = []
    for vectors, own in cells.groupby("vectors", sort=False):
        leaning = own[own["significant"]]
        groups = names[(names["vectors"] == vectors) & names["group"].isin(leaning["group"])].sort_values("group").to_dict("records")
        of = {(row["category"], row["group"]): row["words"] for row in leaning.to_dict("records")}
        told = dict(sorted(zip(leaning["category"], leaning["category_words"], strict=True)))
        rows = [[words, *(of.get((category, row["group"]), "") for row in groups)] for category, words in told.items()]
        silent = own["group"].nunique() - len(groups), own["category"].nunique() - len(rows)
        found.append(Grid(str(vectors), [(row["names"], traits(row)) for row in groups], rows, silent))
    return found


def by_group(models: Mapping[str, str], cells: Mapping[str, pd.DataFrame], names: pd.DataFrame) -> list[Table]:
    """How many cells of each group are significant, a column a model; groups are those of the base as it is given."""
    tables = []
    for vectors, own in names[names["model"].isin(list(models))].groupby("vectors", sort=False):
        groups = own.drop_duplicates("group").sort_values("group")
        of = {model: frame[frame["vectors"] == vectors].groupby("group")["significant"].sum() for model, frame in cells.items()}
        rows = [
            [row["names"], traits(row), f"{row['length']:,}", *(str(int(of[model].get(row["group"], 0))) for model in models)]
            for row in groups.to_dict("records")
        ]
        where = f" ({vectors})" if len(set(names["vectors"])) > 1 else ""
        caption = f"Cells beyond chance by group of names{where}; a cell is a group of names and a category of words"
        tables.append(Table(caption, ["Names that stand for the group", "Who bears them", "Names", *models.values()], rows, (0, 1)))
    return tables


def traits(row: Mapping[str, Any]) -> str:
    """``96 % women, born 1971 on average``, as far as the table of names knows."""
    known = {name: value for name, value in row.items() if name in (*RACES, "female", "birth_year") and not pd.isna(value)}
    told = [f"{percent(round(known['female'], 2))} women"] if "female" in known else []
    told += [f"born {known['birth_year']:.0f} on average"] if "birth_year" in known else []
    told += [f"{percent(round(known[race], 2))} {race}" for race in RACES if known.get(race, 0) >= 0.05]
    return ", ".join(told)
