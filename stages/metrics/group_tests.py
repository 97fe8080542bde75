"""Do groups as they are differ more than chance makes groups of these sizes differ? Gaps over all groups of a set, with tests."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stages.metrics import between, group_gini, testing
from stages.metrics.between import DIFFERENTIAL_FAIRNESS, HIGHEST_GAP, LOWEST_GAP, MAX_MINUS_MIN, MIN_OVER_MAX, Gap
from stages.metrics.estimates import Estimate, Tested
from stages.metrics.fairness import ratio
from stages.metrics.furthest import adjusted, bands
from stages.metrics.groups import GINI, OF_SOME, TREATMENT, Groups
from stages.metrics.intervals import Interval
from stages.metrics.lattice import MOST_GROUPS, Lattice
from stages.metrics.scoring import Row, Rules, finite, row
from stages.metrics.threads import side_by_side

Numbers = NDArray[np.float64]
HIGHEST, RATIO, LOWEST, ABOVE, EVERY = "highest - lowest", "lowest / highest", "everyone - lowest", "highest - everyone", "every group"
# The gaps of each rate over all groups; of others only the first. Of selection rates it is statistical parity, of TPR equal opportunity.
GAPS: dict[str, dict[str, Gap]] = {
    "selection_rate": {HIGHEST: MAX_MINUS_MIN, RATIO: MIN_OVER_MAX, LOWEST: LOWEST_GAP},
    "tpr": {HIGHEST: MAX_MINUS_MIN, LOWEST: LOWEST_GAP},
    "fpr": {HIGHEST: MAX_MINUS_MIN, ABOVE: HIGHEST_GAP},
    "accuracy": {HIGHEST: MAX_MINUS_MIN, LOWEST: LOWEST_GAP},
    "differential_fairness": {EVERY: DIFFERENTIAL_FAIRNESS},
}
# FNR and TNR are one minus TPR and FPR: theirs are the same tests.
TESTED, SAME = ("selection_rate", "tpr", "fpr", "ppv", "npv", "accuracy", GINI), {"fnr": "tpr", "tnr": "fpr"}
# Measures of an assessment have scores and tests of each group, and no gap over all groups.
OF_GROUPS_ALONE = (TREATMENT, GINI, *OF_SOME)
# So many deals for each set of a family, and at least this many, that a q-value can be as small as it needs to be.
DEALS_A_SET, FEWEST_DEALS = 25, 800
# Draws of an interval's end, which over more groups than this says nothing.
SETTLED, MOST_BOUNDED = 200, 100
ALIKE: Interval = (np.nan, np.nan, "no interval: no two texts differ")
NAMED = 3  # groups that are named where some take no part


@dataclass(frozen=True)
class Test:
    """p-values [sets] of a metric, and where its widest gap of each set lies by chance, if drawn."""

    p_sets: Numbers
    low: Numbers | None = None
    high: Numbers | None = None


def compare_groups(groups: Groups, estimates: dict[str, Estimate], rules: Rules) -> tuple[dict[str, Tested], list[Row]]:
    """The tests of all groups by each tested metric, and the gaps over all groups of each set as rows of scores.

    A group's test asks whether it is further from everyone than any of its set's groups comes by chance (``furthest``); a set's p is
    that of its furthest group, and q is corrected over the sets of the metric (Benjamini-Hochberg). A group's q counts its p once
    more for every set that was looked at beside one found to differ, and is never below its set's (Benjamini and Bogomolov 2014).
    Equalised odds has twice the smaller p of its two rates, differential fairness that of selection rates. Metrics without a test
    have an interval alone.
    """
    draws = max(FEWEST_DEALS, min(rules.permutations, DEALS_A_SET * len(groups.lattice.sets)))
    tested = [metric for metric in estimates if (metric in TESTED or metric in groups.means()) and estimates[metric].varies]

    def test(metric: str) -> tuple[Numbers, Test]:
        return _tests(groups, metric, estimates[metric], draws, rules.seed + tested.index(metric), rules.confidence)

    found = dict(zip(tested, side_by_side(test, tested), strict=True))
    sizes = np.diff(groups.lattice.starts)
    of_groups = {metric: Tested(p, _selected(p, of_sets.p_sets, sizes, rules.level)) for metric, (p, of_sets) in found.items()}
    of_groups |= {metric: of_groups[same] for metric, same in SAME.items()}
    tests = {metric: of_sets for metric, (_, of_sets) in found.items()}
    tests["equalised_odds"] = Test(np.minimum(1, 2 * np.fmin(tests["tpr"].p_sets, tests["fpr"].p_sets)))
    tests["differential_fairness"] = Test(tests["selection_rate"].p_sets)
    measured = {metric: [estimate] for metric, estimate in estimates.items() if metric not in (*SAME, *OF_GROUPS_ALONE)}
    measured |= {"equalised_odds": [estimates["tpr"], estimates["fpr"]], "differential_fairness": [estimates["selection_rate"]]}
    rows = [scored for metric, of in measured.items() for scored in _gaps(groups.lattice, metric, of, tests.get(metric), rules)]
    return of_groups, rows + _left_out(groups)


def _selected(p_groups: Numbers, p_sets: Numbers, sizes: NDArray[np.int64], level: float) -> Numbers:
    """q-values [groups] from p adjusted within sets and the sets' own p, ``sizes`` [sets] being how many groups each has."""
    q_sets = testing.benjamini_hochberg(p_sets)
    found = max(1, int((q_sets <= level).sum()))
    return np.maximum(np.minimum(1, p_groups * int((~np.isnan(p_sets)).sum()) / found), np.repeat(q_sets, sizes))


