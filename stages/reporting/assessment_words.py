"""What labels and models make of words for people: descriptions, embeddings and explanations -> parts of the assessment."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa

from stages.reporting.assessment import Part
from stages.reporting.assessment_rows import FIRST, UNKNOWN, Row, counted, cut, figure, records, surest, telling, told
from stages.reporting.assessment_text import short
from stages.reporting.results import OURS
from stages.reporting.tables import Table
from stages.reporting.wording import count, listed, number

ABOUT = {"mentioned": "texts that mention", "declared": "texts whose author declared"}
LARGEST = FIRST // 3  # words of a cell and method
FEWEST = 5  # explained texts that hold a word which is shown by itself


def data_bias(descriptions: pa.Table, level: float) -> Part | None:
    """How often labels are favourable in texts that mention each group, or whose author declared it."""
    rows = [row for row in records(descriptions.to_pandas()) if row["convention"] == OURS and row["texts"]]
    listed = {row["category"] for row in rows if row["kind"] == "group"} | {UNKNOWN}
    # A column mined from the words of a list says of its groups what the list does.
    rows = [row for row in rows if (row["kind"], row["about"]) != ("category", "mentioned") or row["category"] not in listed]
    groups, terms = ([row for row in rows if (row["kind"] == "term") is wanted] for wanted in (False, True))
    named = {"Groups of people and labels": groups, "Identity terms and labels": terms}
    tables = [_described(caption, some, level) for caption, some in named.items() if some]
    ordered = [telling(some, level, "texts", "log_odds_ratio") for some in (groups, terms)]
    first = surest(ordered[0], level, _first) or surest(ordered[1], level, _first)
    return Part(tables, counted(rows, level), first=first) if tables else None


def _first(row: Row) -> str:
    return f"{row['task']}, {ABOUT[row['about']]} {_who(row)}: log odds ratio of the favourable label {figure(row, 'log_odds_ratio')}"


def _who(row: Row) -> str:
    return short(row["term"] or row["category"])


def _described(caption: str, rows: list[Row], level: float) -> Table:
    cells = [
        [
            row["task"],
            f"{ABOUT[row['about']]} {_who(row)}",
            row["attribute"],
            f"{row['texts']:,} of {row['n']:,}",
            f"{number(100 * row['share_favourable'])} % / {number(100 * row['share_unfavourable'])} %",
            figure(row, "base_rate", "base_low", "base_high"),
            figure(row, "log_odds_ratio"),
            told(row, level),
        ]
        for row in telling(rows, level, "texts", "log_odds_ratio")
    ]
    columns = ["Task", "Which texts", "Attribute", "Texts", "Share of favourable / of other texts", "Favourable labels among them"]
    return cut(caption, [*columns, "Log odds ratio", "Verdict"], cells, (0, 1, 2, 7))


def embedding_bias(figures: pa.Table, level: float) -> Part | None:
    """How unlike neutral words lie to the words for each group: AMAE and ARMSE (Singh et al. 2021, equations 4 and 6)."""
    rows = telling(_distinct([row for row in records(figures.to_pandas()) if row["statistic"] in ("amae", "armse")]), level, "n")
    cells = [
        [row["model"], row["test"], row["vectors"], row["statistic"].upper(), figure(row, decimals=4), _by_chance(row), told(row, level)]
        for row in rows
    ]
    columns = ["Model", "Word groups", "Vectors", "Statistic", "Value", "By chance", "Verdict"]
    tables = [cut("Embedding bias", columns, cells, (0, 1, 2, 3, 6))]
    return Part(tables, counted(rows, level), first=surest(rows, level, _associated)) if rows else None


def _distinct(rows: list[Row]) -> list[Row]:
    """Models on the same embeddings have the same rows: each once, under the names of all."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in row if name != "model"), []).append(row)
    return [same[0] | {"model": listed([row["model"] for row in same])} for same in found.values()]


def _associated(row: Row) -> str:
    return f"{row['model']}, {row['test']}: {row['statistic'].upper()} {figure(row, decimals=4)}, by chance {_by_chance(row)}"


def _by_chance(row: Row) -> str:
    return "not computed" if row["null_low"] is None else f"{number(row['null_low'], 4)} to {number(row['null_high'], 4)}"


def explanations(tokens: pa.Table, leanings: pa.Table, level: float) -> Part | None:
    """Which words models lean on, and whether identity terms are among them."""
    frame, rows = tokens.to_pandas(), telling(records(leanings.to_pandas()), level, "terms", "difference")
    if frame.empty:
        return None
    cells = [
        [
            f"{row['task']}, {row['model']}",
            row["method"],
            _terms(row),
            row["measure"],
            f"{row['terms']:,} / {row['others']:,}",
            figure(row, "difference", decimals=4),
            told(row, level),
        ]
        for row in rows
    ]
    columns = ["Task, model", "Method", "Identity terms", "Measure", "Terms / other words", "Difference of importance", "Verdict"]
    tables = [cut("Does the model lean on identity terms?", columns, cells, (0, 1, 2, 3, 6)), *_largest(frame)]
    return Part(tables, counted(rows, level), _explained(rows), surest(rows, level, _leaning))


def _terms(row: Row) -> str:
    return row["attribute"] or "all identity terms"


def _leaning(row: Row) -> str:
    said = f"{row['task']}, {row['model']}, {row['method']}, {_terms(row)}"
    return f"{said}: {row['measure']} difference of importance {figure(row, 'difference', decimals=4)}"


def _explained(rows: list[Row]) -> list[str]:
    """How many texts of each cell were explained, and how well LIME's linear model fits them."""
    fits = {(row["task"], row["model"]): row["fit"] for row in rows if row["fit"] is not None}
    texts = {(row["task"], row["model"]): f"{row['documents']:,} of {row['candidates']:,} texts explained" for row in rows}
    said = {key: f"; median R-squared of LIME {number(fits[key])}" if key in fits else "" for key in texts}
    return [f"{task}, {model}: {texts[task, model]}{said[task, model]}." for task, model in sorted(texts)]


def _largest(frame: pd.DataFrame) -> Iterator[Table]:
    """The words that surely move the model most: by the lower end of the interval, as words of few texts are extreme by chance."""
    for (task, model, method), every in frame.groupby(["task", "model", "method"], sort=False):
        own = every[every["documents"] >= FEWEST]
        rows = [
            [
                short(row["token"]),
                row["attribute"] or "no",
                f"{row['documents']:,}",
                figure(row, "importance", "importance_low", "importance_high", 4),
                figure(row, "absolute", "absolute_low", "absolute_high", 4),
            ]
            for row in records(own.sort_values(["absolute_low", "token"], ascending=[False, True]).head(LARGEST))
        ]
        columns = ["Word", "Identity term", "Texts", "Mean importance", "Mean absolute importance"]
        held = f"{len(rows)} of the {len(own):,} words that at least {FEWEST} explained texts hold"
        few = len(every) - len(own)
        left = f"{count(few, 'word')} of fewer texts {'is' if few == 1 else 'are'} left out"
        yield Table(f"{task}, {model}, {method}: {held}, by the lower end of their absolute importance; {left}", columns, rows, (0, 1))
