"""Few writers with many texts, real numbers of texts, small cells, groups that waver, wrong labels; and what finds a deficit."""

from functools import partial

import numpy as np

from benchmarks.calibration import authors, unequal
from benchmarks.calibration.audited import AGAINST, DISPARITY, PAIR, Tables, audited, contradictions, placed
from benchmarks.calibration.shares import shares
from benchmarks.calibration.writers import TPR, Whole, Writers

LONGEST = 500  # texts of a writer at most, where their number has a heavy tail
HEAVY, GROUP_OF_HEAVY, EACH = 0.3, 40, 5  # one writer's share of a group's texts; people of the group; texts of the others
SMALL = (3, 4, 5, 6, 7, 8, 60, 60)  # people of groups
WAVERING, NOISE = 0.2, 0.1
DEFICIT = 0.25
PARETO, PORTUGUESE = "Pareto 1.1", "4.9 against 1.4 texts, Pareto"
ONE_HEAVY, ONE_HEAVY_UNEQUAL = "one writes 30 %", "one writes 30 %, base rates .6, .4"
TWITTER, ESSAYS = "Multilingual Twitter Corpus, country", "WASSA essays, gender and race"
CELLS, WAVER, WRONG = "cells of 3 to 8", "groups that waver, 6:2", "wrong labels, 6:2"
AS_EQUALS = (PARETO, PORTUGUESE, ONE_HEAVY, ONE_HEAVY_UNEQUAL, TWITTER, ESSAYS, CELLS, WAVER, WRONG)
PLANTED_20, PLANTED_MANY, PLANTED_FEW = "about 20 of 300, 5 texts each", "40 who write 6, 80 write 2", "80 who write 2, 40 write 6"
PLANTED = (PLANTED_20, PLANTED_MANY, PLANTED_FEW)
SCENARIOS = [(name,) for name in (*PLANTED, *AS_EQUALS)]
# Shares of people in the categories of three attributes; the first of each are those with the deficit, 20 of 300.
CATEGORIES = ((0.45, 0.55), (0.5, 0.25, 0.15, 0.1), (0.3, 0.25, 0.2, 0.12, 0.08, 0.05))
SKIPPED = "skipped"
GROUP, ANY_GROUP = "TPR of the group called", "TPR of any group called"
SETS = {metric: f"{name} of its set called" for metric, name in (("fv", "FV"), ("adi", "ADI"), ("di", "DI"))}


def study(seed: int, name: str, studies: int) -> dict:
    """Shares of studies, of each interval and test of an audit, or of what is found of a planted deficit; or why it was skipped."""
    random = np.random.default_rng([7, seed])
    if name in PLANTED:
        return shares([planted(name, random) for _ in range(studies)])
    real = real_authors(name)
    if isinstance(real, str):
        return {SKIPPED: real}
    return unequal.of(partial(writers, name, random) if real is None else lambda: Writers(*real), random, studies)


def real_authors(name: str) -> tuple[Whole, Whole] | str | None:
    """Groups and numbers of texts of the authors of a scenario that has real ones; why there are none; None where they are simulated."""
    if name == ESSAYS:
        return authors.essays(("gender", "race"))
    return authors.twitter("country") if name == TWITTER else None


def writers(name: str, random: np.random.Generator) -> Writers:
    """Simulated writers of a scenario in which nothing differs between groups but, in one, base rates."""
    sizes = {PARETO: (60, 60), PORTUGUESE: (200, 600), CELLS: SMALL, WAVER: (40, 80), WRONG: (40, 80)}.get(name, (GROUP_OF_HEAVY, 80))
    first = np.repeat(np.arange(len(sizes)), sizes)
    if name in (PARETO, PORTUGUESE):
        tails = np.array([1.1, 1.1] if name == PARETO else [1.2, 2.35])[first]
        return Writers(first[:, None], np.minimum(np.floor(random.pareto(tails) + 1), LONGEST).astype(np.int64))
    if name in (WAVER, WRONG):
        noise, wavering = (NOISE, 0.0) if name == WRONG else (0.0, WAVERING)
        return Writers(first[:, None], np.array([6, 2])[first], noise=noise, wavering=wavering)
    texts = np.full(len(first), EACH)
    if name != CELLS:
        texts[0] = round(HEAVY / (1 - HEAVY) * EACH * (GROUP_OF_HEAVY - 1))
    return Writers(first[:, None], texts, base=np.array([0.6, 0.4])[first] if name == ONE_HEAVY_UNEQUAL else 0.4)


def planted(name: str, random: np.random.Generator) -> dict[str, float]:
    """One study of writers of whom those protected on every attribute have a lower TPR: who is called?"""
    if name == PLANTED_20:
        groups, texts = crossed(300, random), np.full(300, EACH)
    else:
        groups, texts = np.repeat([0, 1], [40, 80] if name == PLANTED_MANY else [80, 40])[:, None], np.array([6, 2])
        texts = (texts if name == PLANTED_MANY else texts[::-1])[groups[:, 0]]
    world = Writers(groups, texts, tpr=np.where((groups == 0).all(axis=1), TPR - DEFICIT, TPR))
    names = list(world.names[: groups.shape[1]])
    return calls(audited(world.draw(random), names), names)


def crossed(people: int, random: np.random.Generator) -> Whole:
    """People [people, 3] of three attributes that have nothing to do with each other."""
    return np.stack([random.choice(len(shares_of), people, p=shares_of) for shares_of in CATEGORIES], axis=1)


def calls(tables: Tables, names: list[str]) -> dict[str, float]:
    """Whether the deficit of those protected on all of ``names`` is called a disparity, by each way to look at it."""
    rows = placed(tables)
    called = rows["verdict"] == DISPARITY
    of_groups = called & (rows["name"] == "tpr, difference to everyone")
    whole = rows["attributes"] == "+".join(names)
    found = {GROUP: (of_groups & whole & (rows["group"] == ", ".join(f"{name}0" for name in names))).any(), ANY_GROUP: of_groups.any()}
    pairs = called & whole & (rows["kind"] == PAIR)
    found |= {said: (pairs & (rows["metric"] == metric)).any() for metric, said in SETS.items()}
    return {what: float(value) for what, value in found.items()} | {AGAINST: float(contradictions(rows).mean())}
