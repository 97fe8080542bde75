"""python -m benchmarks.released_errors [POINT ...]: what the paper's released numbers get wrong, each point with its figures.

All from data/raw/naacl2022/counts.csv (see the README there). Two points say more with files that are not in the repository:
--released merged_plotting_data.csv (github.com/nd-hal/naacl-2022) has AUC and F1, --corpus a folder of the Multilingual Twitter
Corpus (see data/raw/README.md) has the population of the hate-speech task.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

from benchmarks import released_points
from benchmarks.released_points import Figures

NAMES = ("fv", "respondents", "populations", "collapsed", "labels", "copied", "empty", "opposed", "sampling")
POINTS: dict[str, Callable[..., Figures]] = {name: getattr(released_points, name) for name in NAMES}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.released_errors", description=__doc__)
    parser.add_argument("points", nargs="*", metavar="POINT", help=f"some of {', '.join(POINTS)} (default: all)")
    parser.add_argument("--released", type=Path, help="the released file, for AUC and F1")
    parser.add_argument("--corpus", type=Path, help="a folder of the Multilingual Twitter Corpus with indices/ and word_index/")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.points if name not in POINTS]
    if unknown:
        parser.error(f"{unknown[0]!r} is no point; there are {', '.join(POINTS)}")
    counts = released_points.read()
    given = {"populations": [options.corpus], "copied": [options.released]}
    for name in options.points or POINTS:
        print(f"\n{name}: {(POINTS[name].__doc__ or '').splitlines()[0]}")
        for what, figure in POINTS[name](counts, *given.get(name, [])).items():
            print(f"  {what}: {' / '.join(map(str, figure)) if isinstance(figure, tuple) else figure}")


if __name__ == "__main__":
    main()
