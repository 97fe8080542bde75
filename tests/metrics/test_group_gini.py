"""Gini coefficients of groups: the closed form, the delta method against a bootstrap, intervals that hold the truth."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.contract.vocabulary import ANY_GROUP
from stages.metrics import inequality
from stages.metrics.estimates import estimates
from stages.metrics.group_gini import Benefits, difference, gini, influence, parts
from stages.metrics.group_scores import FROM_EVERYONE, FROM_REFERENCE, ITSELF, _blocks
from stages.metrics.groups import OF_SOME, gather
from stages.metrics.moments import moments
from tests.metrics.test_group_scores import RULES, scored
from tests.metrics.test_groups import SETS, at, study


@given(st.integers(0, 30), st.integers(0, 30), st.integers(1, 30))
def test_it_is_the_sum_over_all_pairs(missed, alarmed, right):
    benefit = np.repeat([0.0, 1, 2], [missed, right, alarmed])
    pairs = np.abs(benefit[:, None] - benefit).sum() / (2 * len(benefit) ** 2 * benefit.mean())
    found = gini(np.array(missed / len(benefit)), np.array(alarmed / len(benefit)))
    assert found == pytest.approx(pairs, abs=1e-12)
    counts = np.array([len(benefit), missed + right, alarmed + right, right], dtype=float)
    assert found == pytest.approx(inequality.gini(counts), abs=1e-12)


def authors(people: int, each: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Counts [texts, 4] of people whose texts are alike in part, and their authors."""
    random = np.random.default_rng(seed)
    author = np.repeat(np.arange(people), each)
    label = random.random(people)[author] < 0.5
    wrong = random.random(len(author)) < np.where(random.random(people) < 0.3, 0.6, 0.1)[author]
    return np.stack([np.ones(len(author)), label, label ^ wrong, label & ~wrong], axis=1).astype(float), author


def benefits(counts: np.ndarray, author: np.ndarray) -> Benefits:
    missed, alarmed = parts(counts)
    people = author.max() + 1
    each = [np.bincount(author, part, people) for part in (missed, alarmed, missed + alarmed)]
    return Benefits(*(moments(one, np.bincount(author, minlength=people), np.zeros(people, dtype=np.int64), 1) for one in each))


def test_its_variance_is_that_of_a_bootstrap_of_authors():
    counts, author = authors(300, 3, 1)
    by_author = np.stack([np.bincount(author, quantity) for quantity in counts.T], axis=1)
    random = np.random.default_rng(2)
    drawn = random.multinomial(300, np.full(300, 1 / 300), 4000) @ by_author
    assert benefits(counts, author).variance()[0] == pytest.approx(inequality.gini(drawn).var(), rel=0.1)


def test_the_influence_of_texts_has_the_mean_and_the_variance_of_the_coefficient():
    counts, author = authors(500, 1, 3)
    added = influence(counts)
    assert added.mean() == pytest.approx(benefits(counts, author).value()[0])
    assert added.var() / (len(added) - 1) == pytest.approx(benefits(counts, author).variance()[0])


def test_a_group_is_compared_with_itself_in_no_way():
    frame = study(200).assign(race_value="white")
    groups = gather(frame, [("race",)])
    whole, scale = groups.all_benefits
    assert np.isnan(difference(groups.benefits, whole, np.ones(1, dtype=bool), scale, 0.95).value).all()


def test_groups_without_errors_have_an_interval_from_0_on():
    """All of a few decisions right: their G is 0, as that of a share never seen, and not for certain."""
    frame = study(400)
    few = (frame["race_value"] == "Black") & (np.arange(400) < 30)
    frame["race_value"] = np.where(few, "Black", "white")
    frame.loc[few, "y_pred"] = frame.loc[few, "favourable"].astype(int)
    groups = gather(frame, [("race",)])
    assert groups.benefits.value()[at(groups, ("race",), "Black")] == 0
    rows, _ = scored(frame, [("race",)])
    row = rows[(rows["metric"] == "gini") & (rows["group"] == "Black") & (rows["comparison"] == ITSELF)].iloc[0]
    assert row["ci_low"] == 0
    assert 0.05 < row["ci_high"] < 0.4


