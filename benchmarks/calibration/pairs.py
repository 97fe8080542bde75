"""The paper's pair of groups, protected and privileged: DI, ADI, FV and rates, where each of them is at equality and where it is not."""

from itertools import product

import numpy as np
import pandas as pd

from benchmarks.calibration.people import RULES, World, holds
from benchmarks.calibration.shares import Share, shares
from stages.metrics.contingency import tabulate
from stages.metrics.scoring import OURS, PAIR, sample, score_gaps, score_rates
from stages.metrics.verdicts import with_tests

METRICS, RATES = ("di", "di_star", "adi", "fv"), ("selection_rate", "tpr", "fpr")
PARITY = {"di": 1.0, "di_star": 1.0, "adi": 1.0, "fv": 0.0}
# Base rate, TPR and FPR of the protected and of the privileged.
KINDS = {
    "all alike": ((0.4, 0.7, 0.2), (0.4, 0.7, 0.2)),
    "base rates .6 and .4, ADI 1, FV 0": ((0.6, 0.7, 0.45), (0.4, 0.7, 0.2)),
    "base rates .6 and .4, DI 1": ((0.6, 0.6, 0.1), (0.4, 0.7, 0.2)),
}
# People in all, texts each, protected people.
SIZES = [(100, 1, 50), (100, 1, 10), (400, 1, 40), (400, 1, 5), (2000, 1, 200), (100, 5, 30), (400, 5, 40), (400, 5, 5), (2000, 5, 200)]
SCENARIOS = list(product(KINDS, SIZES))


def study(seed: int, kind: str, size: tuple[int, int, int], studies: int) -> dict[tuple[str, str], Share]:
    """Shares of studies whose intervals hold the truth, and whose tests claim a difference."""
    people, texts, protected = size
    truth = World(np.array([protected, people - protected]), texts, *np.array(KINDS[kind]).T)
    random = np.random.default_rng([1, seed])
    return shares([once(truth, random) for _ in range(studies)])


def gaps(truth: World) -> dict[str, float]:
    """The true gaps, to ten digits, so that parity is exactly that."""
    (selected, other), (favourable, base), tpr = truth.truth["selection_rate"], truth.base, truth.tpr
    di, di_star, fv = selected / other, favourable / base, float(np.abs(tpr - truth.everyone["tpr"]).max())
    return {name: round(value, 10) for name, value in (("di", di), ("di_star", di_star), ("adi", di / di_star), ("fv", fv))}


def once(truth: World, random: np.random.Generator) -> dict[tuple[str, str], float]:
    """One study."""
    group, frame = truth.draw(random)
    status = pd.DataFrame({"gender": np.where(group == 0, "protected", "privileged")})
    table = tabulate(status, frame["favourable"].to_numpy(), frame["y_pred"].to_numpy() == 1, frame["author_id"].to_numpy())
    cell, found, true = sample(table, [("gender",)], RULES), {}, gaps(truth)
    rows = pd.DataFrame(score_rates(cell) + with_tests(cell, score_gaps(cell, OURS, METRICS), METRICS))
    for scored in rows[rows["group"].isin([PAIR, "protected"])].itertuples():
        expected = true[scored.metric] if scored.group == PAIR else {**truth.truth, "base_rate": truth.base}[scored.metric][0]
        found[scored.metric, "held"] = float(holds(np.array(scored.ci_low), np.array(scored.ci_high), expected))
        if scored.group == PAIR:
            claim = np.nan if np.isnan(scored.p_value) else float(scored.p_value <= RULES.level)
            found[scored.metric, "level" if expected == PARITY[scored.metric] else "power"] = claim
    return found
