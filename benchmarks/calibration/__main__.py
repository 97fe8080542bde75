"""``python -m benchmarks.calibration [STUDIES] [PART ...]`` prints the tables of docs/calibration.md and draws its figure.

Parts are pairs, groups, families, power, peers, unequal, heavy and gate, by default all. Every scenario has a seed of its own (its part's
number and its place), so that the same command prints the same tables.
"""

import os
import sys
from multiprocessing import get_context
from multiprocessing.pool import Pool
from pathlib import Path
from types import ModuleType

from benchmarks.calibration import families, gate, groups, heavy, pairs, peers, power, report, report_writers, unequal

PARTS = {
    "pairs": pairs,
    "groups": groups,
    "families": families,
    "power": power,
    "peers": peers,
    "unequal": unequal,
    "heavy": heavy,
    "gate": gate,
}
REPORTS = report.REPORTS | {unequal: report_writers.of_unequal, heavy: report_writers.of_heavy, gate: report_writers.of_gate}
STUDIES = 60
# Studies of a scenario, as a share of these: what is dear has fewer.
SHARES = {"pairs": 10, "groups": 2, "families": 4, "power": 2, "peers": 1 / 6, "unequal": 5, "heavy": 5, "gate": 5 / 3}
PLANTED = 1 / 3  # of these where groups differ
FIGURE = Path(__file__).parents[2] / "docs" / "calibration.svg"


def main(studies: int, *chosen: str) -> None:
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # two processes, each with its own threads of linear algebra, would wait for each other
    with get_context("spawn").Pool(2) as pool:
        for name in chosen or PARTS:
            part, each = PARTS[name], max(2, round(studies * SHARES[name]))
            found = _study(pool, part, each)
            title, *texts = REPORTS[part](found)
            print(title, f"`python -m benchmarks.calibration {studies} {name}`: {each} studies a scenario.\n", *texts, sep="\n")
            sys.stdout.flush()
            if part is power:
                FIGURE.write_text(power.figure(found), encoding="utf-8")


def _study(pool: Pool, part: ModuleType, studies: int) -> dict[tuple, dict]:
    fewer = max(2, round(studies * PLANTED))
    work = [
        (seed, *scenario, fewer if part is groups and scenario[-1] != groups.EQUAL else studies)
        for seed, scenario in enumerate(part.SCENARIOS)
    ]
    # The dearest scenarios come last in their lists, so they start first.
    found = pool.starmap(part.study, reversed(work), chunksize=1)
    return dict(zip(part.SCENARIOS, reversed(found), strict=True))


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else STUDIES, *sys.argv[2:])
