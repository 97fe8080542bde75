"""Inequality of benefits between people: generalised entropy, Theil, coefficient of variation and Gini (Speicher et al. 2018).

A text's benefit is 1 + decision - label: 0 for a favourable label turned down, 2 for an unfavourable one selected, 1 for a right
decision. All are 0 at parity (everybody benefits alike) and >= 0, from counts [..., 4]; NaN where nobody is counted or nobody benefits.
"""

import numpy as np
from scipy.special import xlogy

from stages.metrics.contingency import FAVOURABLE, SELECTED, TEXTS, TRUE_SELECTED
from stages.metrics.fairness import Sums, ratio

BENEFITS = np.array([0.0, 1.0, 2.0])


def people_by_benefit(counts: Sums) -> Sums:
    """How many texts [..., 3] of counts [..., 4] have benefit 0, 1 and 2: misses, right decisions, false alarms."""
    miss, false_alarm = (counts[..., index] - counts[..., TRUE_SELECTED] for index in (FAVOURABLE, SELECTED))
    return np.stack([miss, counts[..., TEXTS] - miss - false_alarm, false_alarm], axis=-1)


def generalised_entropy(benefits: Sums, people: Sums, alpha: float) -> Sums:
    """GE(alpha) [...] of benefits b [..., kinds] that ``people`` [..., kinds] have each, with mean m.

    mean((b/m)^alpha - 1) / (alpha (alpha - 1)); alpha = 1: mean(b/m ln b/m) (Theil); alpha = 0: -mean(ln b/m), which is infinite
    once anyone has benefit 0, as is every negative alpha.
    """
    everyone = people.sum(axis=-1, keepdims=True)
    mean = ratio((people * benefits).sum(axis=-1, keepdims=True), everyone)
    relative = ratio(np.broadcast_to(benefits, people.shape), mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        if alpha == 1:
            terms = xlogy(relative, relative)
        elif alpha == 0:
            terms = -np.log(relative)
        else:
            terms = (relative**alpha - 1) / (alpha * (alpha - 1))
    found = (ratio(people, everyone) * np.where(people > 0, terms, 0)).sum(axis=-1)
    return np.where(mean[..., 0] > 0, found, np.nan)


def theil_index(counts: Sums) -> Sums:
    """GE(1) of the benefits [...], in [0, ln n]."""
    return generalised_entropy(BENEFITS, people_by_benefit(counts), 1)


def coefficient_of_variation(counts: Sums) -> Sums:
    """Standard deviation over mean of the benefits [...] = sqrt(2 GE(2)); tools with 2 sqrt(GE(2)) are sqrt(2) too large."""
    return np.sqrt(2 * generalised_entropy(BENEFITS, people_by_benefit(counts), 2))


def between_groups(counts: Sums, alpha: float) -> Sums:
    """GE(alpha) [...] if everyone had the mean benefit of their group, of counts [..., groups, 4] of groups that do not overlap.

    The part of the inequality that lies between groups; what is left of GE(alpha) of everyone lies within them.
    """
    benefit = 1 + ratio(counts[..., SELECTED] - counts[..., FAVOURABLE], counts[..., TEXTS])
    return generalised_entropy(np.where(counts[..., TEXTS] > 0, benefit, 0), counts[..., TEXTS], alpha)


def gini(counts: Sums) -> Sums:
    """Gini coefficient of the benefits [...] = sum of |b_i - b_j| over all ordered pairs / (2 n^2 mean), in [0, 1)."""
    people = people_by_benefit(counts)
    everyone = people.sum(axis=-1)
    apart = np.einsum("...i,ij,...j->...", people, np.abs(BENEFITS[:, None] - BENEFITS), people)
    return ratio(apart, 2 * everyone * (people @ BENEFITS))


def treatment_equality(counts: Sums) -> Sums:
    """(FN - FP) / (FN + FP) [...], in [-1, 1]: which way the errors go, to compare between groups; NaN without one (Singh et al. 2021)."""
    people = people_by_benefit(counts)
    return ratio(people[..., 0] - people[..., 2], people[..., 0] + people[..., 2])
