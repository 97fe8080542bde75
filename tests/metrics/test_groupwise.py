"""Groups of any labels, overlaps and order, against counting by hand, and every rate against its definition."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from stages.contract.bad_input import BadInput
from stages.metrics import groupwise

rows = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.booleans(), st.booleans()), min_size=1, max_size=30)


def columns(table: list[tuple]) -> list[np.ndarray]:
    return [np.array(column) for column in zip(*table, strict=True)]


def test_any_hashable_label_is_a_group_and_missing_values_are_one():
    """fairlib crashes on ids that are not 0..k-1; fairlearn refuses and Aequitas drops a missing value."""
    labels = [0, 2, 2, "non-binary", (1, 2), None, float("nan"), pd.NA, frozenset({"a"})]
    membership = groupwise.of_values(labels)
    assert membership.names == (0, 2, "non-binary", (1, 2), "unknown", frozenset({"a"}))
    assert membership.member.sum(axis=0).tolist() == [1, 2, 1, 1, 3, 1]
    decided = np.zeros(9, dtype=bool)
    assert groupwise.tally(membership, decided, decided)[:, 0].sum() == len(labels)


def test_a_text_that_mentions_two_groups_counts_in_both_and_once_in_everyone():
    membership = groupwise.of_masks({"women": np.array([True, True, False]), "muslim": np.array([False, True, False])})
    label, decision = np.array([True, True, False]), np.array([True, False, False])
    assert groupwise.tally(membership, label, decision).tolist() == [[2, 2, 1, 1], [1, 1, 0, 0]]
    assert groupwise.total(label, decision).tolist() == [3, 2, 1, 1]
    both = groupwise.cross(membership, membership)
    assert set(both.names) == {("women", "women"), ("women", "muslim"), ("muslim", "women"), ("muslim", "muslim")}
    assert both.rows(both.names.index(("women", "muslim"))).tolist() == [1]


@given(rows)
def test_intersections_of_every_order_equal_a_group_by(table):
    frame = pd.DataFrame(table, columns=["one", "two", "label", "decision"])
    frame["three"] = frame["one"] + frame["two"]
    attributes = {name: groupwise.of_values(frame[name]) for name in ("one", "two", "three")}
    label, decision = frame["label"].to_numpy(), frame["decision"].to_numpy()
    for order in (1, 2, 3):
        for chosen, membership in groupwise.intersections(attributes, order).items():
            found = dict(zip(membership.names, groupwise.tally(membership, label, decision).tolist(), strict=True))
            parts = dict(iter(frame.groupby(list(chosen))))
            expected = {
                name: [len(part), part["label"].sum(), part["decision"].sum(), (part["label"] & part["decision"]).sum()]
                for name, part in parts.items()
            }
            assert found == expected


@given(rows, st.integers(0, 9))
def test_weights_are_repeated_rows_on_every_replicate(table, seed):
    values, _, label, decision = columns(table)
    weights = np.random.default_rng(seed).integers(0, 3, (2, len(values)))
    counts = groupwise.tally(groupwise.of_values(values), label, decision, weights.astype(float))
    assert counts.shape == (2, len(set(values)), 4)
    for replicate, repeats in enumerate(weights):
        groups, repeated = groupwise.of_values(values), np.repeat(np.arange(len(values)), repeats)
        member = groupwise.Membership(groups.names, groups.member[repeated])
        alone = groupwise.tally(groupwise.of_values(values), label, decision, repeats.astype(float))
        np.testing.assert_array_equal(counts[replicate], alone)
        np.testing.assert_array_equal(alone, groupwise.tally(member, label[repeated], decision[repeated]))
        total = groupwise.total(label, decision, weights.astype(float))[replicate]
        np.testing.assert_array_equal(counts[replicate].sum(axis=0), total)


@given(rows)
def test_relabelling_and_reordering_groups_changes_no_count(table):
    values, _, label, decision = columns(table)
    renamed = {"a": (3,), "b": 0, "c": "a"}
    one = groupwise.tally(groupwise.of_values(values), label, decision)
    other = groupwise.of_values([renamed[value] for value in values])
    np.testing.assert_array_equal(one, groupwise.tally(other, label, decision))
    backwards = groupwise.of_values(values[::-1])
    again = dict(zip(backwards.names, groupwise.tally(backwards, label[::-1], decision[::-1]).tolist(), strict=True))
    assert again == dict(zip(groupwise.of_values(values).names, one.tolist(), strict=True))


@given(rows)
def test_every_rate_equals_scikit_learn_or_is_undefined(table):
    *_, label, decision = columns(table)
    found = groupwise.rates(groupwise.total(label, decision))
    assert tuple(found) == tuple(groupwise.PARTS)
    matrix = metrics.confusion_matrix(label, decision, labels=[False, True])
    parts = {"fpr": matrix[0], "tpr": matrix[1], "npv": matrix[:, 0], "ppv": matrix[:, 1]}
    numerators = {"fpr": matrix[0, 1], "tpr": matrix[1, 1], "npv": matrix[0, 0], "ppv": matrix[1, 1]}
    for name, complement in (("fpr", "tnr"), ("tpr", "fnr"), ("npv", "for"), ("ppv", "fdr")):
        value, denominator = found[name]
        assert denominator == found[complement][1] == parts[name].sum()
        assert value == pytest.approx(numerators[name] / parts[name].sum() if parts[name].sum() else np.nan, nan_ok=True)
        assert found[complement][0] == pytest.approx(1 - value, nan_ok=True)
    assert found["accuracy"][0] == pytest.approx(metrics.accuracy_score(label, decision))
    assert found["error_rate"][0] == pytest.approx(1 - found["accuracy"][0])
    assert (found["base_rate"][0], found["selection_rate"][0]) == pytest.approx((label.mean(), decision.mean()))
    if label.any() or decision.any():
        assert found["f1"][0] == pytest.approx(metrics.f1_score(label, decision))
    else:
        assert np.isnan(found["f1"][0])


def test_every_rate_of_nobody_is_undefined():
    assert all(np.isnan(value) and denominator == 0 for value, denominator in groupwise.rates(np.zeros(4)).values())


def test_thousands_of_groups_take_no_dense_table():
    """100,000 rows in 20,000 groups: as a dense table 2 GB."""
    values = np.arange(100_000) % 20_000
    membership = groupwise.cross(groupwise.of_values(values), groupwise.of_values(values % 7))
    decided = values % 2 == 0
    counts = groupwise.tally(membership, decided, decided)
    assert counts.shape == (20_000, 4)
    assert (counts[:, 0] == 5).all()


def test_what_cannot_be_grouped_is_refused():
    with pytest.raises(BadInput, match=r"2 different lengths \[1, 2\]"):
        groupwise.of_masks({"a": np.array([True]), "b": np.array([True, False])})
    with pytest.raises(BadInput, match="0 different lengths"):
        groupwise.of_masks({})
    with pytest.raises(BadInput, match=r"different numbers of rows \[2, 3\]"):
        groupwise.cross(groupwise.of_values("ab"), groupwise.of_values("abc"))
    with pytest.raises(BadInput, match="no intersection of order 2 among 1 attributes"):
        groupwise.intersections({"a": groupwise.of_values("ab")}, 2)
