"""Groups whose members write different numbers of texts: do tests keep their level, do intervals hold, where all rates are equal?"""

from collections.abc import Callable

import numpy as np

from benchmarks.calibration.audited import attributes, audited, measured, truth
from benchmarks.calibration.shares import Share, shares
from benchmarks.calibration.writers import Writers

MANY, FEW = 40, 80  # people of the group that writes more, and of the other
ALIKE = {"0": (0.0, 0.0), "0.3": (0.3, 0.3), "0.6": (0.6, 0.6), "0.6, 0.1": (0.6, 0.1)}
EQUAL, UNEQUAL = "equal", "base rates .6, .4"
ONE, THREE = "one of 2 groups", "three of 2, 3, 4 groups"
# Texts of a writer of each of two groups, how alike they are, whether base rates differ (TPR and FPR never do), and the attributes.
SCENARIOS = [
    ((2, 1), "0.3", EQUAL, ONE),
    *((texts, alike, EQUAL, ONE) for texts in ((6, 2), (11, 1)) for alike in ALIKE),
    *((texts, "0.3", UNEQUAL, ONE) for texts in ((6, 2), (11, 1))),
    *((texts, "0.3", EQUAL, THREE) for texts in ((6, 2), (11, 1))),
]


def writers(texts: tuple[int, int], alike: str, rates: str, names: str, random: np.random.Generator) -> Writers:
    """People of two groups, of which the first write more; of three attributes the other two have nothing to do with it."""
    times = 1 if names == ONE else 2
    first = np.repeat([0, 1], [times * MANY, times * FEW])
    groups = [first] if names == ONE else [first, *(random.permutation(np.arange(len(first)) % number) for number in (3, 4))]
    base: float | np.ndarray = np.array([0.6, 0.4])[first] if rates == UNEQUAL else 0.4
    return Writers(np.stack(groups, axis=1), np.array(texts)[first], base=base, alike=np.array(ALIKE[alike])[first])


def study(seed: int, texts: tuple[int, int], alike: str, rates: str, names: str, studies: int) -> dict[tuple[str, str, str], Share]:
    """Shares of studies, of each interval and test of an audit."""
    random = np.random.default_rng([6, seed])
    world = writers(texts, alike, rates, names, random)
    return of(lambda: world, random, studies)


def of(draw: Callable[[], Writers], random: np.random.Generator, studies: int) -> dict[tuple[str, str, str], Share]:
    """Shares of studies, each of writers drawn anew, whose truth is that of the first."""
    world = draw()
    true, names = truth(world), attributes(world)
    return shares([measured(audited(draw().draw(random), names), true) for _ in range(studies)])
