"""Do groups as they are differ more than chance makes groups of these sizes differ? Tests of groups, and gaps over all groups of a set."""

import numpy as np
from numpy.typing import NDArray

from stages.metrics import between, testing
from stages.metrics.between import DIFFERENTIAL_FAIRNESS, HIGHEST_GAP, LOWEST_GAP, MAX_MINUS_MIN, MIN_OVER_MAX, Gap
from stages.metrics.estimates import Estimate, Tested
from stages.metrics.furthest import StepDown, distances
from stages.metrics.group_statistic import Statistic
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
# Numbers of permutations x groups that are worked on at once: arrays that stay in the processor's cache.
AT_ONCE = 250_000
# Draws of an interval's end, which over more groups than this says nothing.
SETTLED, MOST_BOUNDED = 200, 100
ALIKE: Interval = (np.nan, np.nan, "no interval: no two texts differ")
NAMED = 3  # groups that are named where some take no part


def compare_groups(groups: Groups, estimates: dict[str, Estimate], rules: Rules) -> tuple[dict[str, Tested], list[Row]]:
    """The tests of all groups by each tested metric, and the gaps over all groups of each set as rows of scores.

    A group's test asks whether it is further from everyone than any of its set's groups comes by chance (``furthest``); a set's p is
    that of its most extreme group, and q is corrected over the sets of the metric (Benjamini-Hochberg). A group's q counts its p once
    more for every set that was looked at beside one found to differ, and is never below its set's (Benjamini and Bogomolov 2014).
    ``fewest`` people must be in a group, and outside it, for it to be tested. A gap over all groups has an interval and the band that
    chance alone gives, and no verdict: verdicts belong to the groups that differ.
    """
    tested = [metric for metric in estimates if (metric in TESTED or metric in groups.means()) and estimates[metric].varies]

    def test(metric: str) -> tuple[Tested, tuple[Numbers, Numbers]]:
        return _tests(Statistic(groups, metric, estimates[metric]), rules, rules.seed + tested.index(metric))

    found = dict(zip(tested, side_by_side(test, tested), strict=True))
    of_groups = {metric: test for metric, (test, _) in found.items()}
    of_groups |= {metric: of_groups[same] for metric, same in SAME.items()}
    bands = {metric: band for metric, (_, band) in found.items()}
    measured = {metric: [estimate] for metric, estimate in estimates.items() if metric not in (*SAME, *OF_GROUPS_ALONE)}
    measured |= {"equalised_odds": [estimates["tpr"], estimates["fpr"]], "differential_fairness": [estimates["selection_rate"]]}
    rows = [scored for metric, of in measured.items() for scored in _gaps(groups.lattice, metric, of, bands.get(metric), rules)]
    return of_groups, rows + _left_out(groups)


def _tests(statistic: Statistic, rules: Rules, seed: int) -> tuple[Tested, tuple[Numbers, Numbers]]:
    """The tests of one metric, and where the widest gap of each set lies by chance: low, high [sets]."""
    groups, estimate, starts = statistic.groups, statistic.estimate, statistic.groups.lattice.starts
    observed = statistic.observed(rules.fewest)
    tested, null = np.flatnonzero(~np.isnan(observed)), []
    of_sets, of_all = StepDown(observed, starts), StepDown(observed, starts[[0, -1]])

    def decisions(side: int) -> NDArray[np.bool_]:
        """What would be found were all p at this end of their Monte-Carlo intervals."""
        p_groups, p_sets, p_all = (testing.monte_carlo_end(p, of_sets.drawn, side) for p in _p_values(of_sets, of_all))
        of_groups = _selected(p_groups, p_sets, np.diff(starts), rules.level) <= rules.level
        # Of all sets together the smallest p alone decides anything.
        return np.append(of_groups, [np.nanmin(p_all, initial=1) <= rules.level / metrics for metrics in testing.FAMILIES])

    for number, draws in enumerate(testing.rounds(rules.permutations)):
        for chunk in groups.deals(statistic.metric, draws, (seed, number)):
            for by_cell in np.array_split(chunk, 1 + len(chunk) * len(observed) // AT_ONCE):
                drawn = statistic.permuted(by_cell, tested)
                of_sets.add(drawn, tested)
                of_all.add(drawn, tested)
                if number == 0:
                    values = estimate.scaled(groups.dealt(statistic.metric, by_cell, groups.lattice.spread)[0])
                    null.append(distances(MAX_MINUS_MIN, values, estimate.texts, starts))
        if (decisions(-1) == decisions(1)).all():
            break
    p_groups, p_sets, p_all = _p_values(of_sets, of_all)
    return Tested(p_groups, _selected(p_groups, p_sets, np.diff(starts), rules.level), p_all), _band(statistic, null, rules)


def _p_values(of_sets: StepDown, of_all: StepDown) -> tuple[Numbers, Numbers, Numbers]:
    return of_sets.p_values(), of_sets.p_families(), of_all.p_values()


def _band(statistic: Statistic, null: list[Numbers], rules: Rules) -> tuple[Numbers, Numbers]:
    """The central part of the widest gap of each set in permutations, low and high [sets]."""
    drawn, span = np.concatenate(null), statistic.estimate.most - statistic.estimate.least
    ends, known = np.full((2, drawn.shape[1]), np.nan), ~np.isnan(drawn).all(axis=0)
    ends[:, known] = span * np.nanquantile(drawn[:, known], [(1 - rules.confidence) / 2, (1 + rules.confidence) / 2], axis=0)
    return ends[0], ends[1]


def _selected(p_groups: Numbers, p_sets: Numbers, sizes: NDArray[np.int64], level: float) -> Numbers:
    """q-values [groups] from p adjusted within sets and the sets' own p, ``sizes`` [sets] being how many groups each has."""
    q_sets = testing.benjamini_hochberg(p_sets)
    found = max(1, int((q_sets <= level).sum()))
    return np.maximum(np.minimum(1, p_groups * int((~np.isnan(p_sets)).sum()) / found), np.repeat(q_sets, sizes))


def _gaps(found: Lattice, metric: str, estimates: list[Estimate], band: tuple[Numbers, Numbers] | None, rules: Rules) -> list[Row]:
    """The rows of one metric: each of its gaps for each set."""
    worth, texts = (np.stack([getattr(estimate, name) for estimate in estimates]) for name in ("worth", "texts"))
    scaled = np.stack([estimate.scaled(estimate.value) for estimate in estimates])
    span, rows = estimates[0].most - estimates[0].least, []
    for name, gap in GAPS.get(metric, {HIGHEST: MAX_MINUS_MIN}).items():
        for index, chosen in enumerate(found.sets):
            part = found.of(index)
            interval = _interval(gap, scaled[:, part], worth[:, part], texts[:, part], rules) if estimates[0].varies else ALIKE
            value = span * _value(gap, scaled[:, part], texts[:, part], [estimate.scaled(estimate.everyone) for estimate in estimates])
            scored = row(chosen, name, metric, value, _widened(interval, span, value, _lost(found, part, scaled)))
            scored["n"] = int(texts[:, part].sum(axis=1).min())
            if name == HIGHEST and band is not None:
                scored |= {"null_low": finite(band[0][index]), "null_high": finite(band[1][index])}
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
