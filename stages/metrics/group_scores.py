"""Scores of groups as they are, one row a group, metric and comparison: with intervals, pooled rates, tests, or why there is none."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from stages.metrics import group_gini, testing
from stages.metrics.comparisons import Bounded, compare, mean_difference, mean_interval, wilson
from stages.metrics.estimates import Estimate, Tested
from stages.metrics.fairness import add_up, ratio
from stages.metrics.group_gini import Benefits
from stages.metrics.groups import GINI, RATES, Groups
from stages.metrics.moments import Moments
from stages.metrics.pooling import Cells, pool
from stages.metrics.scoring import Rules
from stages.metrics.threads import side_by_side

Numbers = NDArray[np.float64]
Block = dict[str, Any]
# F1 counts a hit twice, so it is no share of texts to pool.
POOLED = ("base_rate", "selection_rate", "tpr", "fpr", "ppv", "npv", "accuracy")
COMPLEMENTS = {"fnr": "tpr", "tnr": "fpr"}
ITSELF, FROM_EVERYONE, OVER_EVERYONE, FROM_REFERENCE, OVER_REFERENCE = (
    "none",
    "difference to everyone",
    "ratio to everyone",
    "difference to reference",
    "ratio to reference",
)


def score_groups(groups: Groups, estimates: dict[str, Estimate], tests: dict[str, Tested], rules: Rules) -> pd.DataFrame:
    """The table of groups. ``tests`` stand with the difference to everyone that they are of.

    The reference of a group is everyone who is privileged on all attributes of its set. Pooled rates stand beside the rates themselves.
    ``above`` over ``below`` is a difference or ratio of rates in whole numbers; ``below`` is 0 of what is neither.
    """
    found = groups.lattice
    rates = dict(zip(POOLED, side_by_side(lambda metric: _pooled(groups, metric, rules.confidence), POOLED), strict=True))
    pooled = rates | {metric: _turned(rates[other]) for metric, other in COMPLEMENTS.items()}
    blocks = [
        block
        for metric, estimate in estimates.items()
        for block in _blocks(groups, metric, estimate, tests.get(metric), pooled.get(metric, {}), rules)
    ]
    frame = pd.concat([pd.DataFrame(block) for block in blocks], ignore_index=True)
    place = frame.pop("place").to_numpy()
    of_set = np.repeat(np.arange(len(found.sets)), np.diff(found.starts))[place]
    frame["attributes"] = np.array(["+".join(chosen) for chosen in found.sets], dtype=object)[of_set]
    frame["order"] = np.array([len(chosen) for chosen in found.sets])[of_set]
    frame["group"] = np.array(found.names, dtype=object)[place]
    return frame.iloc[np.argsort(place, kind="stable")].reset_index(drop=True)


def _blocks(groups: Groups, metric: str, estimate: Estimate, test: Tested | None, pooled: Block, rules: Rules) -> Iterator[Block]:
    if metric in RATES:
        own, everyone = groups.moments(metric), groups.everyone(metric)
        yield _block(metric, ITSELF, wilson(estimate.value, estimate.worth, rules.confidence), estimate) | pooled
        alike = groups.alike(metric)
        whole = compare(own, everyone, np.ones(1, dtype=bool), rules.confidence, alike)
        beside = compare(own, _reference(groups, own), groups.reference, rules.confidence, alike)
        reference = _reference(groups, own)
        counted = [_fractions(own, other) for other in (everyone, reference)]
        yield _tested(estimate, test, _block(metric, FROM_EVERYONE, whole[0], estimate), rules) | counted[0][0]
        yield _block(metric, OVER_EVERYONE, whole[1], estimate) | counted[0][1]
        yield _block(metric, FROM_REFERENCE, beside[0], estimate) | counted[1][0]
        yield _block(metric, OVER_REFERENCE, beside[1], estimate) | counted[1][1]
    elif metric in groups.means():
        scale = groups.scale(metric)
        own, everyone = groups.moments(metric), groups.everyone(metric)
        yield _block(metric, ITSELF, mean_interval(own, scale, rules.confidence), estimate)
        apart = mean_difference(own, everyone, np.ones(1, dtype=bool), scale, rules.confidence)
        yield _tested(estimate, test, _block(metric, FROM_EVERYONE, apart, estimate), rules)
        reference = _reference(groups, own)
        yield _block(metric, FROM_REFERENCE, mean_difference(own, reference, groups.reference, scale, rules.confidence), estimate)
    elif metric == GINI:
        benefits, (all_benefits, scale) = groups.benefits, groups.all_benefits
        yield _block(metric, ITSELF, wilson(estimate.value, estimate.worth, rules.confidence), estimate)
        apart = group_gini.difference(benefits, all_benefits, np.ones(1, dtype=bool), scale, rules.confidence)
        yield _tested(estimate, test, _block(metric, FROM_EVERYONE, apart, estimate), rules)
        reference_of = Benefits(*(_reference(groups, part) for part in (benefits.missed, benefits.alarmed, benefits.wrong)))
        beside_it = group_gini.difference(benefits, reference_of, groups.reference, scale, rules.confidence)
        yield _block(metric, FROM_REFERENCE, beside_it, estimate)
    else:
        scaled = wilson(estimate.scaled(estimate.value), estimate.worth, rules.confidence)
        ends = (estimate.least + (estimate.most - estimate.least) * end for end in scaled[1:])
        yield _block(metric, ITSELF, Bounded(estimate.value, *ends), estimate)


def _fractions(own: Moments, other: Moments) -> tuple[Block, Block]:
    """The difference and the ratio of rates [groups] as whole numbers ``above`` over ``below``, for thresholds that they may meet."""
    (hits, texts), (other_hits, other_texts) = (
        tuple(np.rint(np.broadcast_to(part, own.hits.shape)).astype(np.int64) for part in (side.hits, side.texts)) for side in (own, other)
    )
    over = {"above": hits * other_texts, "below": texts * other_hits}
    return {"above": over["above"] - over["below"], "below": texts * other_texts}, over


def _reference(groups: Groups, own: Moments) -> Moments:
    """Moments [groups] of the reference of each group's set."""
    sizes = np.diff(groups.lattice.starts)
    of_set = np.repeat(np.arange(len(sizes)), sizes)
    privileged = sparse.csr_array((groups.reference * 1.0, (np.arange(len(of_set)), of_set)), shape=(len(of_set), len(sizes)))
    found = own.over(privileged)
    return Moments(found.sizes, found.sums[:, :, of_set])


