"""``python -m benchmarks.means [STUDIES]`` prints the table of docs/statistics.md: do intervals of a group's mean hold the truth?

Wilson's on the scale of the values, which groups have, beside Student's t by person with people - 1 degrees of freedom, which they could
have. A study has 300 people, of whom 5, 10 or 30 are the group; a text's value hangs on a part of its person's and one of its own. The
truth is the mean of two million people.
"""

import sys

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import expit

from stages.metrics.comparisons import Scale, mean_interval
from stages.metrics.fairness import ratio
from stages.metrics.moments import Moments, moments

Vector = NDArray[np.float64]
PEOPLE, GROUPS, TEXTS = 300, (5, 10, 30), ("1", "5", "1 to 12")
KINDS = ("Brier score", "calibration", "calibration, rare label", "mean score", "error", "absolute error", "squared error", "log-normal")


def values(kind: str, person: NDArray[np.int64], random: np.random.Generator) -> Vector:
    """One value a text, each of the ``person`` [texts] who wrote it."""
    own = 0.7 * (random.normal(size=person.max() + 1)[person] + random.normal(size=len(person)))
    if kind in ("Brier score", "calibration", "calibration, rare label"):
        base = {"Brier score": 1.2, "calibration": 0.0, "calibration, rare label": -3.0}[kind]
        label = random.random(len(own)) < expit(1.5 * own + base)
        apart = expit(1.3 * own + base + 0.5 * random.normal(size=len(own))) - label
        return apart**2 if kind == "Brier score" else apart
    return {
        "mean score": expit(1.5 * own),
        "error": own,
        "absolute error": np.abs(own),
        "squared error": own**2,
        "log-normal": np.exp(1.2 * own),
    }[kind]


def writers(texts: str, random: np.random.Generator) -> NDArray[np.int64]:
    """Who wrote each text; of "1 to 12" most people wrote few."""
    each = np.minimum(random.geometric(0.25, PEOPLE), 12) if texts == "1 to 12" else np.full(PEOPLE, int(texts))
    return np.repeat(np.arange(PEOPLE), each)


def held(kind: str, texts: str, people: int, truth: float, seed: int) -> tuple[bool, bool]:
    """Whether Wilson's interval, and Student's, of one study's group holds the truth."""
    random = np.random.default_rng([seed, KINDS.index(kind), TEXTS.index(texts), people])
    person = writers(texts, random)
    found = values(kind, person, random)
    sums, numbers = np.bincount(person, found), np.bincount(person).astype(float)
    own, everyone = (_moments(sums[:number], numbers[:number]) for number in (people, PEOPLE))
    least, most, spread = float(found.min()), float(found.max()), np.array([found.var()])
    each = float(ratio((everyone.value() - least) * (most - everyone.value()), spread)[0])
    wilson = mean_interval(own, Scale(least, most, each, everyone.alike(spread)), 0.95)
    reach = stats.t.ppf(0.975, people - 1) * np.sqrt(own.variance()[0])
    return bool(wilson.low[0] <= truth <= wilson.high[0]), bool(abs(own.value()[0] - truth) <= reach)


def _moments(sums: Vector, numbers: Vector) -> Moments:
    return moments(sums, numbers, np.zeros(len(sums), dtype=np.int64), 1)


def main(studies: int) -> None:
    print("| values | " + " | ".join(f"{texts} texts, {people} people" for texts in TEXTS for people in GROUPS) + " |")
    print("|---" * (1 + len(TEXTS) * len(GROUPS)) + "|")
    for kind in KINDS:
        truth = float(values(kind, np.arange(2_000_000), np.random.default_rng(99)).mean())
        cells = []
        for texts in TEXTS:
            for people in GROUPS:
                shares = np.mean([held(kind, texts, people, truth, seed) for seed in range(studies)], axis=0)
                cells.append(" / ".join(f"{share:.3f}".removeprefix("0") for share in shares))
        print(f"| {kind} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 400)
