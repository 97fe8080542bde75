"""Precision, recall and F1 of both decisions, their plain and their weighted mean: scikit-learn's classification report with intervals."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stages.metrics.intervals import Interval, jackknife_interval
from stages.metrics.scoring import Row, Rules, row

Vector = NDArray[np.float64]
# Columns of counts: label and decision favourable, label alone, decision alone, neither.
BOTH, LABEL, DECISION, NEITHER = range(4)
CLASSES = ("favourable", "unfavourable")
UNDEFINED = "undefined: no text has this label or none this decision"


def class_figures(counts: Vector) -> dict[str, Vector]:
    """The twelve figures, each in [0, 1] with no parity value, of ``counts`` [..., 4]; NaN where a denominator is 0.

    Of a class: precision = right / decided so, recall = right / labelled so (which are its support), f1 = 2 right / (decided + labelled).
    macro: the mean over both classes; weighted: weighted by support, so that weighted recall is the accuracy.
    """
    both, label, decision, neither = np.moveaxis(counts, -1, 0)
    found: dict[str, Vector] = {}
    with np.errstate(divide="ignore", invalid="ignore"):
        for name, right, missed, wrong in (("favourable", both, label, decision), ("unfavourable", neither, decision, label)):
            found[f"precision_{name}"] = right / (right + wrong)
            found[f"recall_{name}"] = right / (right + missed)
            found[f"f1_{name}"] = 2 * right / (2 * right + missed + wrong)
        share = (both + label) / counts.sum(axis=-1)
    for figure in ("precision", "recall", "f1"):
        first, second = found[f"{figure}_favourable"], found[f"{figure}_unfavourable"]
        found |= {f"{figure}_macro": (first + second) / 2, f"{figure}_weighted": share * first + (1 - share) * second}
    return found


def score_classes(frame: pd.DataFrame, rules: Rules) -> list[Row]:
    """The figures over everyone, intervals from leaving out authors; ``n`` is the own denominator, so recall's is the support.

    ``frame`` has y_pred, favourable and author_id a text.
    """
    favourable, selected = frame["favourable"].to_numpy(), frame["y_pred"].to_numpy() == 1
    cells = np.stack([favourable & selected, favourable & ~selected, ~favourable & selected, ~favourable & ~selected], axis=1)
    authors = pd.factorize(frame["author_id"])[0]
    by_author = np.stack([np.bincount(authors, cell) for cell in cells.T.astype(float)], axis=1).astype(float)
    kinds, people = np.unique(by_author, axis=0, return_counts=True)
    return score_kinds(kinds, people, rules)


def score_kinds(kinds: Vector, people: NDArray[np.int64], rules: Rules) -> list[Row]:
    """The same from the counts [kinds, 4] of authors alike and how many there are of each."""
    number, total = people.sum(), people @ kinds
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = {name: (people @ part) ** 2 / (people @ part**2) for name, part in _counted(kinds).items()}
    counted, point, without = _counted(total), class_figures(total), class_figures(total - kinds)
    rows = []
    for metric, value in point.items():
        figure, of = metric.split("_")
        own = [f"{figure}_{of}"] if of in CLASSES else [f"{figure}_{name}" for name in CLASSES]
        interval: Interval = (np.nan, np.nan, UNDEFINED)
        if np.isfinite(value):
            error = float(np.sqrt((number - 1) / number * (people @ (value - without[metric]) ** 2)))  # NaN where nobody else counts
            interval = jackknife_interval(float(value), error, min(float(shares[name]) for name in own), rules.confidence, "share")
        n = counted[metric] if metric in counted and figure != "f1" else total.sum()
        rows.append(row((), "everyone", metric, value, interval) | {"n": int(n)})
    return rows


def _counted(counts: Vector) -> dict[str, Vector]:
    """The denominators [...] of a class's figures from ``counts`` [..., 4]."""
    both, label, decision, neither = np.moveaxis(counts, -1, 0)
    found: dict[str, Vector] = {}
    for name, right, missed, wrong in (("favourable", both, label, decision), ("unfavourable", neither, decision, label)):
        found |= {f"precision_{name}": right + wrong, f"recall_{name}": right + missed, f"f1_{name}": 2 * right + missed + wrong}
    return found
