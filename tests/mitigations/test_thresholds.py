"""Thresholds make the rates alike that they are asked to, on people they were not fitted on; who has no threshold keeps the one cut."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from stages.contract.bad_input import BadInput
from stages.mitigations import thresholds
from stages.mitigations.groups import Groups

ATTRIBUTES = {"gender": "category"}


def planted(number=12000, seed=0):
    """Two groups whose scores tell labels equally well, one's lying lower, and whose labels differ in their mean."""
    generator = np.random.default_rng(seed)
    group = generator.integers(0, 2, number)
    favourable = generator.random(number) < np.where(group == 0, 0.6, 0.4)
    score = 1 / (1 + np.exp(-(2 * favourable - 1 - 0.8 * group + generator.normal(size=number))))
    return group, favourable, np.round(score, 6)


def rates(decided, favourable, group):
    """Selection rate, TPR and FPR, each [2 groups]."""
    parts = (np.ones_like(favourable), favourable, ~favourable)
    return [np.array([decided[part & (group == number)].mean() for number in (0, 1)]) for part in parts]


def decide(group, favourable, score, seed=0, **options):
    half = len(group) // 2
    fitted, applied = np.arange(half), np.arange(half, len(group))
    groups = Groups(group, np.ones(len(group), bool))
    params = thresholds.Params(attributes=ATTRIBUTES, seed=seed, **options)
    return thresholds.decide(score, favourable, score >= 0.5, groups, fitted, applied, params), applied


@pytest.mark.parametrize(
    ("constraint", "alike"),
    [
        ("demographic_parity", [0]),
        ("true_positive_rate_parity", [1]),
        ("false_negative_rate_parity", [1]),
        ("false_positive_rate_parity", [2]),
        ("true_negative_rate_parity", [2]),
        ("equalized_odds", [1, 2]),
    ],
)
def test_the_asked_rates_are_alike_on_other_people(constraint, alike):
    group, favourable, score = planted()
    found, applied = decide(group, favourable, score, constraints=constraint)
    before = rates((score >= 0.5)[applied], favourable[applied], group[applied])
    after = rates(found, favourable[applied], group[applied])
    for rate in alike:
        assert abs(np.diff(before[rate])) > 0.12
        # Two standard errors: rates of 1,200 texts or more, by thresholds fitted on as many.
        assert abs(np.diff(after[rate])) < 0.05
    assert (found == favourable[applied]).mean() > 0.7


def test_decisions_are_fairlearns_own():
    """The public way: a fitted classifier of fairlearn's own, on the same rows and seed."""
    from fairlearn.postprocessing import ThresholdOptimizer

    group, favourable, score = planted(2000)
    model = LogisticRegression().fit(score[:, None], favourable)
    said = model.predict_proba(score[:, None])[:, 1]
    theirs = ThresholdOptimizer(
        estimator=model, constraints="equalized_odds", objective="balanced_accuracy_score", prefit=True, predict_method="predict_proba"
    ).fit(score[:1000, None], favourable[:1000].astype(int), sensitive_features=group[:1000])
    found, applied = decide(group, favourable, said, constraints="equalized_odds", objective="balanced_accuracy_score")
    seed = thresholds._seed(thresholds.Params(attributes=ATTRIBUTES), applied)
    assert np.array_equal(found, theirs.predict(score[applied, None], sensitive_features=group[applied], random_state=seed) == 1)


def test_a_seed_decides_the_same_and_another_otherwise():
    group, favourable, score = planted(2000)
    first, again, other = (decide(group, favourable, score, seed, constraints="equalized_odds")[0] for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_labels_of_those_decided_change_nothing():
    group, favourable, score = planted(2000)
    first, applied = decide(group, favourable, score)
    flipped = favourable.copy()
    flipped[applied] ^= True
    assert np.array_equal(decide(group, flipped, score)[0], first)


def test_groups_of_one_label_and_groups_not_met_keep_the_one_cut_and_are_counted(capsys):
    group, favourable, score = planted(2000)
    group[:10], favourable[:10] = 2, True
    group[1500:1507], group[1600:1603] = 2, 3
    found, applied = decide(group, favourable, score)
    alone = group[applied] >= 2
    assert np.array_equal(found[alone], (score >= 0.5)[applied][alone])
    assert "10 of 1000 texts are of a group without both labels and keep the one cut" in capsys.readouterr().out
    assert not np.array_equal(found, (score >= 0.5)[applied])


def test_one_group_that_can_be_fitted_is_too_few():
    group, favourable, score = planted(200)
    favourable[group == 1] = False
    with pytest.raises(BadInput, match="of 2 groups 1 have both labels among the 100 texts"):
        decide(group, favourable, score)
