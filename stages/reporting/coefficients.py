"""Effects and coefficients of every regression on who is named, by the paper's test and by ours -> tables."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from stages.reporting.contrasted import CELL, DECIDING, UNTOLD, effect, name, plain
from stages.reporting.tables import Table
from stages.reporting.wording import number, percent, probability, signed

METHODS = {
    "beta_expected": "the paper's test",
    "beta_observed": "the paper's test, observed information",
    "beta_cluster": "cluster-robust",
    "mixed": "mixed model",
    "ols_as_published": "least squares as published",
}
PRECISION = "_precision"  # ends the names of Beta methods' rows on the precision
Row = Mapping[Any, Any] | None


def effects(found: pd.DataFrame, decided: pd.DataFrame, references: Mapping[str, str], confidence: float) -> Table:
    """What each term does to the score, averaged over everything else, by a mixed model and with clusters, and the verdict."""
    verdicts = {(row["task"], row["model"], row["emotion"], row["term"]): row for row in plain(decided).to_dict("records")}
    rows = []
    for key, methods in _terms(found).items():
        task, model, _, term = key
        told = _short(verdicts[key]) if key in verdicts else "not asked"
        values = [text for method in DECIDING for text in _effect(methods.get(method))]
        rows.append([f"{task}, {model}", name(term, references), told, *values])
    columns = ["Task, model", "Term", "In words", f"Mixed model [{percent(confidence)}]", "p", "q", "Cluster-robust", "p", "q"]
    return Table("Effects on the score, averaged over everything else", columns, rows, (0, 1, 2))


def tested(found: pd.DataFrame, references: Mapping[str, str]) -> Table:
    """Each coefficient by the paper's test, with clusters and by a mixed model."""
    rows = []
    for (task, model, _, term), methods in _terms(found).items():
        paper, cluster, mixed = (methods.get(method) for method in ("beta_expected", "beta_cluster", "mixed"))
        values = [_estimate(paper, stars=True), _p(paper), _p(cluster), _p(cluster, "q_value"), _estimate(mixed), _p(mixed)]
        rows.append([f"{task}, {model}", name(term, references), *values, _p(mixed, "q_value")])
    columns = ["Task, model", "Term", "Beta regression: logit", "Paper's test: p", "Cluster-robust: p", "q", "Mixed model: logit", "p", "q"]
    return Table("Coefficients, beside the reference of every other attribute", columns, rows, (0, 1))


def conventions(found: pd.DataFrame, references: Mapping[str, str]) -> Table:
    """The paper's test with the other information, and the least squares that the published coefficients come from."""
    rows = []
    for (task, model, _, term), methods in _terms(found).items():
        observed, published = methods.get("beta_observed"), methods.get("ols_as_published")
        values = [_estimate(observed, stars=True), _p(observed), _estimate(published, stars=True), _p(published)]
        rows.append([f"{task}, {model}", name(term, references), *values])
    columns = ["Task, model", "Term", "Beta regression, observed information: logit", "p", "ols_as_published: score", "p"]
    return Table("Conventions: what the paper says and what it published", columns, rows, (0, 1))


def dispersion(found: pd.DataFrame, references: Mapping[str, str]) -> Table | None:
    """By how much the precision differs, as a factor, by the paper's test and with clusters; None where it is constant."""
    if not found["method"].str.endswith(PRECISION).any():
        return None
    rows = []
    for (task, model, _, term), methods in _terms(found).items():
        paper, cluster = (methods.get(method + PRECISION) for method in ("beta_expected", "beta_cluster"))
        shown = paper if cluster is None or cluster["estimate"] is None else cluster
        if shown is not None:
            values = [_factor(shown), _p(paper), _p(cluster), _p(cluster, "q_value")]
            rows.append([f"{task}, {model}", name(term, references), *values])
    columns = ["Task, model", "Term", "Precision: factor", "Paper's test: p", "Cluster-robust: p", "q"]
    return Table(
        "Precision of the Beta regressions: above 1, scores lie closer together than those beside which they stand", columns, rows, (0, 1)
    )


