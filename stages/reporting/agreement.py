"""Do challenges agree: the same terms of two corpora, in one language or two, beside each other over tasks and models."""

from collections.abc import Mapping
from itertools import combinations

import pandas as pd
from scipy import stats

from stages.contract.params import Design, Task
from stages.reporting.contrasted import DIFFERS, attributes, name
from stages.reporting.tables import Table
from stages.reporting.wording import ROUNDING

FEWEST = 5  # cells


def family(task: Task) -> str:
    """What a task has in common with its like in other languages: everything but the data set's ``language``."""
    options = task.model_dump()
    options["dataset"].pop("language", None)
    return repr(options)


def table(decided: pd.DataFrame, design: Design, references: Mapping[str, Mapping[str, str]]) -> Table | None:
    """Each pair of challenges and kind of term over their cells, which are tasks (alike but for language) x models; None without a pair."""
    alike = {task: family(entry) for task, entry in design.tasks.items()}
    found = decided.assign(family=decided["task"].map(alike), attributes=decided["term"].map(attributes))
    rows = []
    for one, other in combinations(dict.fromkeys(found["corpus"]), 2):
        both = _matched(found[found["corpus"] == one], found[found["corpus"] == other])
        for kind, cells in both.groupby("attributes", sort=False):
            compared = {(name(row.term_x, references[one]), name(row.term_y, references[other])) for row in cells.itertuples()}
            words = "; ".join(sorted(first if first == second else f"{first} / {second}" for first, second in compared))
            rows.append([f"{one}\n{other}", str(kind), words, *agreement(cells)])
        if both.empty:
            rows.append([f"{one}\n{other}", "-", "-", "0", "-", "-", f"cannot tell: fewer than {FEWEST} cells"])
    columns = ["Challenges", "Attributes", "Compared", "Cells", "Same sign", "Same sign where both differ", "Rank correlation of effects"]
    return Table("Do challenges agree? Effects on scores over tasks x models", columns, rows, (0, 1, 2)) if rows else None


def _matched(one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Effects of both, by the same model: of the same task or, where they share none, family; of the same term or, where each has one
    term of its attributes, of these.
    """
    shared = set(one["task"]) & set(other["task"])
    alone = _alone(one) & _alone(other)
    sides = [
        part.assign(
            alike=part["task"].where(part["task"].isin(shared), part["family"]),
            key=part["attributes"].where(part["attributes"].isin(alone), part["term"]),
        )
        for part in (one, other)
    ]
    both = sides[0].merge(sides[1].drop(columns="attributes"), on=["alike", "model", "key"])
    return both.dropna(subset=["response_effect_x", "response_effect_y"])


def _alone(part: pd.DataFrame) -> set[str]:
    """The attributes that a challenge has one term of: those with two categories."""
    terms = part[["attributes", "term"]].drop_duplicates()["attributes"].value_counts()
    return set(terms[terms == 1].index)


def agreement(cells: pd.DataFrame) -> list[str]:
    """How many cells, in how many the signs are the same, also where both differ, and Spearman's coefficient of their effects."""
    first, second = cells["response_effect_x"], cells["response_effect_y"]
    same = (first * second > 0) & (first.abs() > ROUNDING) & (second.abs() > ROUNDING)
    differ = (cells["verdict_x"] == DIFFERS) & (cells["verdict_y"] == DIFFERS)
    counts = [f"{len(cells)}", f"{same.sum()} of {len(cells)}", f"{(same & differ).sum()} of {differ.sum()}"]
    if len(cells) < FEWEST:
        return [*counts, f"cannot tell: fewer than {FEWEST} cells"]
    if min(first.nunique(), second.nunique()) < 2:
        return [*counts, "undefined: the effects do not vary"]
    return [*counts, f"{stats.spearmanr(first, second).statistic:+.2f}"]
