"""Families of attribute sets at equality: is anything at all found among the 7 sets of three attributes, corrected over them?"""

from itertools import combinations, product

import numpy as np
import pandas as pd

from benchmarks.calibration.people import MEANS, RULES, World
from benchmarks.calibration.shares import Share, shares
from stages.metrics.contingency import tabulate
from stages.metrics.estimates import estimates
from stages.metrics.group_tests import compare_groups
from stages.metrics.groups import gather
from stages.metrics.scoring import OURS, PAIR, sample, score_gaps
from stages.metrics.verdicts import with_tests

CATEGORIES = {"gender": 2, "race": 3, "age": 4}
SETS = [chosen for order in (1, 2, 3) for chosen in combinations(CATEGORIES, order)]
GAPS = ("di", "adi", "fv")
SCENARIOS = list(product((100, 300, 1000), (1, 5)))


def study(seed: int, people: int, texts: int, studies: int) -> dict[tuple[str, str], Share]:
    """Shares of studies with any q of a set or group <= 0.05, any p of an order, of the 24 groups of order 3, of all groups."""
    random = np.random.default_rng([3, seed])
    truth = World(np.array([people]), texts, np.array([0.5]), np.array([0.7]), np.array([0.1]))
    return shares([once(truth, random) for _ in range(studies)])


def once(truth: World, random: np.random.Generator) -> dict[tuple[str, str], float]:
    """One study."""
    frame = truth.draw(random)[1]
    for name, number in CATEGORIES.items():
        values = random.integers(0, number, truth.people[0])[frame["author_id"]]
        frame[f"{name}_value"] = np.char.mod(f"{name}%d", values)
        frame[name] = np.where(values == 0, "privileged", "protected")
    return _pairs(frame) | _groups(frame)


def _pairs(frame: pd.DataFrame) -> dict[tuple[str, str], float]:
    decided = frame["favourable"].to_numpy(), frame["y_pred"].to_numpy() == 1, frame["author_id"].to_numpy()
    cell = sample(tabulate(frame[list(CATEGORIES)], *decided), SETS, RULES)
    rows, found = pd.DataFrame(with_tests(cell, score_gaps(cell, OURS, GAPS), GAPS)), {}
    for metric, part in rows.groupby("metric"):
        found[metric, "any set"] = _any(part.loc[part["group"] == PAIR, "q_value"])
        found[metric, "any set of order 2"] = _any(part.loc[part["group"] == "any set of order 2", "p_value"])
    return found


def _groups(frame: pd.DataFrame) -> dict[tuple[str, str], float]:
    gathered = gather(frame, SETS)
    found = estimates(gathered)
    tests, _ = compare_groups(gathered, {metric: found[metric] for metric in MEANS}, RULES)
    last = gathered.lattice.of(len(SETS) - 1)
    claims = {(metric, "any group of order 3"): _any(tests[metric].p_values[last]) for metric in MEANS}
    for metric in MEANS:
        claims[metric, "any group of any set"] = _any(tests[metric].q_values)
        claims[metric, "the most extreme group of all"] = _any(tests[metric].p_family)
    return claims


def _any(values: np.ndarray | pd.Series) -> float:
    return float((np.asarray(values, dtype=float) <= RULES.level).any())
