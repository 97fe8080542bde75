"""Rows for tests of the assessment: each table with a planted finding, and empty."""

import pyarrow as pa

from stages.contract.descriptions import Descriptions
from stages.contract.explanations import Explanations, Leanings
from stages.contract.probes import Probes
from stages.contract.swaps import Identities, SwapEffects
from stages.contract.tables import check

CELL = {"task": "trust", "model": "reader"}


def table(hint, rows: list[dict], *keys: str) -> pa.Table:
    """Checked rows, with the names of their cell where the stage reads them stacked."""
    at = hint.__metadata__[0]
    columns = {name: pa.array([row.get(name) for row in rows], at.type_of(name)) for name, _ in at.columns}
    found = check(pa.table(columns), at, at.path)
    for key in keys:
        found = found.append_column(key, pa.array([row.get(key, CELL[key]) for row in rows], pa.string()))
    return found


def description(category: str, **changed) -> dict:
    row = {"convention": "crossbias", "kind": "group", "about": "mentioned", "attribute": "gender", "category": category, "term": ""}
    row |= {"texts": 40, "authors": 40, "favourable": 10, "n": 200, "n_favourable": 100, "share": 0.2, "share_favourable": 0.1}
    row |= {"share_unfavourable": 0.3, "base_rate": 0.25, "base_low": 0.14, "base_high": 0.4, "log_odds_ratio": -1.35, "ci_low": -2.1}
    return row | {"ci_high": -0.6, "test": "fisher", "p_value": 0.0006, "q_value": 0.001} | changed


def effect(**changed) -> dict:
    row = CELL | {
        "attribute": "gender",
        "first": "women",
        "second": "men",
        "direction": "either",
        "label": "all",
        "convention": "crossbias",
    }
    row |= {"texts": 200, "authors": 200, "favours_first": 60, "favours_second": 130, "unchanged": 10, "p_value": 1e-6, "q_value": 2e-6}
    row |= {"change": -0.0123, "ci_low": -0.02, "ci_high": -0.005, "token_fairness": 0.031, "flipped": 7, "only_first": 2, "only_second": 5}
    return row | changed


def identity(group: str, metric: str, value: float, **changed) -> dict:
    row = CELL | {"challenge": "identities", "attributes": "religion", "order": 1, "group": group, "metric": metric, "value": value}
    row |= {"ci_low": value - 0.1, "ci_high": value + 0.1, "p_value": 0.001, "q_value": 0.004, "n": 24, "templates": 6}
    return row | changed


def word(token: str, **changed) -> dict:
    row = {"method": "lime", "token": token, "attribute": None, "documents": 7, "frequency": 9, "importance": -0.2}
    row |= {"importance_low": -0.3, "importance_high": -0.1, "absolute": 0.2, "absolute_low": 0.1, "absolute_high": 0.3}
    return row | changed


def leaning(**changed) -> dict:
    row = {"method": "lime", "attribute": "", "measure": "absolute", "identity": 0.03, "other": 0.02, "difference": 0.01, "ci_low": -0.01}
    row |= {"ci_high": 0.03, "p_value": 0.4, "q_value": 0.6, "terms": 5, "others": 60, "documents": 20, "candidates": 100, "fit": 0.7}
    return row | changed


def embedding(**changed) -> dict:
    row = {"probe": "association", "test": "gender", "statistic": "amae", "vectors": "static", "pooling": "none", "casing": "lower"}
    row |= {
        "value": 0.06,
        "ci_low": 0.05,
        "ci_high": 0.07,
        "null_low": 0.01,
        "null_high": 0.03,
        "p_value": 0.001,
        "q_value": 0.002,
        "n": 90,
    }
    return row | changed


def measured(descriptions=(), effects=(), identities=(), tokens=(), leanings=(), figures=()) -> tuple[pa.Table, ...]:
    """The tables in the order in which assess takes them."""
    return (
        table(Descriptions, list(descriptions), "task"),
        table(SwapEffects, list(effects)),
        table(Identities, list(identities)),
        table(Explanations, list(tokens), "task", "model"),
        table(Leanings, list(leanings), "task", "model"),
        table(Probes, list(figures), "model"),
    )


def everything(name: str = "women") -> tuple[pa.Table, ...]:
    """All of them with a row or two; ``name``: what somebody called a group, a word, a category."""
    return measured(
        [description(name), description("gender", kind="term", term=name, q_value=None, p_value=None, reason="too few")],
        [effect(), effect(label="favourable", q_value=0.3)],
        [identity(name, "difference", -0.2), identity(name, "cb_mean", -0.1), identity(name, "subgroup_auc", 0.8)],
        [word(name, attribute="gender"), word("good", importance=0.1, importance_low=None, importance_high=None, reason="one text")],
        [leaning(), leaning(measure="signed", difference=-0.05, q_value=0.01)],
        [embedding()],
    )
