"""A model that selects everybody, or nobody: its decisions tell no groups apart, so that no test of them is one."""

import numpy as np
import pandas as pd

from stages.contract.vocabulary import ANY_GROUP, ANY_OF_SET, ANY_SET, COLLAPSED

# What decisions have no part in: it follows from labels, or from scores, alone.
OF_LABELS = ("di_star", "base_rate", "mean_label")
OF_SCORES: tuple[str, ...] = (
    "subgroup_auc",
    "bpsn_auc",
    "bnsp_auc",
    "brier",
    "calibration",
    "mean_score_favourable",
    "mean_score_unfavourable",
)
OF_SCORES += ("mean_output", "mean_error", "mae", "mse", "pearson_r", "output_q10", "output_q50", "output_q90")
TESTS = ("p_value", "q_value", "null_low", "null_high")


def reason(scores: pd.DataFrame) -> str | None:
    """The sentence that says so, None of a model that decides: of whose texts some are selected and some are not.

    ``scores`` has the selection rate of everyone; without any there are no groups, and nothing to say.
    """
    rate = scores.loc[(scores["group"] == "everyone") & (scores["metric"] == "selection_rate"), "value"]
    if not rate.isin([0, 1]).any():
        return None
    return f"{COLLAPSED}: it selects {'every' if rate.iloc[0] else 'no'} text, so that its decisions tell no groups apart"


def marked(table: pd.DataFrame, why: str | None) -> pd.DataFrame:
    """The rows of scores or groups without the tests of what decisions make, where there is a reason ``why``.

    A verdict becomes ``COLLAPSED``; p, q and what chance shows become null; the reason stands where there is no other.
    """
    if why is None or table.empty:
        return table
    table, by_decisions = table.copy(), ~table["metric"].isin([*OF_LABELS, *OF_SCORES])
    extreme = table["group"].str.startswith(ANY_SET) | table["group"].isin([ANY_OF_SET, ANY_GROUP])  # a reason there names who is
    numbers = [name for name in TESTS if name in table]
    tested = by_decisions & (table[[*numbers, "verdict"]].notna().any(axis=1) | extreme)
    table.loc[tested & table["verdict"].notna(), "verdict"] = COLLAPSED
    table.loc[tested, numbers] = np.nan
    table.loc[tested & (table["reason"].isna() | extreme), "reason"] = why
    return table
