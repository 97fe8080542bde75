"""What other tools call these quantities and how they compute them, their mistakes included, so that their figures can be matched.

Every convention takes counts ``groups`` [..., groups, 4], ``everyone`` [..., 4] and, where it compares with one group, the index
``reference``. Figures are [..., groups] where each group has its own, else [...]. Our own definitions are in gaps.py.
"""

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput
from stages.metrics import fairness, gaps, inequality
from stages.metrics.contingency import FAVOURABLE, SELECTED, TEXTS, TRUE_SELECTED
from stages.metrics.fairness import Sums, ratio
from stages.metrics.groupwise import rates

Convention = Literal["fairlearn", "aif360", "aequitas", "naacl2022", "ll144", "fairlib"]
Figures = dict[str, Sums]
AEQUITAS_NAMES = {"selection_rate": "pprev", "ppv": "precision"}


def figures(convention: Convention, groups: Sums, everyone: Sums, reference: int | None = None) -> Figures:
    """The figures of one tool by the names it gives them; BadInput where it compares with a reference group and none is given."""
    alone = {"fairlearn": fairlearn, "ll144": ll144, "fairlib": fairlib}
    against = {"aif360": aif360, "aequitas": aequitas, "naacl2022": naacl2022}
    if convention in alone:
        return alone[convention](groups, everyone)
    if convention not in against:
        raise BadInput(f"no convention {convention!r}: choose one of {', '.join(get_args(Convention))}")
    if reference is None:
        raise BadInput(f"convention {convention} compares with one reference group: name it")
    return against[convention](groups, everyone, reference)


def fairlearn(groups: Sums, everyone: Sums) -> Figures:
    """fairlearn 0.15: MetricFrame's figures for each rate and n, then its named disparities (differences >= 0, ratios in [0, 1]).

    Wrong: a rate whose denominator is empty counts as 0, so a group without favourable labels is the worst of all; one group alone
    has difference 0. ``to_overall`` takes the largest deviation, which may be that of a better group.
    """
    present = groups[..., TEXTS] > 0
    found = _metric_frame("n", np.where(present, groups[..., TEXTS], np.nan), everyone[..., TEXTS])
    of_groups, of_everyone = rates(groups), rates(everyone)
    for rate in ("selection_rate", "tpr", "fpr", "fnr", "tnr"):
        values = np.where(present, np.nan_to_num(of_groups[rate][0]), np.nan)
        found |= _metric_frame(rate, values, np.nan_to_num(of_everyone[rate][0]))
    difference = {rate: found[f"{rate}_difference_between_groups"] for rate in ("selection_rate", "tpr", "fpr")}
    odds = {rate: found[f"{rate}_ratio_between_groups"] for rate in ("tpr", "fpr")}
    return found | {
        "demographic_parity_difference": difference["selection_rate"],
        "demographic_parity_ratio": found["selection_rate_ratio_between_groups"],
        "equal_opportunity_difference": difference["tpr"],
        "equalized_odds_difference": np.maximum(difference["tpr"], difference["fpr"]),
        "equalized_odds_difference_mean": (difference["tpr"] + difference["fpr"]) / 2,
        # Python's min of TPR and FPR ratio: an undefined FPR ratio loses the comparison, an undefined TPR ratio wins it.
        "equalized_odds_ratio": np.where(odds["fpr"] < odds["tpr"], odds["fpr"], odds["tpr"]),
    }


def _metric_frame(name: str, values: Sums, overall: Sums) -> Figures:
    """What fairlearn's MetricFrame says of one figure of the groups [..., groups] and of everyone [...]."""
    low, high = gaps.lowest(values), gaps.highest(values)
    quotients = _divide(values, overall[..., None])
    below_one = np.where(quotients > 1, _divide(np.ones_like(values), quotients), quotients)
    return {
        name: values,
        f"{name}_overall": overall,
        f"{name}_group_min": low,
        f"{name}_difference_between_groups": high - low,
        f"{name}_difference_to_overall": gaps.highest(np.abs(values - overall[..., None])),
        f"{name}_ratio_between_groups": ratio(low, high),
        f"{name}_ratio_to_overall": gaps.lowest(below_one),
    }


