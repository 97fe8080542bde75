"""fairlearn's bootstrap interval of the largest difference of selection rates, beside ours, on the same draws."""

from itertools import product

import numpy as np
import pandas as pd
from fairlearn.metrics import MetricFrame, selection_rate

from benchmarks.calibration.groups import EQUAL, ONE_OUT, gap, world
from benchmarks.calibration.people import RULES, World, holds
from benchmarks.calibration.shares import Share, shares
from stages.metrics.estimates import estimates
from stages.metrics.group_tests import HIGHEST, compare_groups
from stages.metrics.groups import gather

OURS, THEIRS, REPLICATES = "ours", "fairlearn", 100
PATTERNS = (EQUAL, ONE_OUT)
SCENARIOS = [
    *product((100,), ("20",), (1,), PATTERNS),
    *product((2, 5, 20), ("20", "100"), (1,), PATTERNS),
    *product((5,), ("20", "100"), (5,), PATTERNS),
]


def study(seed: int, groups: int, people: str, texts: int, pattern: str, studies: int) -> dict[str, Share]:
    """Shares of studies whose interval holds the true largest difference, which at equality is 0."""
    random = np.random.default_rng([5, seed])
    truth = world(groups, people, texts, pattern, random)
    return shares([once(truth, random, number) for number in range(studies)])


def once(truth: World, random: np.random.Generator, seed: int) -> dict[str, float]:
    """One study by both."""
    group, frame = truth.draw(random)
    frame["group_value"], frame["group"] = np.char.mod("g%03d", group), "protected"
    gathered = gather(frame, [("group",)])
    measured = {metric: found for metric, found in estimates(gathered).items() if metric in ("selection_rate", "tpr", "fpr")}
    rows = compare_groups(gathered, measured, RULES)[1]
    ours = next(scored for scored in rows if (scored["metric"], scored["group"]) == ("selection_rate", HIGHEST))
    true = gap(truth, measured, "selection_rate", HIGHEST)
    ends = {OURS: (ours["ci_low"], ours["ci_high"]), THEIRS: fairlearn(frame, seed)}
    return {name: float(holds(np.array(low), np.array(high), true)) for name, (low, high) in ends.items()}


def fairlearn(frame: pd.DataFrame, seed: int) -> tuple[float, float]:
    """The central 95 % of fairlearn's replicates, its documented interval."""
    low, high = MetricFrame(
        metrics=selection_rate,
        y_true=frame["favourable"],
        y_pred=frame["y_pred"],
        sensitive_features=frame["group_value"],
        n_boot=REPLICATES,
        ci_quantiles=[0.025, 0.975],
        random_state=seed,
    ).difference_ci(method="between_groups")
    return float(low), float(high)
