"""Precision, recall and F1 of both decisions, their plain and their weighted mean: scikit-learn's classification report with intervals."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stages.metrics.intervals import Interval, accelerated_interval, acceleration
from stages.metrics.scoring import Row, Rules, row

Vector = NDArray[np.float64]
# Columns of counts: label and decision favourable, label alone, decision alone, neither.
BOTH, LABEL, DECISION, NEITHER = range(4)
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
    """The figures over everyone, intervals (BCa) from resampled authors; ``n`` is the own denominator, so recall's is the support.

    Authors with the same four counts are alike, so that how often each kind is drawn is multinomial: the bootstrap itself, at the
    cost of the kinds. ``frame`` has y_pred, favourable and author_id a text.
    """
    favourable, selected = frame["favourable"].to_numpy(), frame["y_pred"].to_numpy() == 1
    cells = np.stack([favourable & selected, favourable & ~selected, ~favourable & selected, ~favourable & ~selected], axis=1)
    authors = pd.factorize(frame["author_id"])[0]
    by_author = np.stack([np.bincount(authors, cell) for cell in cells.T.astype(float)], axis=1).astype(float)
    kinds, kind, people = np.unique(by_author, axis=0, return_inverse=True, return_counts=True)
    return score_kinds(kinds, people, rules, lambda influence: acceleration(influence[kind.ravel()]))


def score_kinds(kinds: Vector, people: NDArray[np.int64], rules: Rules, speed: Callable[[Vector], float]) -> list[Row]:
    """The same from the counts [kinds, 4] of authors alike and how many there are; ``speed`` finds the acceleration of [kinds]."""
    number, total = people.sum(), people @ kinds
    drawn = np.random.default_rng(rules.seed).multinomial(number, people / number, rules.replicates).astype(float) @ kinds
    point, replicates, without = class_figures(total), class_figures(drawn), class_figures(total - kinds)
    texts = int(total.sum())
    labelled, decided = total[BOTH] + total[LABEL], total[BOTH] + total[DECISION]
    own = {"recall_favourable": labelled, "precision_favourable": decided}
    own |= {name.replace("_f", "_unf"): texts - counted for name, counted in own.items()}
    rows = []
    for metric, value in point.items():
        interval: Interval = (np.nan, np.nan, UNDEFINED)
        if np.isfinite(value):
            influence = np.nan_to_num(value - without[metric])
            interval = accelerated_interval(replicates[metric], float(value), speed(influence), rules.confidence)
        rows.append(row((), "everyone", metric, value, interval) | {"n": int(own.get(metric, texts))})
    return rows