def aif360(groups: Sums, everyone: Sums, reference: int) -> Figures:
    """AIF360 0.6 (ClassificationMetric): each group as the unprivileged one against ``reference`` as the privileged one.

    Differences are unprivileged - privileged (signed, parity 0), ratios unprivileged / privileged (parity 1, infinite for x/0).
    Differential fairness is over all ``groups``, Theil index and coefficient of variation over everyone, whatever the reference.
    Wrong: equalized_odds_difference = max(|FPR gap|, |TPR gap|) forgets an undefined TPR gap, as a comparison with NaN is False.
    """
    value = {name: rate for name, (rate, _) in rates(groups).items()}
    privileged = {name: rate[..., reference, None] for name, rate in value.items()}
    tpr, fpr = (value[name] - privileged[name] for name in ("tpr", "fpr"))
    quotient = {name: _divide(value[name], privileged[name]) for name in ("selection_rate", "error_rate", "fpr", "fnr")}
    return {
        "disparate_impact": quotient["selection_rate"],
        "statistical_parity_difference": value["selection_rate"] - privileged["selection_rate"],
        "true_positive_rate_difference": tpr,
        "false_positive_rate_difference": fpr,
        "average_odds_difference": (fpr + tpr) / 2,
        "average_abs_odds_difference": (np.abs(fpr) + np.abs(tpr)) / 2,
        "equalized_odds_difference": np.where(np.abs(tpr) > np.abs(fpr), np.abs(tpr), np.abs(fpr)),
        "equal_opportunity_difference": tpr,
        "error_rate_ratio": quotient["error_rate"],
        "false_positive_rate_ratio": quotient["fpr"],
        "false_negative_rate_ratio": quotient["fnr"],
        "smoothed_empirical_differential_fairness": gaps.differential_fairness(groups, "labels"),
        "differential_fairness_bias_amplification": gaps.bias_amplification(groups),
        "theil_index": inequality.theil_index(everyone),
        "coefficient_of_variation": inequality.coefficient_of_variation(everyone),
    }


def aequitas(groups: Sums, everyone: Sums, reference: int, tau: float = 0.8) -> Figures:
    """Aequitas 1.1: rates, disparities (group / reference, parity 1) and parities, 1 where tau <= disparity <= 1 / tau, else 0.

    ``ppr`` is the group's share of all who are selected and no rate of the group: it grows with the group. ``pprev`` is the
    selection rate, so that "Impact Parity" is what others call demographic parity.
    Wrong: x/0 becomes the disparity 10 as if it were measured. An undefined disparity leaves its parity NaN here.
    """
    names = ("tpr", "fpr", "fnr", "tnr", "npv", "for", "fdr", "ppv", "selection_rate")
    of_groups = rates(groups)
    found = {AEQUITAS_NAMES.get(name, name): of_groups[name][0] for name in names}
    found["ppr"] = ratio(groups[..., SELECTED], everyone[..., SELECTED, None])
    quotients = {name: _divide(value, value[..., reference, None]) for name, value in found.items()}
    disparity = {f"{name}_disparity": np.where(np.isinf(value), 10.0, value) for name, value in quotients.items()}
    parity = {}
    for title, name in (("TPR Parity", "tpr"), ("FPR Parity", "fpr"), ("Impact Parity", "pprev")):
        value = disparity[f"{name}_disparity"]
        parity[title] = np.where(np.isnan(value), np.nan, (tau <= value) & (value <= 1 / tau))
    return found | disparity | parity | {"Equalized Odds": parity["TPR Parity"] * parity["FPR Parity"]}


def naacl2022(groups: Sums, everyone: Sums, reference: int) -> Figures:
    """The NAACL 2022 paper's released notebook: each group as the protected one, ``reference`` as the privileged one.

    Wrong: every rate is (k + 1) / (n + 2), so that a ratio of two empty groups is exactly 1, and FV is a gap of selection rates
    where the paper describes one of TPR.
    """
    of = fairness.gaps(groups, groups[..., reference, None, :], everyone[..., None, :], "naacl2022")
    return {"DI": of["di"], "base_rate_ratio": of["di_star"], "adjusted_DI": of["adi"], "FV": of["fv"]}


