"""Groups as they are: of how many a test can tell, which stand out, and what was measured of the single ones and of pairs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from stages.contract.vocabulary import COLLAPSED
from stages.reporting.results import Results, Score, Size

ITSELF, FROM_EVERYONE, OVER_REFERENCE = "none", "difference to everyone", "ratio to reference"
CANNOT_TELL, DISPARITY = "cannot tell", "disparity"
# What a model does to a group. FNR and TNR say the same as TPR and FPR; base rate and mean label are about labels alone.
RATES = ("selection_rate", "tpr", "fpr", "ppv", "npv", "accuracy", "calibration", "brier")
OUTPUTS = ("mean_output", "mean_error", "mae", "mse")
DRAWN = ("selection_rate", "tpr")
MOST, FEWEST = 300, 20  # groups of a cell's full table
ALL = 2400  # of all cells' tables together, so that a page of many cells stays readable; the explorer has more
FIELDS = ("value", "ci_low", "ci_high", "n", "reason", "p_value", "q_value", "verdict", "flagged")


FEW = 10  # people


class Group(NamedTuple):
    """People alike on the attributes of a set, by name: ``woman, Black`` of ``gender+race``."""

    attributes: str
    name: str


class Measured(NamedTuple):
    """A number about a group, how many people it rests on, how many that is in effect, and the pooled estimate of a rate."""

    own: Score
    people: int
    effective: float | None
    pooled: Score | None

    def effectively(self) -> str:
        """``, effectively 7.3`` where a few people wrote so much that ten or more tell no more than fewer than ten would."""
        few = self.effective is not None and self.effective < FEW <= self.people
        return f", effectively {self.effective:.1f}" if few else ""


class Standing(NamedTuple):
    """A group that stands out: by which metric most, what everyone has there, its ratio to the reference group, and by what else."""

    group: Group
    metric: str
    measured: Measured
    everyone: float
    ratio: Score | None
    q_value: float
    also: list[str]


@dataclass(frozen=True)
class AsTheyAre:
    """The groups of one cell.

    ``numbers``: how many groups each set has; ``told``: of how many a test could say something; ``found``: how many stand out, of
    which ``standing`` are the first. ``shown``: the largest groups of single attributes and pairs, with the verdict of those that stand
    out by a metric ``DRAWN``, and ``left_out`` the number of others;
    ``flagged``: of the ``compared`` told groups how many have a selection rate beyond the threshold of ratios to the reference group;
    ``collapsed``: whether the model selects everybody or nobody, so that decisions were not tested.
    """

    numbers: dict[str, int]
    told: int
    found: int
    standing: list[Standing]
    shown: dict[Group, dict[str, Measured]]
    left_out: int
    flagged: int
    compared: int
    collapsed: bool = False

    @property
    def number(self) -> int:
        return sum(self.numbers.values())

    def size(self, group: Group) -> Size:
        """How many texts by how many people a group shown has."""
        base = self.shown[group]["base_rate"]
        return Size(base.own.n or 0, base.people)


def read(groups: pa.Table, results: Results, first: int) -> dict[tuple[str, str], AsTheyAre]:
    """The groups of every cell, with the ``first`` that stand out.

    A group stands out when its verdict, corrected for the groups of its set and for all sets, is disparity.
    """
    cells = list(results.cells())
    most = min(MOST, max(FEWEST, ALL // max(1, len(cells))))
    return {(task, model): _cell(groups.filter(_is(groups, task=task, model=model)), first, most) for task, model in cells}


def _cell(cell: pa.Table, first: int, most: int) -> AsTheyAre:
    bases = cell.filter(_is(cell, metric="base_rate", comparison=ITSELF))
    numbers = {row["values"]: row["counts"] for row in pc.value_counts(bases["attributes"]).to_pylist()}
    stands = pc.is_in(cell["metric"], pa.array([*RATES, *OUTPUTS]))
    tested = cell.filter(pc.and_(pc.and_(stands, _is(cell, comparison=FROM_EVERYONE)), pc.is_valid(cell["verdict"]))).to_pandas()
    told = tested[~tested["verdict"].isin([CANNOT_TELL, COLLAPSED])]
    found = _furthest_first(tested)
    ratios = cell.filter(_is(cell, metric="selection_rate", comparison=OVER_REFERENCE)).to_pandas()
    # A ratio of few people is beyond any threshold by chance.
    ratios = ratios[_keys(ratios).isin(_keys(told[told["metric"] == "selection_rate"])) & ratios["flagged"].notna()]
    shown, left_out = _shown(cell, bases, most)
    return AsTheyAre(
        numbers=numbers,
        told=_keys(told).nunique(),
        found=_keys(found).nunique(),
        standing=list(_standing(cell, found, first)),
        shown=shown,
        left_out=left_out,
        flagged=int(ratios["flagged"].sum()),
        compared=len(ratios),
        collapsed=bool((tested["verdict"] == COLLAPSED).any()),
    )


def _furthest_first(tested: pd.DataFrame) -> pd.DataFrame:
    """Those that stand out, by how far from everyone a group is at least: the nearer end of the interval, 0 where that holds 0.

    Rates differ by 1 at most; other metrics are taken as shares of their range over the groups.
    """
    span = tested.groupby("metric")["value"].agg(lambda values: values.max() - values.min())
    found = tested[tested["verdict"] == DISPARITY]
    spans = np.where(found["metric"].isin(OUTPUTS), found["metric"].map(span), 1.0)
    least = np.fmax(np.fmax(found["ci_low"], -found["ci_high"]), 0) / spans
    return found.iloc[np.lexsort((-found["value"].abs() / spans, -least))]


def _standing(cell: pa.Table, found: pd.DataFrame, first: int) -> Iterator[Standing]:
    """Each group once, by the metric on which it is furthest out."""
    metrics = found.groupby(["attributes", "group"], sort=False)["metric"].agg(list)
    best = found.drop_duplicates(["attributes", "group"]).head(first)
    beside = cell.filter(pc.is_in(cell["group"], pa.array(best["group"].tolist(), pa.string()))).to_pylist()
    rows = {(row["attributes"], row["group"], row["metric"], row["comparison"]): row for row in beside}
    for attributes, name, metric in best[["attributes", "group", "metric"]].itertuples(index=False):
        own, apart = (rows[attributes, name, metric, which] for which in (ITSELF, FROM_EVERYONE))
        ratio = rows.get((attributes, name, metric, OVER_REFERENCE))
        over = None if ratio is None else _score(ratio)
        also = [other for other in metrics[attributes, name] if other != metric]
        yield Standing(Group(attributes, name), metric, _measured(own), own["value"] - apart["value"], over, apart["q_value"], also)


def _shown(cell: pa.Table, bases: pa.Table, most: int) -> tuple[dict[Group, dict[str, Measured]], int]:
    """The largest groups of one or two attributes, in the table's order, and how many are left out."""
    small = bases.filter(pc.less_equal(bases["order"], 2)).to_pandas()
    largest = _keys(small.sort_values("n", ascending=False, kind="stable").head(most))
    drawn = pc.and_(_is(cell, comparison=FROM_EVERYONE), pc.is_in(cell["metric"], pa.array(DRAWN)))
    part = cell.filter(pc.and_(pc.less_equal(cell["order"], 2), pc.or_(drawn, _is(cell, comparison=ITSELF))))
    part = part.filter(pa.array(_keys(part.select(["attributes", "group"]).to_pandas()).isin(largest)))
    shown: dict[Group, dict[str, Measured]] = {}
    tests = {}
    for row in part.to_pylist():
        group = Group(row["attributes"], row["group"])
        if row["comparison"] == ITSELF:
            shown.setdefault(group, {})[row["metric"]] = _measured(row)
        else:
            tests[group, row["metric"]] = row["verdict"]
    for (group, metric), verdict in tests.items():
        if verdict == DISPARITY:
            measured = shown[group][metric]
            shown[group][metric] = measured._replace(own=measured.own._replace(verdict=DISPARITY))
    return shown, len(small) - len(largest)


def _measured(row: dict[str, Any]) -> Measured:
    pooled = Score(row["pooled"], row["pooled_low"], row["pooled_high"], row["n"], None, None, None, None)
    return Measured(_score(row), row["people"], row["effective_people"], None if row["pooled"] is None else pooled)


def _score(row: dict[str, Any]) -> Score:
    return Score(n_protected=None, n_privileged=None, planted=None, **{field: row[field] for field in FIELDS})


def _is(table: pa.Table, **values: str) -> pa.ChunkedArray:
    """Which rows have these values."""
    masks = [pc.equal(table[column], value) for column, value in values.items()]
    return masks[0] if len(masks) == 1 else pc.and_(*masks)


def _keys(frame: pd.DataFrame) -> pd.Series:
    return frame["attributes"] + "\0" + frame["group"]
