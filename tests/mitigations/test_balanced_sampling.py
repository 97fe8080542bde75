"""What an epoch draws is balanced as asked, to the last text, and a group that is short of texts is repeated evenly."""

import numpy as np
import pytest

from stages.mitigations import balanced_sampling
from stages.mitigations.balanced_sampling import Params
from stages.mitigations.groups import Groups

GROUPS = {"attributes": {"gender": "category"}}
# Texts of each group (rows) with the unfavourable and the favourable decision.
CELLS = np.array([[40, 80], [30, 10], [20, 0]])


def drawn(params, cells=CELLS, seed=0):
    number = np.repeat(np.arange(len(cells)), cells.sum(1))
    favourable = np.concatenate([np.repeat([False, True], row) for row in cells])
    mixed = np.random.default_rng(1).permutation(len(number))
    number, favourable = number[mixed], favourable[mixed]
    train = np.arange(len(number))
    found = balanced_sampling.lesson(Groups(number, np.ones(len(number), bool)), favourable, train, params)
    index = found["draw"](np.random.default_rng(seed))
    return index, np.bincount(2 * number[index] + favourable[index], minlength=2 * len(cells)).reshape(-1, 2)


@pytest.mark.parametrize(
    ("balance", "how", "expected"),
    [
        ("cells", "same", [[36, 36], [36, 36], [36, 0]]),
        ("cells", "down", [[10, 10], [10, 10], [10, 0]]),
        ("cells", "over", [[80, 80], [80, 80], [80, 0]]),
        ("within_labels", "same", [[30, 45], [30, 45], [30, 0]]),
        ("within_labels", "down", [[7, 10], [7, 10], [7, 0]]),
        ("groups", "same", [[20, 40], [45, 15], [60, 0]]),
        ("groups", "down", [[7, 13], [15, 5], [20, 0]]),
        ("groups", "over", [[40, 80], [90, 30], [120, 0]]),
    ],
)
def test_counts_are_those_asked_for(balance, how, expected):
    _, counts = drawn(Params(**GROUPS, balance=balance, drawn=how))
    assert counts.tolist() == expected


@pytest.mark.parametrize("balance", ["cells", "within_labels", "groups"])
def test_down_repeats_no_text_over_leaves_none_out_and_repeats_are_even(balance):
    index, _ = drawn(Params(**GROUPS, balance=balance, drawn="down"))
    assert len(set(index.tolist())) == len(index)
    index, counts = drawn(Params(**GROUPS, balance=balance, drawn="over"))
    assert len(set(index.tolist())) == CELLS.sum()
    times = np.bincount(index)
    assert times.max() == np.ceil(counts[CELLS > 0] / CELLS[CELLS > 0]).max()


@pytest.mark.parametrize("balance", ["cells", "within_labels", "groups"])
@pytest.mark.parametrize("how", ["same", "down", "over"])
def test_balanced_groups_are_drawn_whole_and_in_order(balance, how):
    index, _ = drawn(Params(**GROUPS, balance=balance, drawn=how), np.full((3, 2), 7))
    assert np.array_equal(index, np.arange(42))


def test_a_seed_draws_the_same_texts_and_another_others():
    first, again, other = (drawn(Params(**GROUPS), seed=seed)[0] for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_cell_of_one_text_among_many_is_kept():
    assert drawn(Params(**GROUPS, balance="groups"), np.array([[500, 1], [3, 1]]))[1].min() >= 1
