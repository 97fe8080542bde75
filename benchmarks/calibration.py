"""Do intervals hold the truth, and do tests stay quiet at equality? ``python -m benchmarks.calibration [STUDIES]`` prints the table.

Simulated people lean one way in all their texts; labels, hits and false alarms are the same for every group, so that DI = DI* =
ADI = 1 and FV = 0. Each row: the share of 95 % intervals that hold the truth, and the share of p-values up to 0.05.
"""

import sys
from multiprocessing import get_context

import numpy as np
import pandas as pd

from stages.metrics.contingency import tabulate
from stages.metrics.scoring import OURS, PAIR, Rules, sample, score_gaps, score_rates
from stages.metrics.verdicts import with_tests

METRICS = ("di", "adi", "fv")
SETS = [("gender",)]
RULES = Rules(replicates=500, permutations=499, confidence=0.95, level=0.05, fewest=10, seed=1)
# People in all, texts each, the protected group's share of the people.
SCENARIOS = [(100, 1, 0.5), (100, 1, 0.1), (400, 1, 0.1), (400, 1, 0.0125), (2000, 1, 0.1), (100, 5, 0.3), (400, 5, 0.1), (400, 5, 0.0125)]
TRUTH = {"di": 1.0, "adi": 1.0, "fv": 0.0, "selection_rate": 0.4, "tpr": 0.7}


def main(studies: int = 400) -> None:
    work = [(number, *scenario, studies) for number, scenario in enumerate(SCENARIOS)]
    with get_context("spawn").Pool(2) as pool:
        rows = pool.starmap(study, work)
    print(f"{studies} studies a row, seeds 0 to {len(SCENARIOS) - 1}, {RULES.replicates} replicates, {RULES.permutations} permutations\n")
    columns = list(rows[0])
    for line in [columns, ["---"] * len(columns), *([str(row[name]) for name in columns] for row in rows)]:
        print("| " + " | ".join(line) + " |")


def study(seed: int, people: int, texts: int, share: float, studies: int) -> dict[str, str]:
    """One row of the table."""
    random = np.random.default_rng(seed)
    found = pd.concat([_draw(random, people, texts, max(2, round(share * people))) for _ in range(studies)])
    row = {"people": str(people), "texts each": str(texts), "protected people": str(max(2, round(share * people)))}
    for metric, truth in TRUTH.items():
        own = found[(found["metric"] == metric) & found["group"].isin([PAIR, "protected"])]
        known = own[own["ci_low"].notna()]
        held = known["ci_low"].le(truth) & known["ci_high"].ge(truth)
        row[f"{metric} held"] = f"{held.mean():.3f} of {len(known)}" if len(known) else "no interval"
    for metric in METRICS:
        p_values = found.loc[(found["metric"] == metric) & (found["group"] == PAIR), "p_value"].dropna()
        row[f"{metric} p <= .05"] = f"{(p_values <= 0.05).mean():.3f} of {len(p_values)}"
    return row


def _draw(random: np.random.Generator, people: int, texts: int, protected: int) -> pd.DataFrame:
    author = np.repeat(np.arange(people), texts)
    status = pd.DataFrame({"gender": np.where(author < protected, "protected", "privileged")})
    label = (random.random(people) < 0.4)[author]
    # Half of the authors are read a little better in all their texts: the texts of one author are not independent.
    clear = np.where(random.random(people) < 0.5, 0.2, -0.2)[author]
    decision = random.random(len(author)) < np.where(label, 0.7 + clear, 0.2 - clear * 0.5)
    cell = sample(tabulate(status, label, decision, author), SETS, RULES)
    return pd.DataFrame(score_rates(cell) + with_tests(cell, score_gaps(cell, OURS, METRICS), METRICS))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
