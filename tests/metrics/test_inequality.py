"""Inequality indices against their definitions over people one by one, and their decomposition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.metrics import inequality

people = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30)


def counts_of(rows: list[tuple[bool, bool]]) -> np.ndarray:
    label, decision = np.array(rows).T
    return np.array([len(rows), label.sum(), decision.sum(), (label & decision).sum()], dtype=float)


@given(people)
def test_the_indices_equal_their_definitions_person_by_person(rows):
    counts = counts_of(rows)
    benefit = np.array([1 + int(decision) - int(label) for label, decision in rows], dtype=float)
    if benefit.sum() == 0:
        assert np.isnan([inequality.theil_index(counts), inequality.gini(counts), inequality.coefficient_of_variation(counts)]).all()
        return
    relative = benefit / benefit.mean()
    some = relative[relative > 0]
    assert inequality.theil_index(counts) == pytest.approx((some * np.log(some)).sum() / len(rows), abs=1e-12)
    assert inequality.coefficient_of_variation(counts) == pytest.approx(benefit.std() / benefit.mean(), abs=1e-7)
    apart = np.abs(benefit[:, None] - benefit).sum()
    assert inequality.gini(counts) == pytest.approx(apart / (2 * len(rows) ** 2 * benefit.mean()), abs=1e-12)
    if (benefit > 0).all():
        expected = -np.log(relative).mean()
        found = inequality.generalised_entropy(inequality.BENEFITS, inequality.people_by_benefit(counts), 0)
        assert found == pytest.approx(expected, abs=1e-12)


@given(people, people, st.sampled_from([0.5, 1, 2]))
def test_inequality_is_what_lies_between_groups_and_what_lies_within(one, other, alpha):
    groups = np.stack([counts_of(one), counts_of(other)])
    everyone = groups.sum(axis=0)

    def entropy(counts: np.ndarray) -> float:
        return float(inequality.generalised_entropy(inequality.BENEFITS, inequality.people_by_benefit(counts), alpha))

    mean = 1 + (everyone[2] - everyone[1]) / everyone[0]
    benefits = 1 + (groups[:, 2] - groups[:, 1]) / groups[:, 0]
    if mean == 0:
        assert np.isnan(entropy(everyone))
        return
    parts = groups[:, 0] / everyone[0] * (benefits / mean) ** alpha
    # A group in which nobody benefits has no inequality within.
    within = sum(part * entropy(group) for part, group, benefit in zip(parts, groups, benefits, strict=True) if benefit > 0)
    assert entropy(everyone) == pytest.approx(within + inequality.between_groups(groups, alpha), abs=1e-9)


def test_an_empty_group_and_a_fair_one():
    fair = np.array([[4.0, 2, 2, 2], [6, 1, 1, 1], [0, 0, 0, 0]])
    assert inequality.between_groups(fair, 1) == 0
    assert inequality.theil_index(fair).tolist() == pytest.approx([0, 0, np.nan], nan_ok=True)


def test_someone_without_benefit_is_infinitely_unequal_at_alpha_zero_alone():
    counts = np.array([4.0, 2, 1, 1])
    kinds = inequality.people_by_benefit(counts)
    assert inequality.generalised_entropy(inequality.BENEFITS, kinds, 0) == np.inf
    assert np.isfinite(inequality.generalised_entropy(inequality.BENEFITS, kinds, 1))


def test_which_way_the_errors_go():
    counts = np.array([[9.0, 4, 2, 1], [9, 4, 8, 4], [9, 4, 4, 4]])
    assert inequality.treatment_equality(counts).tolist() == pytest.approx([(3 - 1) / 4, -1, np.nan], nan_ok=True)
