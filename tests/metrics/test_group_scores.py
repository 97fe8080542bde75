"""Every group has a row with its interval or the reason why not; planted differences are found where they were planted, and only there."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from stages.contract.vocabulary import ANY_GROUP, ANY_OF_SET
from stages.metrics.estimates import estimates
from stages.metrics.group_scores import FROM_EVERYONE, ITSELF, OVER_REFERENCE, score_groups
from stages.metrics.group_statistic import Statistic
from stages.metrics.group_tests import HIGHEST, _tests, compare_groups
from stages.metrics.groups import gather
from stages.metrics.most_extreme import most_extreme
from stages.metrics.scoring import Rules
from tests.metrics.test_groups import SETS, study

RULES = Rules(replicates=200, permutations=1000, confidence=0.95, level=0.05, fewest=10, seed=1)


def scored(frame: pd.DataFrame, sets=SETS) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The groups' rows and the gaps' rows."""
    groups = gather(frame, sets)
    found = estimates(groups)
    tests, rows = compare_groups(groups, found, RULES)
    scores = score_groups(groups, found, tests, RULES)
    return scores, pd.DataFrame(rows + most_extreme(scores, tests, RULES))


@pytest.fixture(scope="module")
def planted() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Of older Black people's favourable texts half are turned down that would have been selected."""
    frame = study(3000, seed=4)
    random = np.random.default_rng(5)
    hurt = (frame["race_value"] == "Black") & (frame["age_value"] == "over 55") & frame["favourable"] & (random.random(3000) < 0.5)
    return scored(frame.assign(y_pred=np.where(hurt, 0, frame["y_pred"])))


def test_nobody_is_dropped_and_what_is_missing_has_a_reason(planted):
    groups, _ = planted
    itself = groups[(groups["comparison"] == ITSELF) & (groups["metric"] == "selection_rate")]
    assert (itself.groupby("attributes")["n"].sum() == 3000).all()
    assert (groups["ci_low"].notna() == groups["reason"].isna()).all()
    known = groups[groups["ci_low"].notna()]
    assert (known["ci_low"] <= known["value"] + 1e-12).all()
    assert (known["value"] <= known["ci_high"] + 1e-12).all()


def test_the_intersection_is_found_and_single_attributes_alone_do_not_show_all_of_it(planted):
    groups, gaps = planted
    tpr = groups[(groups["metric"] == "tpr") & (groups["comparison"] == FROM_EVERYONE)].set_index(["attributes", "group"])
    hurt = tpr.loc[("race+age", "Black, over 55")]
    assert hurt["verdict"] == "disparity"
    assert hurt["value"] < 2 * tpr.loc[("race", "Black"), "value"] < 0
    pairs = tpr.loc["race+age"]
    # Others are found to be above everyone, whom the hurt group draws down.
    assert set(pairs.index[(pairs["verdict"] == "disparity") & (pairs["value"] < 0)]) == {"Black, over 55"}
    wide = gaps[(gaps["metric"] == "tpr") & (gaps["group"] == HIGHEST)].set_index("attributes")
    assert wide.loc["race+age", "value"] > wide.loc["race+age", "null_high"]
    assert wide[["p_value", "verdict"]].isna().all(axis=None), "a gap over many groups is told by the groups that differ"
    extreme = gaps[(gaps["metric"] == "tpr") & (gaps["group"] == ANY_OF_SET)].set_index("attributes")
    assert extreme.loc["gender", "verdict"] == "no evidence of disparity"
    assert extreme.loc["race+age", ["value", "ci_low", "ci_high", "q_value", "verdict"]].equals(
        hurt[["value", "ci_low", "ci_high", "q_value", "verdict"]]
    )
    assert extreme.loc["race+age", "reason"] == "most extreme: Black, over 55"
    family = gaps[gaps["group"] == ANY_GROUP].set_index("metric")
    assert family.loc["tpr", ["attributes", "reason"]].tolist() == ["race+age", "most extreme: Black, over 55 of race + age"]
    assert family.loc["tpr", "p_value"] < 0.005
    assert family.loc["fpr", "p_value"] > 0.05
    assert family["verdict"].isna().all()


def test_pooled_rates_lie_between_a_tiny_groups_rate_and_what_others_show(planted):
    groups, _ = planted
    rates = groups[(groups["metric"] == "tpr") & (groups["comparison"] == ITSELF)]
    everyone = 0.84
    tiny = rates[(rates["n"] < 30) & ((rates["value"] - everyone).abs() > 0.15)]
    assert ((tiny["pooled"] - everyone).abs() < (tiny["value"] - everyone).abs()).all()
    assert rates["pooled"].between(rates["pooled_low"], rates["pooled_high"]).all()


def test_the_reference_is_compared_with_nobody(planted):
    groups, _ = planted
    ratios = groups[(groups["comparison"] == OVER_REFERENCE) & (groups["metric"] == "selection_rate")].set_index(["attributes", "group"])
    assert "nobody else to compare with" in ratios.loc[("race", "Black"), "reason"], "Black is the only privileged category of this study"
    assert ratios.loc[("race", "white"), "value"] > 0


