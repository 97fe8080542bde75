"""Terms of contrast -> which of them differ: one verdict a term, by the methods that know sentences to be alike, and one a cell."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from stages.reporting.wording import ROUNDING, signed

CELL = ["corpus", "task", "model"]
DECIDING = ("mixed", "beta_cluster")  # the first that is defined; the paper's test never decides
DIFFERS, NO_EVIDENCE, UNTOLD = "scores differ", "no evidence", "cannot tell"
Row = Mapping[Any, Any]


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """``frame`` with None where something is missing, as wording wants it."""
    return frame.astype(object).where(lambda found: found.notna(), None)


def deciding(found: pd.DataFrame, level: float) -> pd.DataFrame:
    """One row a term of each regression: ``mixed`` where it tests the effect on the score, else ``beta_cluster``; with ``verdict``.

    Where neither has, the one with an effect. Terms of a design that asks for neither method are not there.
    """
    keys = found.groupby([*CELL, "emotion", "term"], sort=False).ngroup()
    places = found["method"].map({name: place for place, name in enumerate(DECIDING)})
    lacks = found[["response_q_value", "response_effect"]].isna()
    order = {"key": keys, "untested": lacks["response_q_value"], "unknown": lacks["response_effect"], "place": places}
    rows = found.assign(**order)[places.notna() & (found["term"] != "intercept")].sort_values(list(order)).drop_duplicates("key")
    chosen = rows[found.columns].reset_index(drop=True)
    return chosen.assign(verdict=[verdict(row, level) for row in plain(chosen).to_dict("records")])


def verdict(row: Row, level: float) -> str:
    """``scores differ``: the q of the effect on the score is at most ``level``. Else there is no evidence.

    ``cannot tell``, with the reason: it is not tested. Where all scores are the same nothing can be tested, and nothing differs.
    """
    if row["response_q_value"] is None:
        if row["response_effect"] is not None and abs(row["response_effect"]) < ROUNDING:
            return f"{NO_EVIDENCE}: the scores are the same"
        return f"{UNTOLD}: {row['reason'] or 'not tested'}"
    return DIFFERS if row["response_q_value"] <= level else NO_EVIDENCE


def of_cell(rows: Iterable[Row], references: Mapping[str, str]) -> str:
    """The verdict on one challenge, task and model: what differs and by how much, or that nothing evidently does."""
    terms = list(rows)
    apart = [f"{name(row['term'], references)} {effect(row)}" for row in terms if row["verdict"] == DIFFERS]
    if apart:
        return f"{DIFFERS} by who is named: {'; '.join(apart)}"
    untold = [row for row in terms if row["verdict"].startswith(UNTOLD)]
    if untold or not terms:
        return untold[0]["verdict"] if untold else f"{UNTOLD}: the design asks for neither a mixed model nor clusters"
    return f"{NO_EVIDENCE} that scores differ by who is named"


def effect(row: Row) -> str:
    """``+0.031 [+0.020, +0.042]``, of the score."""
    if row["response_effect"] is None:
        return "undefined"
    if row["response_low"] is None:
        return f"{signed(row['response_effect'])}, no interval"
    return f"{signed(row['response_effect'])} [{signed(row['response_low'])}, {signed(row['response_high'])}]"


def name(term: str, references: Mapping[str, str]) -> str:
    """``Latino beside Anglo``; of people met on several attributes ``female x Latino, beyond either``.

    Attributes are named too where two have a reference of one name (``yes beside no``).
    """
    parts = categories(term)
    where = f"{attributes(term)}: " if len(set(references.values())) < len(references) else ""
    met = " x ".join(category for _, category in parts)
    if len(parts) == 1:
        return f"{where}{met} beside {references[parts[0][0]]}"
    return f"{where}{met}, beyond {'either' if len(parts) == 2 else 'any fewer'}"


def categories(term: str) -> list[tuple[str, str]]:
    """The attributes and categories of ``gender[female]:group[Latino]``."""
    return re.findall(r"([a-z][a-z0-9_]*)\[(.*?)\](?=:[a-z][a-z0-9_]*\[|$)", term)


def attributes(term: str) -> str:
    """``gender x group``."""
    return " x ".join(attribute for attribute, _ in categories(term))