def ll144(groups: Sums, everyone: Sums, exclude_below: float = 0.0) -> Figures:
    """New York City Local Law 144 (6 RCNY 5-301): impact ratio = selection rate / that of the most selected category, in [0, 1].

    ``groups`` are the categories that do not overlap (sex, race/ethnicity, or their intersections) without the unknown, who are
    counted in n_unknown. A tool that scores selects who is `above_median`. The rule lets an auditor leave categories with less than
    2 % of the data out of the ratios: only on request here (``exclude_below=0.02``), and their rates and numbers stay.
    """
    texts, selection = groups[..., TEXTS], rates(groups)["selection_rate"][0]
    kept = texts >= exclude_below * everyone[..., TEXTS, None]
    compared = np.where(kept, selection, np.nan)
    unknown = everyone[..., TEXTS] - texts.sum(axis=-1)
    impact = ratio(compared, gaps.highest(compared)[..., None])
    return {"n": texts, "n_unknown": unknown, "selection_rate": selection, "impact_ratio": impact, "excluded": (~kept).astype(float)}


def above_median(scores: Sums) -> NDArray[np.bool_]:
    """Local Law 144's scoring rate counts who scores above the median of everyone [rows]; a score at the median is not above it."""
    return scores > np.median(scores)


def fairlib(groups: Sums, everyone: Sums, epsilon: float = 1e-5) -> Figures:
    """fairlib 0.1: root mean square over the two classes of the sum over groups of |rate - rate of everyone|, >= 0, parity 0.

    Wrong: a sum over groups, so that splitting each group in two identical halves doubles it; epsilon is added to TP, FP and FN
    but TN loses twice epsilon; a group that lacks a class gets the TPR 1/2 for it.
    """
    present = groups[..., TEXTS] > 0
    of_groups, of_everyone = _fairlib_rates(groups, epsilon), _fairlib_rates(everyone, epsilon)
    found = {}
    for name, value in of_groups.items():
        apart = np.abs(value - of_everyone[name][..., None])
        by_class = np.where(present, apart, 0).sum(axis=-1)
        found[f"{name}_GAP"] = np.sqrt((by_class**2).mean(axis=0))
    overall = rates(everyone)
    swapped = rates(other_class(everyone))
    macro = (np.nan_to_num(overall["f1"][0]) + np.nan_to_num(swapped["f1"][0])) / 2
    return found | {"accuracy": overall["accuracy"][0], "macro_fscore": macro, "micro_fscore": overall["accuracy"][0]}


def _fairlib_rates(counts: Sums, epsilon: float) -> Figures:
    """TPR, FPR and PPR of each class [2, ...]."""
    both = np.stack([other_class(counts), counts])
    hit = both[..., TRUE_SELECTED] + epsilon
    false_alarm, miss = (both[..., index] - both[..., TRUE_SELECTED] + epsilon for index in (SELECTED, FAVOURABLE))
    rejection = both[..., TEXTS] - (false_alarm + miss + hit) + epsilon
    selected = (hit + false_alarm) / (hit + false_alarm + miss + rejection)
    return {"TPR": hit / (hit + miss), "FPR": false_alarm / (false_alarm + rejection), "PPR": selected}


def other_class(counts: Sums) -> Sums:
    """The counts with the unfavourable class in the place of the favourable one."""
    texts, favourable, selected, hit = (counts[..., index] for index in (TEXTS, FAVOURABLE, SELECTED, TRUE_SELECTED))
    return np.stack([texts, texts - favourable, texts - selected, texts - favourable - selected + hit], axis=-1)


def _divide(numerator: Sums, denominator: Sums) -> Sums:
    """x / 0 is infinite and 0 / 0 NaN, as NumPy and pandas have it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(numerator / denominator)
