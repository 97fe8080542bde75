"""The rows that the gate reads: of each metric the most extreme group, or set, of all, with a p-value for all of them together.

A placeholder: Bonferroni over sets of p-values that are max-T within them, which is valid and a little too careful.
"""

from itertools import groupby

import pandas as pd

from stages.contract.vocabulary import ANY_GROUP, ANY_SET
from stages.metrics.group_scores import FROM_EVERYONE
from stages.metrics.scoring import OURS, PAIR, Row, row
from stages.metrics.testing import CANNOT_TELL

MOST = "most extreme: "


def rows(scores: list[Row], groups: pd.DataFrame, fewest: int) -> list[Row]:
    """A row a metric: p of the most extreme set (both of its groups have ``fewest`` people) or group (it has); or why there is none."""
    pairs = sorted((one for one in scores if one["group"] == PAIR and one["convention"] == OURS), key=lambda one: str(one["metric"]))
    found = []
    for metric, gaps in groupby(pairs, key=lambda one: one["metric"]):
        tested = [one for one in gaps if one.get("p_value") is not None and one["verdict"] != CANNOT_TELL]
        first = min(tested, key=lambda one: one["p_value"], default=None)
        named = None if first is None else (first["attributes"], first["attributes"].replace("+", " + "), first["value"], first["p_value"])
        found.append(_row(ANY_SET, metric, named, len(tested), f"no attribute set has {fewest} people in both of its groups"))
    own = groups[(groups["comparison"] == FROM_EVERYONE) & groups["verdict"].notna()] if len(groups) else groups
    for metric, of_groups in own.groupby("metric") if len(own) else ():
        large = of_groups[of_groups["value"].notna() & (of_groups["people"] >= fewest)]
        if large["p_value"].isna().all() and (large["value"] == 0).all():  # everyone is alike: p is 1 where there are two to compare
            large = large[large.groupby("attributes")["group"].transform("size") > 1].assign(p_value=1.0)
        large, named = large[large["p_value"].notna()], None
        if len(large):
            best = large.loc[large["p_value"].idxmin()]
            named = (best["attributes"], f"{best['group']} of {best['attributes'].replace('+', ' + ')}", best["value"], best["p_value"])
        found.append(_row(ANY_GROUP, str(metric), named, large["attributes"].nunique(), f"no group with {fewest} people could be tested"))
    return found


def _row(group: str, metric: str, named: tuple[str, str, float, float] | None, sets: int, why: str) -> Row:
    if named is None:
        return row((), group, metric, None, (float("nan"), float("nan"), why))
    attributes, name, value, p = named
    scored = row(tuple(attributes.split("+")), group, metric, value, (float("nan"), float("nan"), f"{MOST}{name}"))
    return scored | {"p_value": min(1.0, sets * float(p))}
