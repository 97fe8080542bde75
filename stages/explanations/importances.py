"""The words of many explained texts: mean and mean absolute importance of each, with intervals over texts."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

ONE = "in one explained text alone"


def importances(tokens: Sequence[str], importance: np.ndarray, confidence: float) -> pd.DataFrame:
    """One row a token, the largest mean absolute importance first; ``importance`` [n] of ``tokens`` [n], one for each text that holds it.

    Columns token, documents, importance, absolute, each of the two with _low and _high: mean -+ t(documents - 1) x standard error, null
    with a ``reason`` for a token of one text. The absolute value's lower limit is at least 0.
    """
    frame = pd.DataFrame({"token": tokens, "importance": importance, "absolute": np.abs(importance)})
    groups = frame.groupby("token", sort=True)
    found = pd.DataFrame({"documents": groups.size()})
    number = found["documents"].to_numpy()
    several = number > 1
    times = np.full(len(number), np.nan)
    times[several] = stats.t.ppf((1 + confidence) / 2, number[several] - 1) / np.sqrt(number[several])
    for name in ("importance", "absolute"):
        found[name], half = groups[name].mean(), times * groups[name].std().to_numpy()
        found[f"{name}_low"], found[f"{name}_high"] = found[name] - half, found[name] + half
    found["absolute_low"] = found["absolute_low"].clip(lower=0)
    found["reason"] = pd.Series([None if more else ONE for more in several], found.index, dtype=object)
    return found.reset_index().sort_values(["absolute", "token"], ascending=[False, True], ignore_index=True)