def test_a_group_without_favourable_labels_is_neither_the_worst_nor_fair():
    """fairlearn counts its TPR as 0: the worst of all. Here it has none, takes no part, and is named."""
    frame = study(400, seed=6)
    none = frame["race_value"] == "Asian"
    frame.loc[none, ["favourable", "y_true"]] = [False, 0.0]
    groups, gaps = scored(frame, [("race",)])
    row = groups[(groups["metric"] == "tpr") & (groups["group"] == "Asian") & (groups["comparison"] == ITSELF)].iloc[0]
    assert np.isnan(row["value"])
    assert row["n"] == 0
    assert row["reason"] == "nobody to count: the denominator is zero"
    wide = gaps[(gaps["metric"] == "tpr") & (gaps["group"] == HIGHEST)].iloc[0]
    rest = groups[(groups["metric"] == "tpr") & (groups["group"] != "Asian") & (groups["comparison"] == ITSELF)]["value"]
    assert wide["value"] == pytest.approx(rest.max() - rest.min())
    assert "1 of 3 groups have no text that counts and take no part: Asian" in wide["reason"]


def test_few_people_cannot_be_told():
    """Nine people: no verdict of their own, however far they are, and none for all others, who differ by these nine alone."""
    frame = study(300, seed=7)
    frame["race_value"] = np.where(np.arange(300) < 9, "Black", "white")
    frame.loc[:8, "y_pred"] = 0
    groups, gaps = scored(frame, [("race",)])
    row = groups[(groups["metric"] == "selection_rate") & (groups["group"] == "Black") & (groups["comparison"] == FROM_EVERYONE)].iloc[0]
    assert row["people"] == 9
    assert row["verdict"] == "cannot tell"
    extreme = gaps[gaps["group"].isin([ANY_OF_SET, ANY_GROUP])]
    assert (extreme.loc[extreme["group"] == ANY_OF_SET, "verdict"] == "cannot tell").all()
    assert extreme["p_value"].isna().all()
    assert gaps["verdict"].dropna().eq("cannot tell").all()


def test_one_group_alone_has_no_gap():
    frame = study(60).assign(race_value="white")
    groups, gaps = scored(frame, [("race",)])
    assert gaps["value"].isna().all()
    assert gaps["reason"].notna().all()
    assert (groups.loc[groups["comparison"] != ITSELF, "value"].isna()).all()


def test_regression_outputs_have_mean_differences_with_tests():
    frame = study(1200, seed=8, regression=True)
    hurt = (frame["race_value"] == "white").to_numpy()
    frame["y_score"] = frame["y_score"] - 0.6 * hurt
    groups, gaps = scored(frame, [("race",), ("age",)])
    row = groups[(groups["metric"] == "mean_error") & (groups["group"] == "white") & (groups["comparison"] == FROM_EVERYONE)].iloc[0]
    assert row["verdict"] == "disparity"
    assert row["ci_high"] < 0
    wide = gaps[gaps["group"] == HIGHEST].set_index(["metric", "attributes"])
    assert wide.loc[("mean_error", "race"), "ci_low"] > 0.2
    assert wide.loc[("mean_error", "age"), "ci_low"] < 0.2
    assert {"mae", "mse", "output_q50", "pearson_r"} <= set(gaps["metric"])


def test_outputs_that_never_vary_have_no_interval_and_no_verdict():
    frame = study(120, regression=True)
    groups, gaps = scored(frame.assign(y_score=3.0), [("race",)])
    constant = gaps[gaps["metric"] == "mean_output"].iloc[0]
    assert constant["value"] == 0
    assert constant["reason"] == "no interval: no two texts differ"
    assert groups.loc[groups["metric"] == "mean_output", "ci_low"].isna().all()
    assert gaps.loc[gaps["metric"] == "pearson_r", "value"].isna().all()


def test_the_same_seed_gives_the_same_rows():
    one, other = (scored(study(200, each=2)) for _ in range(2))
    pd.testing.assert_frame_equal(one[0], other[0])
    pd.testing.assert_frame_equal(one[1], other[1])


@pytest.mark.parametrize(("each", "other"), [(1, 1), (3, 3), (8, 1)])
def test_at_equality_few_sets_are_called_disparate(each, other):
    """Type-I error of the sets' tests over 80 studies, also where one race writes eight texts a person: 0.05 and three standard errors."""
    p_values = []
    rules = dataclasses.replace(RULES, permutations=400)
    for seed in range(80):
        frame = study(300 * each, seed=seed, each=each)
        text = frame.groupby("author_id").cumcount()
        groups = gather(frame[(text < other) | (frame["race_value"] != "Black")], [("gender", "race")])
        found = {metric: estimate for metric, estimate in estimates(groups).items() if metric in ("selection_rate", "tpr")}
        p_values += [np.nanmin(test.p_values) for metric, test in _tested(groups, found, rules).items() if metric in found]
    assert (np.array(p_values) <= 0.05).mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / len(p_values))


def _tested(groups, found, rules):
    return {metric: _tests(Statistic(groups, metric, estimate), rules, 1)[0] for metric, estimate in found.items()}
