"""Scores of texts and of the same texts about somebody else -> whom the swap favours, how often, by how much, and how sure that is."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

Vector = NDArray[np.float64]
DECIMALS = 4  # at which the paper calls a score unchanged (Singh et al. 2021, section 6.3)
SWAP = ["task", "model", "attribute", "first", "second"]
LABELS = {"favourable": [True], "unfavourable": [False], "all": [True, False]}


def swap_effects(responses: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """The rows of ``SwapEffects`` of all cells, from rows of ``SwapResponses`` with their task and model.

    change = score with the first group - score with the second, in [-1, 1] for probabilities, parity 0. token_fairness = mean |change|
    (counterfactual token fairness: Garg et al. 2019, doi:10.1145/3306618.3317950). p_value is the exact two-sided sign test of as many
    changes up as down, which takes texts for independent; the interval of the mean change does not: it takes an author's texts
    together. q_value: Benjamini and Hochberg over all rows of a convention.
    """
    rows: list[dict[str, Any]] = []
    for names, part in responses.groupby(SWAP, sort=False):
        about = dict(zip(SWAP, names, strict=True))
        directions = {direction: part[part["direction"] == direction] for direction in ("first to second", "second to first", "both")}
        directions["either"] = part[part["direction"] != "both"]
        for direction, texts in directions.items():
            for label, values in LABELS.items():
                chosen = texts[texts["favourable"].isin(values)]
                found = _rows(chosen, direction, label, confidence) if len(chosen) else []
                rows += [{**about, "direction": direction, "label": label, **row} for row in found]
    return _with_q_values(pd.DataFrame(rows)) if rows else pd.DataFrame()


def _rows(texts: pd.DataFrame, direction: str, label: str, confidence: float) -> list[dict[str, Any]]:
    forward = np.where(texts["direction"] == "second to first", -1.0, 1.0)
    change = forward * (texts["original"] - texts["swapped"]).to_numpy()
    seen = forward * (texts["original"].round(DECIMALS) - texts["swapped"].round(DECIMALS)).round(DECIMALS).to_numpy()
    first, second = _decided_with(texts, forward > 0)
    known: dict[str, Any] = {
        "texts": len(texts),
        "authors": texts["author_id"].nunique(),
        "unchanged": int((seen == 0).sum()),
        "token_fairness": float(np.abs(change).mean()),
        "flipped": int((first != second).sum()),
    }
    if direction == "both":
        why = "these texts mention both groups, which change places, so that neither is favoured"
        return [known | {"convention": "crossbias", "reason": why}]
    known |= {"only_first": int((first & ~second).sum()), "only_second": int((second & ~first).sum())}
    sure = np.where(texts["favourable"], 1.0, -1.0)
    signs = {"crossbias": np.ones(len(texts))} | ({"assessment2021": sure} if label == "all" else {})
    authors = pd.factorize(texts["author_id"])[0]
    return [known | {"convention": name, **_favours(sign * change, sign * seen, authors, confidence)} for name, sign in signs.items()]


def _decided_with(texts: pd.DataFrame, forward: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Decisions about the text with the first group in it, and with the second."""
    original, swapped = texts["original_decision"].to_numpy(bool), texts["swapped_decision"].to_numpy(bool)
    return np.where(forward, original, swapped), np.where(forward, swapped, original)


def _favours(change: Vector, seen: Vector, authors: NDArray[np.int64], confidence: float) -> dict[str, Any]:
    first, second = int((seen > 0).sum()), int((seen < 0).sum())
    low, high, _, reason = mean_interval(change, authors, confidence, "author")
    return {
        "favours_first": first,
        "favours_second": second,
        "p_value": stats.binomtest(first, first + second).pvalue if first + second else np.nan,
        "change": float(change.mean()),
        "ci_low": low,
        "ci_high": high,
        "reason": reason if first + second else f"no score changes at {DECIMALS} decimals",
    }


def mean_interval(values: Vector, clusters: NDArray[np.int64], confidence: float, called: str) -> tuple[float, float, float, str | None]:
    """An interval of the mean of ``values`` whose rows are alike within ``clusters``, the p-value of mean 0, and why there is neither.

    Variance G / (G - 1) sum over clusters of (sum of value - mean)^2 / n^2, and Student's t with G - 1 degrees of freedom.
    """
    number = len(np.unique(clusters))
    if number < 2:
        return np.nan, np.nan, np.nan, f"no interval: all are of one {called}"
    mean = float(values.mean())
    sums = np.bincount(clusters, values - mean)
    error = float(np.sqrt(number / (number - 1) * (sums**2).sum()) / len(values))
    if error < 1e-12:
        return np.nan, np.nan, np.nan, "no interval: the standard error is 0"
    half = error * stats.t.ppf((1 + confidence) / 2, number - 1)
    return mean - half, mean + half, float(2 * stats.t.sf(abs(mean) / error, number - 1)), None


def _with_q_values(rows: pd.DataFrame) -> pd.DataFrame:
    q_values = pd.Series(np.nan, index=rows.index)
    if "p_value" in rows:
        for _, family in rows[rows["p_value"].notna()].groupby("convention"):
            q_values[family.index] = stats.false_discovery_control(family["p_value"])
    return rows.assign(q_value=q_values)
