"""Gaps as fractions of counts: what a threshold is held against where the last digit of a float would decide.

12 of 20 over 15 of 20 is exactly four fifths, and 0.7999999999999999 in floating point.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property

import numpy as np
import pandas as pd

from stages.metrics.group_scores import ITSELF
from stages.metrics.group_tests import ABOVE, HIGHEST, LOWEST, RATIO
from stages.metrics.groups import RATES
from stages.metrics.scoring import OURS, PAIR

Exact = Callable[[int], Fraction | None]
ODDS = "equalised_odds"
ROUNDING = 1e-9  # further than this no float of counts is from what it stands for


def of_groups(groups: pd.DataFrame) -> Exact:
    """Each row of ``groups`` as its columns ``above`` over ``below``; None where it is no ratio or difference of rates."""
    above, below = groups["above"].to_numpy(), groups["below"].to_numpy()
    return lambda row: Fraction(int(above[row]), int(below[row])) if below[row] else None


def of_scores(scores: pd.DataFrame, groups: pd.DataFrame) -> Exact:
    """Each row of ``scores`` from the counts of the rates that stand beside it and in ``groups``; None where it is no gap of rates."""
    rates = Rates(scores, groups)

    def exact(index: int) -> Fraction | None:
        row = scores.iloc[index]
        found = rates.of_pair(row) if row["group"] == PAIR else rates.of_groups(row)
        return found if found is not None and abs(float(found) - row["value"]) <= ROUNDING else None

    return exact


class Rates:
    """The rates of both tables by place: value x n is a whole number of texts."""

    def __init__(self, scores: pd.DataFrame, groups: pd.DataFrame) -> None:
        self._scores, self._groups = scores, groups

    @cached_property
    def _sides(self) -> dict[tuple[str, str, str], tuple[int, int]]:
        sides = self._scores[self._scores["group"].isin(["everyone", "protected", "privileged"]) & self._scores["metric"].isin(RATES)]
        sides = sides[sides["n"].notna()].fillna({"value": 0.0})  # of nobody 0 of 0, which the smoothed convention makes 1 of 2
        columns = (sides[name] for name in ("attributes", "group", "metric", "value", "n"))
        return {(of, group, metric): (round(value * n), int(n)) for of, group, metric, value, n in zip(*columns, strict=True)}

    def _side(self, attributes: str, group: str, metric: str, more: int = 0) -> Fraction:
        """A rate (k + ``more``) / (n + 2 ``more``); ZeroDivisionError or KeyError where there is none."""
        hits, texts = self._sides["" if group == "everyone" else attributes, group, metric]
        return Fraction(hits + more, texts + 2 * more)

    def of_pair(self, row: pd.Series) -> Fraction | None:
        """A gap of the protected and the privileged group, as in ``fairness.gaps``."""
        ours = row["convention"] == OURS

        def side(group: str, metric: str) -> Fraction:
            return self._side(row["attributes"], group, metric, 0 if ours else 1)

        def over(metric: str) -> Fraction:
            return side("protected", metric) / side("privileged", metric)

        def apart(group: str, metric: str) -> Fraction:
            return abs(side(group, metric) - side("everyone", metric))

        gaps: dict[str, Callable[[], Fraction]] = {
            "di": lambda: over("selection_rate"),
            "di_star": lambda: over("base_rate"),
            "adi": lambda: over("selection_rate") / over("base_rate"),
            "fv": lambda: max(apart("protected", "tpr"), apart("privileged", "tpr")) if ours else apart("protected", "selection_rate"),
        }
        return gaps[row["metric"]]() if row["metric"] in gaps else None

    def of_groups(self, row: pd.Series) -> Fraction | None:
        """A gap over all groups of a set, as in ``group_tests``."""
        attributes, kind = row["attributes"], row["group"]
        if row["metric"] == ODDS:
            found = [self._gap(attributes, metric, HIGHEST) for metric in ("tpr", "fpr")]
            return max(one for one in found if one is not None)
        return self._gap(attributes, row["metric"], kind) if row["metric"] in RATES else None

    def _gap(self, attributes: str, metric: str, kind: str) -> Fraction | None:
        table = self._groups
        own = table[(table["attributes"] == attributes) & (table["metric"] == metric) & (table["comparison"] == ITSELF)]
        values, texts = own["value"].to_numpy(dtype=float), own["n"].to_numpy()
        extremes = [(round(values[at] * texts[at]), int(texts[at])) for at in (np.nanargmin(values), np.nanargmax(values))]
        lowest, highest = (Fraction(*counts) for counts in extremes)
        if kind in (HIGHEST, RATIO):
            return highest - lowest if kind == HIGHEST else lowest / highest
        everyone = self._side("", "everyone", metric)
        return {LOWEST: everyone - lowest, ABOVE: highest - everyone}.get(kind)
