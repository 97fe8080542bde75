"""Names that are words too go, planted groups are found, and the names shown are those that stand for a group."""

from itertools import permutations

import numpy as np
import pandas as pd

from stages.probes import name_groups
from stages.probes.spaces import unit


def test_names_that_lie_among_words_are_taken_out():
    rng = np.random.default_rng(0)
    names, others = rng.normal(size=(100, 8)), rng.normal(size=(100, 8))
    names[:80, 0] += 12
    kept = name_groups.cleaned(unit(names), unit(others), 0.2)
    assert len(kept) == 80
    assert set(kept) == set(range(80))
    assert len(name_groups.cleaned(unit(names), unit(others), 0)) == 100


def test_planted_groups_and_who_is_in_them():
    rng = np.random.default_rng(1)
    of = np.repeat([0, 1, 2], [30, 20, 10])
    vectors = unit(3 * np.eye(6)[of] + 0.3 * rng.normal(size=(60, 6)))
    order = rng.permutation(60)
    traits = pd.DataFrame({"female": of[order] / 2, "birth_year": 1950.0 + 20 * of[order]})
    found = name_groups.grouped([f"n{row}" for row in order], vectors[order], traits, 3, 4, 0)
    assert [len(group.rows) for group in found] == [30, 20, 10]
    assert [group.traits for group in found] == [{"female": one / 2, "birth_year": 1950 + 20 * one} for one in range(3)]
    for group, (first, last) in zip(found, ((0, 30), (30, 50), (50, 60)), strict=True):
        assert all(first <= int(name[1:]) < last for name in group.illustrative)


def test_the_first_name_is_the_most_central_and_the_second_brings_their_mean_nearest():
    vectors = unit(np.random.default_rng(2).normal(size=(7, 4)) + 1)
    centre = vectors.mean(axis=0)
    nearness = lambda rows: unit(vectors[list(rows)].mean(axis=0)) @ unit(centre)  # noqa: E731
    found = name_groups.illustrative(vectors, 3)
    assert nearness(found[:1]) == max(nearness([row]) for row in range(7))
    assert nearness(found[:2]) == max(nearness(pair) for pair in permutations(range(7), 2) if pair[0] == found[0])
    assert np.isclose(nearness(found), max(nearness([*found[:2], row]) for row in set(range(7)) - set(found[:2])))
    assert len(set(name_groups.illustrative(vectors, 9))) == 7
