"""Independent texts of AUCs by DeLong's variance, written out pair by pair."""

import numpy as np
import pytest
from scipy import stats

from stages.metrics import groupwise, placements, ranking
from stages.metrics.comparisons import wilson


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
    # Two people have favourable texts, of whom one has two of the three: 3^2 / (2^2 + 1^2).
    assert found["subgroup_auc"][1][0] == pytest.approx(1.8)


def heavy(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Scores, labels, authors and a group of 30 authors of whom one wrote a third of the texts, beside 60 others."""
    author = np.repeat(np.arange(90), [44, *[3] * 89])
    label = random.random(len(author)) < random.beta(1, 1, 90)[author]
    score = np.round(label + random.normal(size=90)[author] + random.normal(size=len(author)), 2)
    return score, label, author, author < 30


def test_the_variance_of_a_groups_auc_is_the_jackknife():
    """By leaving out each person in turn. The background's part repeats texts as everyone does, here more: one of the group wrote much."""
    score, label, author, inside = heavy(np.random.default_rng(8))
    membership = groupwise.of_masks({"inside": inside, "outside": ~inside})
    limitless = placements.of_everyone(score, label, author)._replace(each=np.inf, across=np.inf)
    found = placements.auc_worth(score, label, membership, author, limitless)
    for name in found:
        value, worth = (part[0] for part in found[name])
        left_out = []
        for one in np.unique(author):
            weights = (author != one).astype(float)
            left_out.append(ranking.auc_by_group(score, label, membership, weights)[name][0])
        people = 30 if name == "subgroup_auc" else 90
        expected = (people - 1) / people * ((np.array(left_out) - value) ** 2).sum()
        most = 1.2 if name == "subgroup_auc" else 1.6
        assert 0.8 * expected <= value * (1 - value) / worth <= most * expected, name


@pytest.mark.parametrize("alike", [0.0, 0.3])
def test_aucs_are_held_whoever_writes_much(alike):
    """A group of 40 of whom one has 30 % of the texts, beside 40 like them: 200 studies, 93 % and more (one standard error: 1.5 %)."""
    random, held = np.random.default_rng(9), {"subgroup_auc": [], "bpsn_auc": [], "bnsp_auc": []}
    texts = np.concatenate([[84], np.full(39, 5), [84], np.full(39, 5)])
    author = np.repeat(np.arange(80), texts)
    membership = groupwise.of_masks({"one": author < 40, "other": author >= 40})
    truth = stats.norm.cdf(1 / np.sqrt(2))
    for _ in range(200):
        label = random.random(len(author)) < 0.5
        score = label + np.sqrt(alike) * random.normal(size=80)[author] + np.sqrt(1 - alike) * random.normal(size=len(author))
        for name, (value, worth) in placements.auc_worth(score, label, membership, author).items():
            bound = wilson(value, worth, 0.95)
            held[name].append(bound.low[0] <= truth <= bound.high[0])
    assert min(np.mean(found) for found in held.values()) >= 0.93, {name: np.mean(found) for name, found in held.items()}
