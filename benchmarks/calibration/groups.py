"""Groups as they are: one attribute of 2 to 100 groups, through the whole audit of groups, at equality and with planted differences."""

from itertools import product

import numpy as np
import pandas as pd

from benchmarks.calibration.people import MEANS, RULES, Numbers, World, holds
from benchmarks.calibration.shares import Share, shares
from stages.metrics.estimates import Estimate, estimates
from stages.metrics.group_scores import FROM_EVERYONE, FROM_REFERENCE, ITSELF, OVER_REFERENCE, score_groups
from stages.metrics.group_tests import ABOVE, HIGHEST, LOWEST, RATIO, compare_groups
from stages.metrics.groups import gather
from stages.metrics.scoring import Row
from stages.metrics.testing import DISPARITY

Found = dict[tuple[str, str], float]
MEASURED, BESIDE = (*MEANS, "subgroup_auc"), ("bpsn_auc", "bnsp_auc")  # of those beside others, gaps are not looked at
GROUPS, PEOPLE, TEXTS = (2, 5, 20, 100), ("5", "20", "100", "5-500"), (1, 5)
EQUAL, ONE_OUT, SPREAD = "equal", "one out", "spread"
PATTERNS = (EQUAL, ONE_OUT, SPREAD)
SCENARIOS = list(product(GROUPS, PEOPLE, TEXTS, PATTERNS))
POOLED, LEVEL, CALLED, BEYOND = "pooled", "p <= .05", "called a disparity", "beyond parity"
OUT, OTHERS = "the one that is out", "any other"


def world(groups: int, people: str, texts: int, pattern: str, random: np.random.Generator) -> World:
    """``people`` in each group, or as many on a geometric scale; the first group is out, by 0.3 of TPR, or all are spread over 0.4."""
    sizes = np.rint(np.geomspace(5, 500, groups)).astype(np.int64) if people == "5-500" else np.full(groups, int(people))
    tpr, fpr = np.full(groups, 0.7), np.full(groups, 0.1)
    if pattern == ONE_OUT:
        tpr[0], fpr[0] = 0.4, 0.05
    elif pattern == SPREAD:
        order = random.permutation(groups)
        tpr, fpr = np.linspace(0.5, 0.9, groups)[order], np.linspace(0.02, 0.18, groups)[order]
    return World(sizes, texts, np.full(groups, 0.5), tpr, fpr)


def study(seed: int, groups: int, people: str, texts: int, pattern: str, studies: int) -> dict[tuple[str, str], Share]:
    """Shares of studies, of each metric and comparison or gap or claim."""
    random = np.random.default_rng([2, seed])
    truth = world(groups, people, texts, pattern, random)
    return shares([once(truth, random, pattern) for _ in range(studies)])


def once(truth: World, random: np.random.Generator, pattern: str) -> Found:
    """One study: of each measure the share of its intervals that hold the truth, or whether its test claims a difference."""
    group, frame = truth.draw(random)
    last = len(truth.people) - 1
    frame["group_value"] = np.char.mod("g%03d", group)
    frame["group"] = np.where(group == last, "privileged", "protected")
    gathered = gather(frame, [("group",)])
    found = estimates(gathered)
    measured = {metric: found[metric] for metric in MEASURED}
    tests, rows = compare_groups(gathered, measured, RULES)
    scored = score_groups(gathered, measured | {metric: found[metric] for metric in BESIDE}, tests, RULES)
    return _intervals(truth, scored) | _gaps(truth, measured, rows, pattern) | _levels(scored) | _claims(scored, pattern)


def _intervals(truth: World, scored: pd.DataFrame) -> Found:
    found = {}
    for (metric, comparison), part in scored.groupby(["metric", "comparison"], sort=False):
        true = compared(truth, metric, comparison)
        found[metric, comparison] = _mean(holds(part["ci_low"].to_numpy(), part["ci_high"].to_numpy(), true))
        if comparison == ITSELF and metric in ("selection_rate", "tpr", "fpr"):
            held = holds(part["pooled_low"].to_numpy(), part["pooled_high"].to_numpy(), true)
            found[metric, POOLED], found[metric, f"{POOLED}, {OUT}"] = _mean(held), float(held[0])
    return found


def compared(truth: World, metric: str, comparison: str) -> Numbers:
    """The true value [groups] of a metric's comparison."""
    own = truth.truth[metric]
    other = own[-1] if comparison in (FROM_REFERENCE, OVER_REFERENCE) else truth.everyone.get(metric, np.nan)
    if comparison == ITSELF:
        return own
    return own - other if comparison in (FROM_EVERYONE, FROM_REFERENCE) else own / other


def _mean(held: Numbers) -> float:
    return float(np.nanmean(held)) if not np.isnan(held).all() else np.nan


def _gaps(truth: World, measured: dict[str, Estimate], rows: list[Row], pattern: str) -> Found:
    found = {}
    for scored in rows:
        metric, name = scored["metric"], scored["group"]
        low, high = (np.nan if scored[end] is None else scored[end] for end in ("ci_low", "ci_high"))
        found[metric, name] = float(holds(np.array(low), np.array(high), gap(truth, measured, metric, name)))
        if pattern == EQUAL:
            beyond = high < 1 - 1e-9 if name == RATIO else low > 1e-9
            found[metric, f"{name} {BEYOND}"] = np.nan if np.isnan(low) else float(beyond)
    return found


def gap(truth: World, measured: dict[str, Estimate], metric: str, name: str) -> float:
    """The true gap over the groups that have the rate in this study; NaN where fewer than two have."""
    if metric == "equalised_odds":
        return max(gap(truth, measured, part, HIGHEST) for part in ("tpr", "fpr"))
    part = "selection_rate" if metric == "differential_fairness" else metric
    rates = truth.truth[part][~np.isnan(measured[part].value)]
    if len(rates) < 2:
        return np.nan
    low, high, everyone = rates.min(), rates.max(), truth.everyone.get(part, np.nan)
    if metric == "differential_fairness":
        return float(np.log(max(high / low, (1 - low) / (1 - high))))
    return float({HIGHEST: high - low, RATIO: low / high, LOWEST: everyone - low, ABOVE: high - everyone}[name])


def _levels(scored: pd.DataFrame) -> Found:
    """Of each mean whether any group's p is small, and whether any is called; NaN where no group is tested."""
    found = {}
    for metric in MEANS:
        tested = scored[(scored["metric"] == metric) & (scored["comparison"] == FROM_EVERYONE)].dropna(subset="p_value")
        found[metric, LEVEL] = float((tested["p_value"] <= RULES.level).any()) if len(tested) else np.nan
        found[metric, CALLED] = float((tested["verdict"] == DISPARITY).any()) if len(tested) else np.nan
    return found


def _claims(scored: pd.DataFrame, pattern: str) -> Found:
    found = {}
    for metric in MEANS if pattern == ONE_OUT else ():
        tested = scored[(scored["metric"] == metric) & (scored["comparison"] == FROM_EVERYONE)]
        claimed = tested["p_value"].to_numpy() <= RULES.level
        found[metric, OUT] = float(claimed[0])
        found[metric, OTHERS] = float(claimed[1:].any())
        found[metric, f"{OUT}, {CALLED}"] = float(tested["verdict"].iloc[0] == DISPARITY)
    return found
