"""Which groups are further from everyone than chance makes any of them: Westfall and Young's max T tests over the groups of a set.

Null draws have demographics dealt anew (permutation.py), so that the tests keep what dependence groups and texts have. A group's
statistic is the signed root of a binomial log-likelihood ratio, sqrt(2 n KL(rate || everyone)), with n as many independent texts as
the null variance of its rate is worth. Unlike a standardised difference, which one person of a rare outcome makes arbitrarily large,
it is at most sqrt(2 n log(1 / everyone)) in a group of n.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput
from stages.metrics.between import Gap
from stages.metrics.fairness import Sums, ratio

TIE = 1 - 1e-9  # rates that are equal on paper differ in their last digits


@dataclass(frozen=True)
class Furthest:
    """``statistic`` [groups] is signed: below 0, less than everyone. ``p_groups`` [groups] and ``p_sets`` [sets] are adjusted.

    Where no group of a set differs, any p_groups <= a in at most a share a of studies; p_sets is that of each set's furthest group.
    Everyone includes a group that differs, so that beside a large one the others differ from everyone too, and may be found to.
    NaN where a group has no value (it is no member of the family), and where a set has no group with one.
    """

    statistic: Sums
    p_groups: Sums
    p_sets: Sums


def adjusted(rates: Sums, null: Sums, everyone: Sums | float, starts: NDArray[np.int64]) -> Furthest:
    """Step-down max T tests of rates [groups] in [0, 1] against ``everyone`` (one rate, or [groups]), with null rates [draws, groups].

    ``starts`` [sets + 1] says where each set's groups begin and end. p = (1 + draws whose maximum is as far) / (1 + draws), the
    maximum being over the groups that are not further out than the tested one, and never below the p of one that is. A group whose
    null rates never vary (it holds everyone, or all outcomes are alike) is not tested. Rates outside [0, 1] are BadInput.
    """
    if not ((rates >= 0) & (rates <= 1) | np.isnan(rates)).all():
        raise BadInput("max T tests are of rates in [0, 1]: give a share of texts of each group, or NaN")
    centre = np.broadcast_to(everyone, rates.shape).astype(float)
    worth = _independent_texts(null, centre)
    statistic = _signed_root(rates, centre, worth)
    drawn = np.abs(_signed_root(null, centre, worth))
    p_groups, p_sets = np.full(len(rates), np.nan), np.full(len(starts) - 1, np.nan)
    for number, (start, stop) in enumerate(pairwise(starts)):
        tested = start + np.flatnonzero(~np.isnan(statistic[start:stop]))
        if len(tested):
            p_groups[tested] = _step_down(np.abs(statistic[tested]), drawn[:, tested])
            p_sets[number] = p_groups[tested].min()
    return Furthest(statistic, p_groups, p_sets)


def bands(gap: Gap, null: Sums, texts: Sums, starts: NDArray[np.int64], confidence: float) -> tuple[Sums, Sums]:
    """Where the central ``confidence`` of a gap lies under the null, two arrays [sets]; NaN where no draw has two measured groups.

    ``null`` [draws, groups] or [kinds, draws, groups] are null rates of one or several kinds, of which the furthest from parity
    counts, and ``texts`` [groups] or [kinds, groups] how many texts they are of.
    """
    kinds, counted = null.reshape(-1, *null.shape[-2:]), np.atleast_2d(texts)
    ends = np.full((2, len(starts) - 1), np.nan)
    for number, (start, stop) in enumerate(pairwise(starts)):
        found = [_distances(gap, kind[:, start:stop], weights[start:stop]) for kind, weights in zip(kinds, counted, strict=True)]
        distance = np.maximum.reduce(found)
        if not np.isnan(distance).all():
            ends[:, number] = np.nanquantile(distance, [(1 - confidence) / 2, (1 + confidence) / 2])
    return (ends[0], ends[1]) if gap.parity == 0 else (gap.parity - ends[1], gap.parity - ends[0])


def _distances(gap: Gap, null: Sums, texts: Sums) -> Sums:
    known = (~np.isnan(null)).sum(axis=1) >= 2
    found = np.full(len(null), np.nan)
    found[known] = np.abs(gap.of(null[known], texts) - gap.parity)
    return found


def _independent_texts(null: Sums, everyone: Sums) -> Sums:
    """everyone (1 - everyone) over the null variance of each group's rate [groups]; NaN where that is no number above 0."""
    measured = ~np.isnan(null)
    number = measured.sum(axis=0)
    values = np.where(measured, null, 0)
    mean = ratio(values.sum(axis=0), number)
    variance = ratio(np.where(measured, (values - mean) ** 2, 0).sum(axis=0), number)
    return ratio(everyone * (1 - everyone), np.where(variance > 1e-18, variance, 0))


def _signed_root(rates: Sums, everyone: Sums, texts: Sums) -> Sums:
    """sign(rate - everyone) sqrt(2 texts KL(rate || everyone)) of rates [..., groups], about standard normal where they are equal."""
    tiny = np.finfo(float).tiny  # 0 log 0 = 0
    with np.errstate(invalid="ignore", divide="ignore"):
        divergence = rates * np.log(np.maximum(rates, tiny) / everyone)
        divergence += (1 - rates) * np.log(np.maximum(1 - rates, tiny) / (1 - everyone))
    return np.sign(rates - everyone) * np.sqrt(2 * texts * np.maximum(divergence, 0))


def _step_down(observed: Sums, drawn: Sums) -> Sums:
    """Adjusted p [groups] of sizes ``observed`` [groups] beside null sizes ``drawn`` [draws, groups], NaN where not measured."""
    order = np.argsort(observed, kind="stable")
    largest = np.fmax.accumulate(drawn[:, order], axis=1)
    p_values = (1 + (largest >= observed[order] * TIE).sum(axis=0)) / (1 + len(drawn))
    # A group that few draws measure is not the further out for it: its p is at least that among its own draws.
    alone = (1 + (drawn >= observed * TIE).sum(axis=0)) / (1 + (~np.isnan(drawn)).sum(axis=0))
    p_values = np.maximum(p_values, alone[order])
    found = np.empty(len(observed))
    found[order[::-1]] = np.maximum.accumulate(p_values[::-1])
    return found
