"""Rows keep every number; an epoch's batches hold every text once; buckets waste little."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stages.models.batches import Rows, by_length, shuffled


@given(st.lists(st.lists(st.integers(1, 9), max_size=6), min_size=1, max_size=12))
def test_padded_rows_hold_the_numbers_and_nothing_else(listed):
    rows = Rows.of(listed)
    numbers, held = rows.padded(np.arange(len(listed)), fill=0)
    for i, row in enumerate(listed):
        assert numbers[i, : len(row)].tolist() == row
        assert not numbers[i, len(row) :].any()
        assert held[i].sum() == max(len(row), 1), "an empty text still has one position to look at"


@given(st.integers(1, 200), st.integers(1, 7), st.integers(0, 3))
def test_every_text_is_in_one_batch(number, batch, seed):
    index = np.arange(number) * 3
    lengths = np.random.default_rng(seed).integers(1, 50, 3 * number)
    for batches in (shuffled(index, lengths, batch, np.random.default_rng(seed)), by_length(index, lengths, batch)):
        assert sorted(np.concatenate(batches).tolist()) == index.tolist()
        assert max(len(part) for part in batches) <= batch


def test_an_epoch_pads_little_and_differs_from_the_next():
    lengths = np.random.default_rng(0).integers(1, 100, 2000)
    generator = np.random.default_rng(1)
    first, second = (shuffled(np.arange(2000), lengths, 32, generator) for _ in range(2))
    padded = sum(lengths[part].max() * len(part) for part in first)
    assert padded < 1.05 * lengths.sum(), "random batches would pad to nearly twice the tokens"
    assert any((one[:5] != other[:5]).any() for one, other in zip(first, second, strict=True))
    firsts = [lengths[part].max() for part in first]
    assert firsts != sorted(firsts, reverse=True), "batches come in no order of length"


def test_prediction_starts_with_the_longest():
    lengths = np.array([3, 9, 1, 7])
    assert [part.tolist() for part in by_length(np.array([0, 1, 2, 3]), lengths, 2)] == [[1, 3], [0, 2]]
