"""Nearness to groups of people: planted leans are found, none is not, and the interval is that of words."""

import numpy as np
import pytest

from stages.probes import association, spaces
from stages.probes.base import Base
from stages.probes.word_sets import Groups, WordSets

PARAMS = association.Params(replicates=200)
NAMES = {"one": 6, "other": 6, "neutral": 60}
SETS = {name: tuple(f"{name}{row}" for row in range(number)) for name, number in NAMES.items()}
GROUP = Groups(of=("one", "other"), neutral=("neutral",), paired=True)
WORDS = WordSets(sets=SETS, groups={"g": GROUP})


def space(seed: int, lean: float = 0.0, lost: tuple[str, ...] = ()) -> spaces.Space:
    """Random vectors; the first half of the neutral words lies ``lean`` nearer to the first group, the rest to the second."""
    rng = np.random.default_rng(seed)
    words = [word for held in SETS.values() for word in held]
    matrix = rng.normal(size=(len(words), 40))
    matrix[:6, 0] += 6
    matrix[6:12, 0] -= 6
    matrix[12:42, 0] += lean
    matrix[42:, 0] -= lean
    kept = [row for row, word in enumerate(words) if word not in lost]
    return spaces.static([words[row] for row in kept], matrix[kept])


def figures(held: spaces.Space, seed: int = 1) -> dict:
    found = association.measure(Base([held], [held], None, lambda *_: []), WORDS, PARAMS, seed)
    return {figure.statistic: figure for _, figure in found}


def test_a_planted_lean_is_found_by_every_statistic_that_can_see_it():
    found = figures(space(0, lean=3))
    assert set(found) == {"amae", "armse", "ect", "mac", "rnd", "ripa"}
    for what in ("amae", "armse", "ripa"):
        assert found[what].value >= found[what].null[1] - 1e-12  # it may be the largest of all arrangements, by another order of sums
        assert found[what].p_value < 0.05
    assert found["ect"].value < found["ect"].null[0]
    assert found["amae"].ci[0] < found["amae"].value < found["amae"].ci[1]
    assert all(figure.n == 60 for figure in found.values())


def test_p_is_near_uniform_where_terms_say_nothing_of_their_group():
    """All terms and words random: at most 8 of 60 studies below .05 (binomial: 1 in 80)."""
    p = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        words, groups = rng.normal(size=(30, 10)), list(rng.normal(size=(2, 5, 10)))
        p += [next(association.compared("g", ("amae",), words, groups, PARAMS, seed, None)).p_value]
    assert np.mean(np.array(p) <= 0.05) <= 0.12
    assert 0.35 < np.mean(p) < 0.65


def test_the_interval_of_amae_is_the_bootstrap_of_words():
    rng = np.random.default_rng(3)
    words, groups = rng.normal(size=(200, 10)), list(rng.normal(size=(2, 5, 10)))
    found = next(association.compared("g", ("amae",), words, groups, association.Params(replicates=2000), 1, None))
    one, other = (np.mean(spaces.unit(words) @ spaces.unit(group).T, axis=1) for group in groups)
    error = np.std(np.abs(one - other), ddof=1) / np.sqrt(200)
    assert found.value == pytest.approx(np.abs(one - other).mean())
    assert np.diff(found.ci)[0] == pytest.approx(2 * 1.96 * error, rel=0.1)


def test_the_same_seed_gives_the_same_figures():
    assert figures(space(0)) == figures(space(0))


def test_lost_words_are_named_and_their_pair_is_left_out():
    found = figures(space(0, lost=("one0", "neutral3")))
    assert found["amae"].lost == "one: one0; neutral: neutral3"
    assert found["amae"].n == 59
    known = association.pairs(space(0, lost=("one0",)), SETS, GROUP)
    assert [len(side) for side in known] == [5, 5]


def test_a_group_without_words_has_a_reason_and_no_number():
    found = figures(space(0, lost=SETS["one"][1:]))
    assert all(np.isnan(figure.value) and "fewer than two words of one" in figure.reason for figure in found.values())
