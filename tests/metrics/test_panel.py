"""Sums of a panel are those of the contingency table, and drawing, swapping and dealing do to them what they say."""

import numpy as np
import pandas as pd

from stages.metrics.contingency import tabulate
from stages.metrics.panel import by_model, gather
from stages.metrics.permutation import favourable_only, null_sums
from tests.metrics.people import SETS, decisions, statuses

KEPT = [0, *(4 * place + side for place in range(len(SETS)) for side in (1, 2))]


def made(people: int = 80, seed: int = 1):
    random = np.random.default_rng(seed)
    status = statuses(people, random)
    owner, favourable, decided = decisions(status, random, (0.3, 0.0, 0.3))
    return status.iloc[owner].reset_index(drop=True), favourable, decided, owner, people


def test_sums_are_those_of_one_contingency_table_a_model():
    status, favourable, decided, owner, people = made()
    panel = gather(status, favourable, decided, owner, people, SETS)
    for model in range(3):
        table = tabulate(status, favourable, decided[:, model] == 1, owner)
        np.testing.assert_array_equal(panel.point()[model], table.sums(SETS)[KEPT])
    table = tabulate(status, favourable, favourable, owner)
    np.testing.assert_array_equal(panel.people_in(), table.people(SETS)[KEPT][:, :2])


def test_a_drawn_person_brings_all_texts():
    status, favourable, decided, owner, people = made()
    times = np.random.default_rng(2).integers(0, 3, people)
    rows = np.repeat(np.arange(len(owner)), times[owner])
    again = gather(status.iloc[rows].reset_index(drop=True), favourable[rows], decided[rows], owner[rows], people, SETS)
    panel = gather(status, favourable, decided, owner, people, SETS)
    np.testing.assert_array_equal(panel.drawn(times[None, panel.owner].astype(float))[0], again.point())


def test_swapped_models_are_those_of_swapped_decisions():
    status, favourable, decided, owner, people = made()
    coins = np.random.default_rng(3).integers(0, 2, people)
    turned = decided.copy()
    turned[:, [0, 2]] = np.where(coins[owner, None] == 1, decided[:, [2, 0]], decided[:, [0, 2]])
    panel = gather(status, favourable, decided, owner, people, SETS)
    one, other = panel.swapped(coins[None, panel.owner].astype(float), [(0, 2), (1, 0)])
    expected = gather(status, favourable, turned, owner, people, SETS).point()
    np.testing.assert_array_equal(one[0, 0], expected[0])
    np.testing.assert_array_equal(other[0, 0], expected[2])


def test_demographics_that_differ_between_texts_make_one_person_each():
    status = pd.DataFrame({"gender": ["protected", "privileged", "privileged"]})
    panel = gather(status, np.ones(3, dtype=bool), np.ones((3, 1)), np.array([0, 0, 1]), 2, [("gender",)])
    assert panel.people.tolist() == [[0, 1], [2, -1]]
    everyone, _ = panel.dealt(np.array([1, 0]))
    np.testing.assert_array_equal(by_model(everyone[None])[0, 0, :, 0], [3, 1, 2])


def test_deals_have_the_moments_of_the_size_matched_null_of_one_cell():
    """Group sizes stay; means and deviations of what is dealt agree with permutation.py, among all and among favourable texts."""
    status, favourable, decided, owner, people = made(150)
    panel = gather(status, favourable, decided, owner, people, SETS)
    random = np.random.default_rng(4)
    dealt = [panel.dealt(random.permutation(people)) for _ in range(3000)]
    table = tabulate(status, favourable, decided[:, 1] == 1, owner)
    for part, cell in zip(zip(*dealt, strict=True), (table, favourable_only(table)), strict=True):
        sums = by_model(np.stack(part))[:, 1]
        expected = np.concatenate(list(null_sums(cell, SETS, 3000, seed=5)))[:, :, :4]
        np.testing.assert_allclose(sums[..., 3].mean(axis=0), expected[..., 3].mean(axis=0), rtol=0.02)
        np.testing.assert_allclose(sums[:, 1:, 3].std(axis=0), expected[:, 1:, 3].std(axis=0), rtol=0.07)
    sizes = by_model(np.stack([part for part, _ in dealt]))[:, 1, :, 0]
    np.testing.assert_array_equal(sizes, np.broadcast_to(panel.point()[1][:, 0], sizes.shape))


def test_with_one_text_a_person_groups_keep_their_favourable_texts():
    status, favourable, decided, owner, people = made(150)
    first = np.arange(0, len(owner), 2)
    panel = gather(status.iloc[first].reset_index(drop=True), favourable[first], decided[first], owner[first], people, SETS)
    dealt = panel.dealt(np.random.default_rng(4).permutation(people))[1]
    np.testing.assert_array_equal(dealt[:, 1], panel.point()[0][:, 1])
    assert (dealt[:, 3] != panel.point()[0][:, 3]).any()


def test_tasks_of_the_same_people_deal_alike():
    """A second task that lacks a few of the people hands nearly everybody else the same demographics."""
    status, favourable, decided, owner, people = made(200)
    some = owner >= 4
    whole = gather(status, favourable, decided, owner, people, SETS)
    part = gather(status[some].reset_index(drop=True), favourable[some], decided[some], owner[some], people, SETS)
    lines = [np.random.default_rng(seed).permutation(people) for seed in range(300)]
    selected = np.array([[panel.dealt(line)[0][1, 2] for panel in (whole, part)] for line in lines])
    assert np.corrcoef(selected.T)[0, 1] > 0.8


def test_fractions_of_decisions_are_kept():
    status, favourable, decided, owner, people = made()
    halves = gather(status, favourable, decided / 2, owner, people, SETS).point()
    np.testing.assert_allclose(halves[..., 2:], gather(status, favourable, decided, owner, people, SETS).point()[..., 2:] / 2)
