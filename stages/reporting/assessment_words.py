"""What labels and models make of words for people: descriptions, embeddings and explanations -> parts of the assessment."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa

from stages.reporting.assessment import Part
from stages.reporting.assessment_rows import FIRST, Row, counted, cut, figure, first, records, telling, told
from stages.reporting.assessment_text import short
from stages.reporting.results import OURS
from stages.reporting.tables import Table
from stages.reporting.wording import number

ABOUT = {"mentioned": "texts that mention", "declared": "texts whose author declared"}
LARGEST = FIRST // 3  # words of a cell and method


def data_bias(descriptions: pa.Table, level: float) -> Part | None:
    """How often labels are favourable in texts that mention each group, or whose author declared it."""
    rows = [row for row in records(descriptions.to_pandas()) if row["convention"] == OURS and row["texts"]]
    listed = {row["category"] for row in rows if row["kind"] == "group"} | {"unknown"}
    # A column mined from the words of a list says of its groups what the list does.
    rows = [row for row in rows if (row["kind"], row["about"]) != ("category", "mentioned") or row["category"] not in listed]
    groups, terms = ([row for row in rows if (row["kind"] == "term") is wanted] for wanted in (False, True))
    named = {"Groups of people and labels": groups, "Identity terms and labels": terms}
    tables = [_described(caption, some, level) for caption, some in named.items() if some]
    return Part(tables, counted(rows, level), first=first(tables, (0, 1, 2, 8))) if tables else None


def _described(caption: str, rows: list[dict[str, Any]], level: float) -> Table:
    cells = [
        [
            row["task"],
            ABOUT[row["about"]],
            short(row["term"] or row["category"]),
            row["attribute"],
            f"{row['texts']:,} of {row['n']:,}",
            f"{number(100 * row['share_favourable'])} %",
            f"{number(100 * row['share_unfavourable'])} %",
            figure(row, "base_rate", "base_low", "base_high"),
            figure(row, "log_odds_ratio"),
            told(row, level),
        ]
        for row in telling(rows, level, "log_odds_ratio")
    ]
    columns = ["Task", "Which texts", "Who or what", "Attribute", "Texts", "Share of favourable texts", "Share of the other texts"]
    columns += ["Favourable labels among them", "Log odds ratio", "Verdict"]
    return cut(caption, columns, cells, (0, 1, 2, 3, 9))


def embedding_bias(figures: pa.Table, level: float) -> Part | None:
    """How unlike neutral words lie to the words for each group: AMAE and ARMSE (Singh et al. 2021, equations 4 and 6)."""
    rows = [row for row in records(figures.to_pandas()) if row["statistic"] in ("amae", "armse")]
    cells = [
        [row["model"], row["test"], row["vectors"], row["statistic"].upper(), figure(row, decimals=4), _by_chance(row), told(row, level)]
        for row in telling(rows, level)
    ]
    columns = ["Model", "Attribute", "Vectors", "Statistic", "Value", "By chance", "Verdict"]
    tables = [cut("Embedding bias", columns, cells, (0, 1, 2, 3, 6))]
    return Part(tables, counted(rows, level), first=first(tables, (0, 1, 3, 4))) if rows else None


def _by_chance(row: Row) -> str:
    return "not computed" if row["null_low"] is None else f"{number(row['null_low'], 4)} to {number(row['null_high'], 4)}"


def explanations(tokens: pa.Table, leanings: pa.Table, level: float) -> Part | None:
    """Which words models lean on, and whether identity terms are among them."""
    frame, rows = tokens.to_pandas(), records(leanings.to_pandas())
    if frame.empty:
        return None
    cells = [
        [
            f"{row['task']}, {row['model']}",
            row["method"],
            row["attribute"] or "all identity terms",
            row["measure"],
            f"{row['terms']:,} / {row['others']:,}",
            figure(row, "difference", decimals=4),
            told(row, level),
        ]
        for row in telling(rows, level, "difference")
    ]
    columns = ["Task, model", "Method", "Identity terms", "Measure", "Terms / other words", "Difference of importance", "Verdict"]
    tables = [cut("Does the model lean on identity terms?", columns, cells, (0, 1, 2, 3, 6)), *_largest(frame)]
    return Part(tables, counted(rows, level), first=first(tables, (0, 1, 2, 3, 5)))


def _largest(frame: pd.DataFrame) -> Iterator[Table]:
    for (task, model, method), own in frame.groupby(["task", "model", "method"], sort=False):
        rows = [
            [
                short(row["token"]),
                row["attribute"] or "no",
                f"{row['documents']:,}",
                figure(row, "importance", "importance_low", "importance_high", 4),
                figure(row, "absolute", "absolute_low", "absolute_high", 4),
            ]
            for row in records(own.sort_values(["absolute", "token"], ascending=[False, True]).head(LARGEST))
        ]
        columns = ["Word", "Identity term", "Texts", "Mean importance", "Mean absolute importance"]
        yield Table(f"{task}, {model}, {method}: the {len(rows)} words with the largest importance", columns, rows, (0, 1))