def goodness(fitted: pd.DataFrame) -> Table:
    """How well each Beta regression fits, or why there is none."""
    rows = []
    for fit in plain(fitted).to_dict("records"):
        about = [f"{fit['task']}, {fit['model']}", f"{fit['n']:,}", f"{fit['squeezed']:,}"]
        if fit["reason"] is not None:
            rows.append([*about, *["-"] * 4, f"undefined: {fit['reason']}"])
            continue
        values = ["by attribute" if fit["precision"] is None else number(fit["precision"], 3)]
        values.append("-" if fit["pseudo_r2"] is None else number(fit["pseudo_r2"], 3))
        rows.append([*about, *values, *(_likelihood_ratio(fit, part) for part in ("lr_any", "lr_interaction")), "fitted"])
    columns = ["Task, model", "Sentences", "Squeezed", "Precision", "Pseudo R²", "Any attribute: LR (degrees), p"]
    columns += ["Attributes met together: LR (degrees), p", "Fit"]
    return Table("Beta regressions; likelihood ratios take sentences for independent, as the paper does", columns, rows, (0, 7))


def undefined(found: pd.DataFrame) -> Table | None:
    """What could not be estimated or tested, by method, with the reason; None where all could."""
    missing = found[(found["term"] != "intercept") & found["reason"].notna()]
    terms = missing.groupby([*CELL, "method", "reason"], sort=False)["term"].agg(", ".join).reset_index()
    methods = terms.groupby([*CELL, "reason", "term"], sort=False)["method"].agg(list)
    rows = [
        [corpus, f"{task}, {model}", "; ".join(_method(by) for by in all_of), of, why]
        for (corpus, task, model, why, of), all_of in methods.items()
    ]
    columns = ["Challenge", "Task, model", "Methods", "Terms", "Reason"]
    return Table("What is undefined, and why", columns, rows, (0, 1, 2, 3, 4)) if rows else None


def _terms(found: pd.DataFrame) -> dict[tuple[str, str, str, str], dict[str, Any]]:
    """Each term of each regression by method; the intercept is nobody's difference."""
    terms: dict[tuple[str, str, str, str], dict[str, Any]] = {}
    for row in plain(found[found["term"] != "intercept"]).to_dict("records"):
        terms.setdefault((row["task"], row["model"], row["emotion"], row["term"]), {})[row["method"]] = row
    return terms


def _estimate(row: Row, stars: bool = False) -> str:
    if row is None:
        return "-"
    if row["estimate"] is None:
        return "undefined"
    return f"{signed(row['estimate'])} {row['stars'] if stars else ''}".rstrip()


def _factor(row: Mapping[Any, Any]) -> str:
    """``1.32 [1.10, 1.59]``: how many times the precision, from the coefficient of its logarithm."""
    if row["estimate"] is None:
        return "undefined"
    factor, low, high = (None if row[of] is None else number(float(np.exp(row[of]))) for of in ("estimate", "ci_low", "ci_high"))
    return f"{factor}, no interval" if low is None else f"{factor} [{low}, {high}]"


def _method(name: str) -> str:
    return METHODS[name.removesuffix(PRECISION)] + (", precision" if name.endswith(PRECISION) else "")


def _effect(row: Row) -> list[str]:
    """An effect with its interval, and its own p and q."""
    return ["-" if row is None else effect(row), _p(row, "response_p_value"), _p(row, "response_q_value")]


def _p(row: Row, column: str = "p_value") -> str:
    return "-" if row is None or row[column] is None else probability(row[column]).removeprefix("= ")


def _short(row: Mapping[Any, Any]) -> str:
    """The verdict without its reason, and the method where it is not the first that decides."""
    words: str = row["verdict"].split(":")[0]
    return words if row["method"] == DECIDING[0] or words == UNTOLD else f"{words} (clustered)"


def _likelihood_ratio(fit: Mapping[Any, Any], part: str) -> str:
    if fit[part] is None:
        return "-"
    return f"{number(fit[part])} ({fit[f'{part}_degrees']:g}), {probability(fit[f'{part}_p']).removeprefix('= ')}"