def _tests(groups: Groups, metric: str, estimate: Estimate, draws: int, seed: int, confidence: float) -> tuple[Numbers, Test]:
    null = estimate.scaled(np.concatenate(list(null_values(groups, metric, draws, seed))))
    starts, span = groups.lattice.starts, estimate.most - estimate.least
    found = adjusted(estimate.scaled(estimate.value), null, estimate.scaled(estimate.everyone), starts)
    low, high = (span * end for end in bands(MAX_MINUS_MIN, null, estimate.texts, starts, confidence))
    return found.p_groups, Test(found.p_sets, low, high)


def _gaps(found: Lattice, metric: str, estimates: list[Estimate], test: "Test | None", rules: Rules) -> list[Row]:
    """The rows of one metric: each of its gaps for each set."""
    worth, texts = (np.stack([getattr(estimate, name) for estimate in estimates]) for name in ("worth", "texts"))
    scaled = np.stack([estimate.scaled(estimate.value) for estimate in estimates])
    span, rows = estimates[0].most - estimates[0].least, []
    p_values = np.full(len(found.sets), np.nan) if test is None else test.p_sets
    q_values = testing.benjamini_hochberg(p_values)
    for name, gap in GAPS.get(metric, {HIGHEST: MAX_MINUS_MIN}).items():
        for index, chosen in enumerate(found.sets):
            part = found.of(index)
            interval = _interval(gap, scaled[:, part], worth[:, part], texts[:, part], rules) if estimates[0].varies else ALIKE
            value = span * _value(gap, scaled[:, part], texts[:, part], [estimate.scaled(estimate.everyone) for estimate in estimates])
            scored = row(chosen, name, metric, value, _widened(interval, span, value, _lost(found, part, scaled)))
            people = np.sort(np.where(np.isnan(scaled[:, part]), 0, [estimate.people[part] for estimate in estimates]), axis=1)
            scored["n"] = int(texts[:, part].sum(axis=1).min())
            if test is not None:
                scored |= {"p_value": finite(p_values[index]), "q_value": finite(q_values[index])}
                enough = people[:, -2].min() if people.shape[1] > 1 else 0
                scored["verdict"] = testing.verdict(q_values[index], enough, rules.fewest, rules.level)
                if name == HIGHEST and test.low is not None and test.high is not None:
                    scored |= {"null_low": finite(test.low[index]), "null_high": finite(test.high[index])}
            rows.append(scored)
    return rows


def _interval(gap: Gap, scaled: Numbers, worth: Numbers, texts: Numbers, rules: Rules) -> Interval:
    groups = scaled.shape[1]
    if groups > MOST_BOUNDED:
        return np.nan, np.nan, f"no interval: over {groups:,} groups chance decides the widest gap; its test says whether they differ"
    return between.intervals(gap, scaled, worth, np.array([0, groups]), rules.confidence, texts, SETTLED, rules.seed)[0]


def _value(gap: Gap, scaled: Numbers, texts: Numbers, everyone: list[Numbers]) -> float:
    """The gap furthest from parity of one or several rates [rates, groups]; NaN with fewer than two measured groups."""
    found = []
    for values, counted, overall in zip(scaled, texts, everyone, strict=True):
        known = ~np.isnan(values)
        if known.sum() < 2:
            return np.nan
        if gap in (LOWEST_GAP, HIGHEST_GAP):
            found.append(float(overall - values[known].min() if gap is LOWEST_GAP else values[known].max() - overall))
        else:
            found.append(float(gap.of(values[known], counted[known])))
    return max(found, key=lambda value: abs(value - gap.parity))


def _widened(interval: Interval, span: float, value: float, note: str | None) -> Interval:
    """The interval on the metric's own scale, holding the value; ``note`` where there is no reason."""
    low, high, reason = interval
    if np.isinf(high):  # of differential fairness
        return span * low, np.nan, "no upper end: a rate may be 0 or 1"
    return min(span * low, value), max(span * high, value), reason or note


def _lost(found: Lattice, part: slice, scaled: Numbers) -> str | None:
    """Which groups of a set take no part, as they have no text that counts."""
    lost = np.flatnonzero(np.isnan(scaled[:, part]).any(axis=0))
    if not len(lost):
        return None
    first = "; ".join(found.names[part.start + index] for index in lost[:NAMED]) + "; ..." * (len(lost) > NAMED)
    return f"{len(lost)} of {part.stop - part.start} groups have no text that counts and take no part: {first}"


def _left_out(groups: Groups) -> list[Row]:
    why = "{:,} groups, more than {:,}: too many of too few people to compare one by one"
    left_out = groups.lattice.left_out.items()
    return [row(names, HIGHEST, "selection_rate", None, (np.nan, np.nan, why.format(number, MOST_GROUPS))) for names, number in left_out]


def null_values(groups: Groups, metric: str, draws: int, seed: int) -> Iterator[Numbers]:
    """Values [chunk, groups] of a rate or mean in ``draws`` deals of people among the groups; NaN where nobody counts in a group."""
    for by_cell in groups.deals(metric, draws, seed):
        *hits, dealt = (by_cell[:, :, part] @ groups.lattice.spread for part in range(by_cell.shape[2]))
        shares = [ratio(part, dealt) for part in hits]
        yield group_gini.gini(*shares) if metric == GINI else shares[0]
