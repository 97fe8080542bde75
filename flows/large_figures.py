"""Performance of big predictions: its figures from tables, and how far the people of a lot move them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stages.metrics import placements
from stages.metrics.fairness import add_up, ratio
from stages.metrics.performance import METRICS

Numbers = NDArray[np.float64]
Index = NDArray[np.int64]
Sides = tuple[placements.Side, placements.Side]


@dataclass(frozen=True)
class Everyone:
    """The figures of performance and what an author's influence on them is made of.

    ``counted``: everyone's texts, and those that f1 counts, favourable or selected. ``effective`` people by each figure.
    """

    point: dict[str, float]
    texts: int
    favourable: int
    selected: int
    score: tuple[float, float]
    label: tuple[float, float]
    counted: Sides
    effective: dict[str, float]


def figures(texts: Numbers, scores: Numbers, auc: float, sides: Sides, counted: Sides) -> Everyone:
    """Performance from ``texts`` [label, decision] and sums of score, its square, score x label and squared error."""
    number, favourable, selected, hit = texts.sum(), texts[1].sum(), texts[:, 1].sum(), texts[1, 1]
    total, squares, product, errors = scores
    base, mean = favourable / number, total / number
    variances = base * (1 - base), max(0.0, squares / number - mean**2)
    point = {
        "accuracy": (texts[0, 0] + hit) / number,
        "f1": float(_over(2 * hit, favourable + selected)),
        "auc": auc,
        "mse": errors / number,
        "pearson_r": float(_over(product / number - base * mean, np.sqrt(variances[0] * variances[1]))),
    }
    ends = (mean, float(np.sqrt(variances[1]))), (base, float(np.sqrt(variances[0])))
    effective = dict.fromkeys(METRICS, float(counted[0].effective()[-1])) | {"f1": float(counted[1].effective()[-1])}
    effective["auc"] = float(min(side.effective()[-1] for side in sides))
    return Everyone(
        {metric: float(point[metric]) for metric in METRICS}, int(number), int(favourable), int(selected), *ends, counted, effective
    )


def moved(
    score: Numbers, label: NDArray[np.bool_], decision: NDArray[np.bool_], owner: Index, people: int, everyone: Everyone
) -> list[Numbers]:
    """As ``performance.moved`` [people], in the order of its ``METRICS`` but for auc; ``owner`` [rows] are the people of a lot."""
    return [_of_person(part, owner, people, counted) for part, counted in _influence(score, label, decision, everyone)]


def _of_person(parts: Numbers, owner: Index, people: int, counted: tuple[Numbers, placements.Side]) -> Numbers:
    """As ``performance.moved`` [people], from the influence of texts and how often each counts, and everyone's."""
    counting, whole = counted
    texts, moved = (add_up(owner, part, people) for part in (counting, parts))
    return np.asarray(whole.corrected()[-1] * placements.left_out(moved, texts, whole.texts[-1]))


def _influence(
    score: Numbers, label: NDArray[np.bool_], decision: NDArray[np.bool_], of: Everyone
) -> list[tuple[Numbers, tuple[Numbers, placements.Side]]]:
    """As ``performance.influence``, in the order of its ``METRICS`` but for auc, each with how often a text counts."""
    hit, both, once = label & decision, label.astype(float) + decision, np.ones(len(score))
    y, s = ((values - mean) / (deviation or np.nan) for values, (mean, deviation) in ((label, of.label), (score, of.score)))
    texts, named = of.counted
    return [
        (((label == decision) - of.point["accuracy"]) / of.texts, (once, texts)),
        (_over(2 * hit - of.point["f1"] * both, of.favourable + of.selected), (both, named)),
        (((score - label) ** 2 - of.point["mse"]) / of.texts, (once, texts)),
        ((y * s - of.point["pearson_r"] * (y**2 + s**2) / 2) / of.texts, (once, texts)),
    ]


def _over(above: Numbers | float, below: Numbers | float) -> Numbers:
    return ratio(np.asarray(above, dtype=float), np.asarray(below, dtype=float))
