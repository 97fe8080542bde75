"""Independent texts of AUCs by DeLong's variance, written out pair by pair."""

import numpy as np
import pytest

from stages.metrics import groupwise, placements, ranking


def test_independent_texts_of_an_auc_follow_delong_and_repeating_every_text_adds_nothing():
    """One text a person: AUC (1 - AUC) over DeLong's variance, written out pair by pair; twice each text: as many as before."""
    random = np.random.default_rng(3)
    label = random.random(120) < 0.4
    score = np.round(random.normal(label, 1.5), 1)
    inside = random.random(120) < 0.5
    membership = groupwise.of_masks({"all": np.ones(120, dtype=bool), "inside": inside})
    found = placements.auc_worth(score, label, membership, np.arange(120))
    auc = ranking.auc_by_group(score, label, membership)
    for name, group, upper, lower in (
        ("subgroup_auc", 0, label, ~label),
        ("subgroup_auc", 1, label & inside, ~label & inside),
        ("bpsn_auc", 1, label & ~inside, ~label & inside),
        ("bnsp_auc", 1, label & inside, ~label & ~inside),
    ):
        apart = score[upper][:, None] - score[lower]
        won = (apart > 0) + (apart == 0) / 2
        variance = won.mean(axis=1).var(ddof=1) / upper.sum() + won.mean(axis=0).var(ddof=1) / lower.sum()
        value = auc[name][group]
        # A person is worth no more than one of everyone; the background's part has no m / (m - 1).
        assert found[name][1][group] <= value * (1 - value) / variance * 1.05, name
    whole = label, ~label
    apart = score[whole[0]][:, None] - score[whole[1]]
    won = (apart > 0) + (apart == 0) / 2
    variance = won.mean(axis=1).var(ddof=1) / label.sum() + won.mean(axis=0).var(ddof=1) / (~label).sum()
    everyone = auc["subgroup_auc"][0]
    assert found["subgroup_auc"][1][0] == pytest.approx(everyone * (1 - everyone) / variance)
    twice = np.repeat(np.arange(120), 2)
    again = placements.auc_worth(
        score[twice], label[twice], groupwise.of_masks({"all": np.ones(240, dtype=bool), "inside": inside[twice]}), twice
    )
    for name in found:
        np.testing.assert_allclose(again[name][1], found[name][1])
        np.testing.assert_allclose(found[name][0], auc[name])


def test_a_perfect_ranking_is_worth_its_people():
    label = np.array([True, True, True, False, False])
    membership = groupwise.of_masks({"all": np.ones(5, dtype=bool)})
    found = placements.auc_worth(label.astype(float), label, membership, np.array([0, 0, 1, 2, 3]))
    assert found["subgroup_auc"][1][0] == 2
