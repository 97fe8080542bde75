"""The most extreme group of each set of attributes, and of all sets, as scores: what a reader, and the gate, look at first."""

import numpy as np
import pandas as pd

from stages.contract.vocabulary import ANY_GROUP, ANY_OF_SET
from stages.metrics import testing
from stages.metrics.estimates import Tested
from stages.metrics.group_scores import FROM_EVERYONE
from stages.metrics.group_tests import OF_GROUPS_ALONE, SAME
from stages.metrics.scoring import Row, Rules, finite, row


def most_extreme(frame: pd.DataFrame, tests: dict[str, Tested], rules: Rules) -> list[Row]:
    """Rows of scores, from the table of groups: each names a group, with its difference to everyone, interval, p, q and verdict.

    A set's is the group with the smallest q, and p, q and verdict are the group's own. That of all sets is the group with the smallest p
    adjusted for every tested group of every set (max T), which bounds the chance of any false finding of the metric; it has no q and no
    verdict, and is what the gate looks at.
    A disparity goes before a group with a smaller p whose interval holds parity, and among equal p the surest difference goes first.
    """
    rows = []
    tested = frame[(frame["comparison"] == FROM_EVERYONE) & frame["metric"].isin(tests.keys() - SAME.keys())]
    for metric, own in tested.groupby("metric", sort=False):
        p_values = tests[str(metric)].p_family
        verdicts = testing.verdicts(p_values, own["people"], rules.fewest, rules.level, own["ci_low"], own["ci_high"])
        family = own.assign(p_value=p_values, q_value=np.nan, verdict=verdicts)
        if metric not in OF_GROUPS_ALONE:
            rows += [_row(of_set, "q_value", ANY_OF_SET) for _, of_set in own.groupby("attributes", sort=False)]
        rows.append(_row(family, "p_value", ANY_GROUP) | {"verdict": None})
    return rows


def _row(groups: pd.DataFrame, by: str, name: str) -> Row:
    order = groups.assign(
        later=groups["verdict"] != testing.DISPARITY, doubt=((groups["ci_high"] - groups["ci_low"]) / groups["value"].abs()).round(9)
    )
    first = order.sort_values(["later", by, "doubt"], kind="stable").iloc[0]
    sets = tuple(first["attributes"].split("+"))
    if np.isnan(first[by]):
        why = "in no group are there enough people both inside and outside it"
        place = sets if name == ANY_OF_SET else ()
        return row(place, name, first["metric"], None, (np.nan, np.nan, why)) | {"p_value": None, "verdict": testing.CANNOT_TELL}
    named = first["group"] + (f" of {' + '.join(sets)}" if name == ANY_GROUP else "")
    found = row(sets, name, first["metric"], first["value"], (first["ci_low"], first["ci_high"], f"most extreme: {named}"))
    return found | {"n": int(first["n"]), "p_value": first["p_value"], "q_value": finite(first["q_value"]), "verdict": first["verdict"]}
