"""A comparison's figures beside the scores that both revisions published, and the figures that could not be compared, with the reason."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from stages.metrics.group_tests import ABOVE, EVERY, HIGHEST, LOWEST, RATIO
from stages.metrics.paired import NOT_COMPARABLE, PERFORMANCE
from stages.metrics.paired_gaps import OF_MODELS, OVER_ALL, PAIRS
from stages.metrics.scoring import OURS, PAIR

KEY = ["attributes", "order", "group", "metric", "convention"]
OF_LABELS = ("base_rate", "mean_label")  # a model has no part in these
RATES = ("base_rate", "selection_rate", "tpr", "fpr")  # of everyone they are neither good nor bad
NOT_TESTED = "not tested: gaps of AUC, correlations and quantiles have no paired test here, so see the intervals of both"
Why = Callable[[pd.Series], tuple[str | None, str]]


def beside(rows: pd.DataFrame, one: pd.DataFrame, other: pd.DataFrame, why: Why) -> pd.DataFrame:
    """The compared ``rows`` with the verdicts of both ``Scores``, then every figure of either that is not among them.

    Those have the published values, and verdict and reason from ``why``, which is given the figure with ``in_a`` and ``in_b``.
    """
    published = _figures(one).merge(_figures(other), on=KEY, how="outer", suffixes=("_a", "_b"), sort=False)
    published = published.assign(in_a=published.pop("there_a").eq(True), in_b=published.pop("there_b").eq(True))
    if len(rows):
        rows = rows.merge(published[[*KEY, "verdict_a", "verdict_b"]], on=KEY, how="left")
        left_out = published.merge(rows[KEY], on=KEY, how="left", indicator=True)
        published = published[left_out["_merge"].eq("left_only").to_numpy()]
    if not len(published):
        return rows
    told = [why(figure) for _, figure in published.iterrows()]
    rest = published.assign(verdict=[verdict for verdict, _ in told], reason=[reason for _, reason in told], family=_families(published))
    rest = rest.drop(columns=["in_a", "in_b"])
    return pd.concat([rows, rest], ignore_index=True) if len(rows) else rest.reset_index(drop=True)


def changed(one: pd.DataFrame, other: pd.DataFrame, reason: str) -> pd.DataFrame:
    """The figures whose value or verdict the two published otherwise although the predictions are the same."""
    found = beside(pd.DataFrame(), one, other, lambda _: (NOT_COMPARABLE, reason))
    alike = np.isclose(found["value_a"].astype(float), found["value_b"].astype(float), rtol=0, atol=1e-12, equal_nan=True)
    return found[~(alike & found["verdict_a"].fillna("").eq(found["verdict_b"].fillna("")).to_numpy())].reset_index(drop=True)


def _figures(scores: pd.DataFrame) -> pd.DataFrame:
    everyone = scores["group"].eq("everyone") & ~scores["metric"].isin(RATES)
    pair = scores["group"].eq(PAIR) & scores["metric"].isin(OF_MODELS)
    over_all = scores["group"].isin([HIGHEST, RATIO, LOWEST, ABOVE, EVERY]) & ~scores["metric"].isin(OF_LABELS)
    return scores.loc[everyone | pair | over_all, [*KEY, "value", "verdict"]].assign(there=True)


def _families(figures: pd.DataFrame) -> np.ndarray:
    pair = np.where(figures["convention"] == OURS, PAIRS, f"{PAIRS}, " + figures["convention"])
    return np.select([figures["group"] == "everyone", figures["group"] == PAIR], [PERFORMANCE, pair], OVER_ALL)
