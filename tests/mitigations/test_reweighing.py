"""Weights make group and decision independent; where they are already, nothing changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.mitigations import reweighing
from stages.mitigations.groups import Groups


def test_the_papers_example():
    """Kamiran and Calders 2012, table 1: ten applicants, of five men four and of five women two accepted."""
    group, accepted = np.repeat([0, 1], 5), np.array([1, 1, 1, 1, 0, 1, 1, 0, 0, 0], dtype=bool)
    assert reweighing.weights_of(group, accepted) == pytest.approx([0.75] * 4 + [2] + [1.5] * 2 + [2 / 3] * 3)


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=8, max_size=80))
def test_weighted_shares_are_independent_where_every_cell_has_texts(pairs):
    pairs = pairs + [(group, label) for group in range(4) for label in (False, True)]
    group, favourable = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])
    weights = reweighing.weights_of(group, favourable)
    assert weights.mean() == pytest.approx(1)
    for number in range(4):
        inside = group == number
        assert weights[inside].sum() == pytest.approx(inside.sum()), "a group keeps its weight"
        assert weights[inside & favourable].sum() == pytest.approx(inside.sum() * favourable.mean())


def test_balanced_groups_weigh_exactly_one():
    group, favourable = np.tile([0, 0, 0, 1, 1, 1, 2, 2, 2], 7), np.tile([True, False, False], 21)
    assert (reweighing.weights_of(group, favourable) == 1).all()


def test_a_group_with_one_decision_has_finite_weights_of_mean_one():
    weights = reweighing.weights_of(np.array([1, 1, 0, 0]), np.array([True, False, False, False]))
    assert weights == pytest.approx(np.array([0.5, 1.5, 0.75, 0.75]) / 0.875)


def test_only_training_texts_count_and_only_they_are_weighed():
    generator = np.random.default_rng(0)
    number, favourable = generator.integers(0, 2, 60), generator.random(60) < 0.3
    train = np.arange(40)
    found = reweighing.lesson(Groups(number, np.ones(60, bool)), favourable, train, None)["weights"]
    favourable[40:] ^= True
    again = reweighing.lesson(Groups(number, np.ones(60, bool)), favourable, train, None)["weights"]
    assert np.array_equal(found, again)
    assert found.dtype == np.float32
    assert (found[40:] == 1).all()
    assert found[:40].std() > 0.05
