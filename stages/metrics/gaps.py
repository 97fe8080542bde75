"""Gaps of any rate over groups: to a reference, to everyone, between the extremes, and the worst group; with the usual named gaps.

``values`` [..., groups] are one rate of every group, NaN where undefined. An undefined rate is no extreme and takes no part;
`undefined_groups` lists it. A comparison needs two measured groups: with fewer it is NaN, never "no difference".
"""

from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput
from stages.metrics.contingency import FAVOURABLE, SELECTED, TEXTS
from stages.metrics.fairness import Sums, ratio
from stages.metrics.groupwise import rates

Worst = Literal["lowest", "highest"]


def lowest(values: Sums) -> Sums:
    """The smallest measured value [...]; NaN where no group is measured."""
    return np.fmin.reduce(values, axis=-1, initial=np.nan)


def highest(values: Sums) -> Sums:
    """The largest measured value [...]; NaN where no group is measured."""
    return np.fmax.reduce(values, axis=-1, initial=np.nan)


def max_minus_min(values: Sums) -> Sums:
    """Highest minus lowest value [...], >= 0, parity 0. Grows with the number of groups under pure noise: read it beside a null."""
    return np.where(_comparable(values), highest(values) - lowest(values), np.nan)


def min_over_max(values: Sums) -> Sums:
    """Lowest over highest value [...] of rates >= 0, in [0, 1], parity 1; NaN where the highest is 0 (0/0 is no measurement)."""
    return np.where(_comparable(values), ratio(lowest(values), highest(values)), np.nan)


def worst_gap(values: Sums, everyone: Sums, worst: Worst = "lowest") -> Sums:
    """How far the worst group is from everyone [...]: everyone - lowest, or highest - everyone where high values are bad; parity 0.

    Not the largest distance from everyone (fairlearn's ``to_overall``), which may be that of a group that is better off.
    """
    gap = everyone - lowest(values) if worst == "lowest" else highest(values) - everyone
    return np.where(_comparable(values), gap, np.nan)


def worst_group(values: Sums, worst: Worst = "lowest") -> NDArray[np.int64]:
    """Which group is the worst [...], the first of equals; -1 where no comparison is possible."""
    burden = values if worst == "lowest" else -values
    return np.where(_comparable(values), np.where(np.isnan(burden), np.inf, burden).argmin(axis=-1), -1)


def undefined_groups(values: Sums, names: Sequence[Hashable]) -> list[Hashable]:
    """The names of groups [groups] without a value, which take no part in a gap and have to be named beside it."""
    return [name for name, value in zip(names, values, strict=True) if np.isnan(value)]


def summary(values: Sums, everyone: Sums, reference: int | None = None, worst: Worst = "lowest") -> dict[str, NDArray[Any]]:
    """Every gap of one rate: [..., groups] to everyone and, where given, to the group ``reference``; [...] over all groups.

    Differences are value - reference (parity 0, signed), ratios value / reference (parity 1, NaN where the reference is 0).
    ``everyone`` [...] is the rate of all texts, of which each group is a part; for a group against the rest subtract counts first.
    """
    against = {"everyone": everyone[..., None]} | ({} if reference is None else {"reference": values[..., reference, None]})
    found: dict[str, NDArray[Any]] = {f"difference_to_{name}": values - other for name, other in against.items()}
    found |= {f"ratio_to_{name}": ratio(values, other) for name, other in against.items()}
    found |= {"max_minus_min": max_minus_min(values), "min_over_max": min_over_max(values)}
    return found | {"worst_gap": worst_gap(values, everyone, worst), "worst_group": worst_group(values, worst)}


def statistical_parity(counts: Sums) -> Sums:
    """Highest minus lowest selection rate of counts [..., groups, 4], in [0, 1], parity 0 (Dwork et al. 2012)."""
    return max_minus_min(rates(counts)["selection_rate"][0])


def equal_opportunity(counts: Sums) -> Sums:
    """Highest minus lowest TPR of counts [..., groups, 4], in [0, 1], parity 0 (Hardt et al. 2016)."""
    return max_minus_min(rates(counts)["tpr"][0])


def equalised_odds(counts: Sums, combine: Literal["worst", "mean", "ratio"] = "worst") -> Sums:
    """TPR and FPR together over counts [..., groups, 4] (Hardt et al. 2016); NaN where either is undefined.

    worst: the larger of the two max-min gaps, and mean: their mean, both in [0, 1] with parity 0; ratio: the smaller of the two
    min/max ratios, in [0, 1] with parity 1.
    """
    found = rates(counts)
    if combine == "ratio":
        return np.minimum(min_over_max(found["tpr"][0]), min_over_max(found["fpr"][0]))
    gaps = max_minus_min(found["tpr"][0]), max_minus_min(found["fpr"][0])
    return np.maximum(*gaps) if combine == "worst" else (gaps[0] + gaps[1]) / 2


def average_odds(counts: Sums, reference: int, absolute: bool = False) -> Sums:
    """Mean of the TPR and FPR differences to the group ``reference`` [..., groups], in [-1, 1], parity 0 (Bellamy et al. 2018).

    Signed, opposite differences cancel, so that 0 does not show equal odds; with ``absolute`` (in [0, 1]) it does.
    """
    differences = [value - value[..., reference, None] for value in (rates(counts)[name][0] for name in ("tpr", "fpr"))]
    one, other = np.abs(differences) if absolute else differences
    return (one + other) / 2


def differential_fairness(counts: Sums, of: Literal["decisions", "labels"], concentration: float = 1.0) -> Sums:
    """Smoothed empirical differential fairness epsilon [...], in [0, inf), parity 0, of counts [..., groups, 4] (Foulds et al. 2020).

    max over outcomes o and groups a, b of |ln P(o|a) - ln P(o|b)|, with P(o|group) = (k + c/2) / (n + c) for concentration c.
    Empty groups take no part. Smoothing pulls small groups together; with c = 0 an outcome that one group never has makes epsilon
    infinite, and one that nobody has tells no groups apart. A negative concentration is BadInput.
    """
    if concentration < 0:
        raise BadInput(f"concentration is {concentration}: smoothing adds pseudo-counts, give 0 or more")
    texts, successes = counts[..., TEXTS], counts[..., SELECTED if of == "decisions" else FAVOURABLE]
    spreads = []
    for outcome in (successes, texts - successes):
        share = ratio(outcome + concentration / 2, np.where(texts > 0, texts + concentration, 0))
        least, most = lowest(share), highest(share)
        with np.errstate(divide="ignore"):
            spreads.append(np.log(np.where(most == 0, 1, most)) - np.log(np.where(most == 0, 1, least)))
    return np.where(_comparable(np.where(texts > 0, texts, np.nan)), np.maximum(*spreads), np.nan)


def bias_amplification(counts: Sums, concentration: float = 1.0) -> Sums:
    """Epsilon of the decisions minus epsilon of the labels [...]: above 0 the model widens what the labels have (Foulds et al. 2020)."""
    decisions, labels = (differential_fairness(counts, of, concentration) for of in ("decisions", "labels"))
    return decisions - labels


def _comparable(values: Sums) -> NDArray[np.bool_]:
    return (~np.isnan(values)).sum(axis=-1) >= 2
