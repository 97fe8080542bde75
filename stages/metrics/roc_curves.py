"""Receiver operating characteristics of everyone and of groups, thinned to what a chart can show."""

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from stages.metrics.shown_groups import Panel

Vector = NDArray[np.float64]
MOST = 60
SCHEMA = pa.schema(
    [
        ("attributes", pa.string()),
        ("group", pa.string()),
        ("point", pa.int64()),
        ("fpr", pa.float64()),
        ("tpr", pa.float64()),
        ("auc", pa.float64()),
        ("n", pa.int64()),
        ("n_favourable", pa.int64()),
        ("left_out", pa.int64()),
    ]
)


def roc_curves(frame: pd.DataFrame, panels: list[Panel]) -> pa.Table:
    """One row a point of a curve, from (0, 0) to (1, 1); the area under the whole curve is the Mann-Whitney AUC, chance 1/2.

    ``frame`` has y_true, y_score, favourable a text. ``left_out`` are groups of a panel without a curve: too few texts, or all of one
    label. Labels that are no decisions (regression) have no curve and no row. ``n`` [texts].
    """
    score, favourable = frame["y_score"].to_numpy(dtype=float), frame["favourable"].to_numpy(dtype=bool)
    parts = []
    for panel in panels if frame["y_true"].isin((0, 1)).all() else ():
        drawn = {name: rows for name, rows in panel.groups.items() if 0 < favourable[rows].sum() < len(rows)}
        for name, rows in drawn.items():
            x, y = curve(score[rows], favourable[rows])
            thinned = thin(x, y)
            points = pd.DataFrame({"fpr": thinned[0], "tpr": thinned[1]}).round(6)
            whole = {"auc": round(area(x, y), 6), "n": len(rows), "n_favourable": int(favourable[rows].sum())}
            left_out = panel.left_out + len(panel.groups) - len(drawn)
            parts.append(points.assign(attributes=panel.attributes, group=name, point=np.arange(len(points)), left_out=left_out, **whole))
    return pa.Table.from_pandas(pd.concat(parts), schema=SCHEMA, preserve_index=False) if parts else SCHEMA.empty_table()


def curve(score: Vector, favourable: NDArray[np.bool_]) -> tuple[Vector, Vector]:
    """False and true positive rates [thresholds + 1] as the threshold falls from above all scores; equal scores are one step."""
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, True)
    sides = [np.append(0, np.cumsum(side[order])[last]) for side in (~favourable, favourable)]
    return sides[0] / sides[0][-1], sides[1] / sides[1][-1]


def area(x: Vector, y: Vector) -> float:
    """The area under a line, by trapezoids."""
    return float(np.trapezoid(y, x))


def thin(x: Vector, y: Vector, most: int = MOST) -> tuple[Vector, Vector]:
    """At most ``most`` of a curve's own points, its ends among them, with nearly its area (within 0.001 for ROC curves).

    Corners alone are kept, of more than 3 x ``most`` those nearest to equal steps along the curve; then, one after another, the point
    goes whose triangle with its neighbours is smallest (Visvalingam and Whyatt 1993) and brings the area back to the whole curve's.
    """
    whole = area(x, y)
    kept = np.flatnonzero(np.concatenate([[True], _triangles(x, y) != 0, [True]]))
    if len(kept) > 3 * most:
        along = (x + y)[kept]
        kept = kept[np.unique(np.searchsorted(along, np.linspace(along[0], along[-1], 3 * most)))]
    x, y = x[kept], y[kept]
    while len(x) > most:
        apart, gained = area(x, y) - whole, _triangles(x, y)
        goes = 1 + int(np.argmin(np.abs(gained) + np.abs(apart + gained)))
        x, y = np.delete(x, goes), np.delete(y, goes)
    return x, y


def _triangles(x: Vector, y: Vector) -> Vector:
    """What the area under the line gains where an inner point goes [points - 2]."""
    before, after = (x[1:-1] - x[:-2], y[1:-1] - y[:-2]), (x[2:] - x[1:-1], y[2:] - y[1:-1])
    return (before[0] * after[1] - before[1] * after[0]) / 2