def test_conditional_means_are_means_of_those_texts_alone():
    frame = study(500)
    groups = gather(frame, SETS)
    found = estimates(groups)
    inside = (frame["race_value"] == "Black") & (frame["age_value"] == "over 55")
    place = at(groups, ("race", "age"), "Black, over 55")
    chosen = (frame["y_pred"] == 1, frame["y_pred"] == 0, frame["favourable"], ~frame["favourable"])
    for metric, some in zip(OF_SOME, chosen, strict=True):
        assert found[metric].value[place] == pytest.approx(frame.loc[inside & some, "y_score"].mean())
        assert found[metric].texts[place] == (inside & some).sum()
    errors = frame[inside & (frame["favourable"] != (frame["y_pred"] == 1))]
    missed = errors["favourable"].sum()
    assert found["treatment_equality"].value[place] == pytest.approx((2 * missed - len(errors)) / len(errors))
    assert found["treatment_equality"].texts[place] == len(errors)


def test_planted_errors_are_found_where_they_were_planted():
    """Of older Black people's favourable texts half are turned down: their errors go one way, and their benefits are unequal."""
    frame = study(3000, seed=4)
    random = np.random.default_rng(5)
    hurt = (frame["race_value"] == "Black") & (frame["age_value"] == "over 55") & frame["favourable"] & (random.random(3000) < 0.5)
    rows, gaps = scored(frame.assign(y_pred=np.where(hurt, 0, frame["y_pred"])), [("gender",), ("race", "age")])
    rows = rows[rows["comparison"] == FROM_EVERYONE].set_index(["metric", "attributes", "group"]).sort_index()
    for metric in ("gini", "treatment_equality"):
        assert rows.loc[(metric, "race+age", "Black, over 55"), "verdict"] == "disparity"
        assert rows.loc[(metric, "race+age", "Black, over 55"), "value"] > 0
        assert (rows.loc[(metric, "gender"), "verdict"] != "disparity").all()
    assert not set(gaps.loc[gaps["group"] != ANY_GROUP, "metric"]) & {"gini", "treatment_equality", *OF_SOME}, "no gap over all groups"


def test_nobody_errs_and_nobody_is_selected():
    frame = study(100)
    right = frame.assign(y_pred=frame["favourable"].astype(int))
    rows, _ = scored(right, [("race",)])
    direction = rows[rows["metric"] == "treatment_equality"]
    assert direction["value"].isna().all()
    assert direction["reason"].notna().all()
    nobody, _ = scored(frame.assign(y_pred=0, y_score=frame["y_score"] / 10), [("race",)])
    assert nobody.loc[nobody["metric"] == "mean_score_selected", "value"].isna().all()


@pytest.mark.parametrize("each", [1, 4])
def test_intervals_hold_the_truth(each):
    """Groups of 40, 40 and 200 people with ``each`` alike texts, over 200 studies: G, and its difference to everyone and the reference."""
    group, missed, alarmed = np.repeat([0, 1, 2], [40, 40, 200]), np.array([0.1, 0.2, 0.05]), np.array([0.1, 0.05, 0.05])
    truth, everyone = gini(missed, alarmed), gini(missed[group].mean(), alarmed[group].mean())
    aims = {ITSELF: truth, FROM_EVERYONE: truth - everyone, FROM_REFERENCE: truth - truth[2]}
    held: dict[str, list[bool]] = {name: [] for name in aims}
    for seed in range(200):
        kind = np.random.default_rng(seed).random(len(group))
        label = kind < 0.5
        wrong = (kind < missed[group]) | (kind > 1 - alarmed[group])
        texts = {"author_id": np.arange(len(group)), "favourable": label, "y_true": label * 1.0, "y_pred": (label ^ wrong) * 1}
        frame = pd.DataFrame(texts | {"y_score": texts["y_pred"] * 1.0, "race_value": np.array(["a", "b", "c"])[group]})
        frame["race"] = np.where(group == 2, "privileged", "protected")
        groups = gather(frame.loc[np.repeat(frame.index, each)].reset_index(drop=True), [("race",)])
        estimate = estimates(groups)["gini"]
        for block in _blocks(groups, "gini", estimate, None, {}, RULES):
            name, some = block["comparison"], slice(2) if block["comparison"] == FROM_REFERENCE else slice(3)
            held[name] += ((block["ci_low"] <= aims[name]) & (aims[name] <= block["ci_high"]))[some].tolist()
    assert all(0.92 <= np.mean(one) <= 0.99 for one in held.values()), {name: np.mean(one) for name, one in held.items()}