def _pooled(groups: Groups, metric: str, confidence: float) -> Block:
    """Pooled rates of all groups, from as many of each finest cell's texts as are independent, by everyone's share of such."""
    found, everyone = groups.lattice, groups.everyone(metric)
    hits, texts = (add_up(found.cell, part, len(found.group)) for part in groups.parts(metric))
    share = float(ratio(everyone.worth(), everyone.texts)[0]) if everyone.texts[0] else 0.0
    pooled = pool(Cells(found.codes, found.group, share * hits, share * texts, texts), confidence)
    return {"pooled": pooled.mean, "pooled_low": pooled.low, "pooled_high": pooled.high}


def _turned(pooled: Block) -> Block:
    return {"pooled": 1 - pooled["pooled"], "pooled_low": 1 - pooled["pooled_high"], "pooled_high": 1 - pooled["pooled_low"]}


def _block(metric: str, comparison: str, bounded: Bounded, estimate: Estimate) -> Block:
    """The columns of one metric and comparison, for all groups."""
    defined, with_interval = np.isfinite(bounded.value), np.isfinite(bounded.low) & np.isfinite(bounded.high)
    nobody = "no pair of a favourable and another label" if metric.endswith("auc") else "nobody to count: the denominator is zero"
    alone = "nobody else to compare with" + (", or a rate of 0 to divide by" if comparison.startswith("ratio") else "")
    reason = np.full(len(defined), None, dtype=object)
    reason[~with_interval] = "no interval: values do not vary, or those compared with have none"
    reason[~defined] = np.where(np.isnan(estimate.value[~defined]), nobody, alone)
    return {
        "place": np.arange(len(defined)),
        "metric": metric,
        "comparison": comparison,
        "value": bounded.value,
        "ci_low": np.where(with_interval, bounded.low, np.nan),
        "ci_high": np.where(with_interval, bounded.high, np.nan),
        "n": estimate.texts.astype(np.int64),
        "people": estimate.people.astype(np.int64),
        "effective_people": estimate.effective,
        "above": np.zeros(len(defined), dtype=np.int64),
        "below": np.zeros(len(defined), dtype=np.int64),
        "reason": reason,
    }


def _tested(estimate: Estimate, test: Tested | None, block: Block, rules: Rules) -> Block:
    """The block with p, q and verdict of the difference to everyone that it holds."""
    if test is None:
        return block
    verdicts = testing.verdicts(test.q_values, estimate.people, rules.fewest, rules.level, block["ci_low"], block["ci_high"])
    return block | {"p_value": test.p_values, "q_value": test.q_values, "verdict": verdicts}
