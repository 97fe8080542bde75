"""Whom a swap favours: counted by hand, planted and found, tested exactly, with intervals that hold what they say."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

from stages.contrasts.swapped import mean_interval, swap_effects

ABOUT = {"task": "t", "model": "m", "attribute": "gender", "first": "women", "second": "men"}


def answers(rows):
    """direction, label, original, swapped; decisions at .5; each text another author's."""
    frame = pd.DataFrame(rows, columns=["direction", "favourable", "original", "swapped"]).assign(**ABOUT)
    decided = {f"{name}_decision": frame[name] >= 0.5 for name in ("original", "swapped")}
    return frame.assign(author_id=[f"a{i}" for i in range(len(frame))], **decided)


BY_HAND = answers(
    [
        ("first to second", True, 0.9, 0.4),  # women .9, men .4: favours women, rightly favourable for women alone
        ("first to second", True, 0.30001, 0.30004),  # the same at 4 decimals
        ("first to second", False, 0.2, 0.6),  # favours men; the label is unfavourable, of which it is surer with women
        ("second to first", True, 0.7, 0.8),  # favours women
        ("second to first", False, 0.3, 0.1),  # favours men
        ("both", True, 0.6, 0.45),
    ]
)


@pytest.fixture(scope="module")
def found():
    return swap_effects(BY_HAND, 0.95).set_index(["direction", "label", "convention"])


def test_counts_by_hand(found):
    assert found.loc[("first to second", "all", "crossbias"), ["favours_first", "favours_second", "unchanged"]].tolist() == [1, 1, 1]
    assert found.loc[("second to first", "all", "crossbias"), ["favours_first", "favours_second", "unchanged"]].tolist() == [1, 1, 0]
    row = found.loc[("either", "all", "crossbias")]
    assert row[["texts", "authors", "flipped", "only_first", "only_second"]].tolist() == [5, 5, 2, 1, 1]
    assert row["change"] == pytest.approx(np.mean([0.5, -0.00003, -0.4, 0.1, -0.2]))
    assert row["token_fairness"] == pytest.approx(np.mean([0.5, 0.00003, 0.4, 0.1, 0.2]))


def test_the_paper_calls_favoured_whom_the_model_is_surer_of(found):
    """Singh et al. 2021, 6.3: of hateful comments the new identity is favoured where the probability of hateful rises."""
    row = found.loc[("either", "all", "assessment2021")]
    hateful = 1 - BY_HAND[["original", "swapped"]]
    rises = hateful["swapped"].round(4) > hateful["original"].round(4)
    falls = hateful["swapped"].round(4) < hateful["original"].round(4)
    new = np.where(BY_HAND["favourable"], falls, rises)
    old = np.where(BY_HAND["favourable"], rises, falls)
    to_women = (BY_HAND["direction"] == "second to first").to_numpy()
    single = (BY_HAND["direction"] != "both").to_numpy()
    assert row["favours_first"] == (np.where(to_women, new, old) & single).sum() == 4
    assert row["favours_second"] == (np.where(to_women, old, new) & single).sum() == 0
    assert ("either", "favourable", "assessment2021") not in found.index


def test_texts_about_both_groups_favour_neither(found):
    row = found.loc[("both", "all", "crossbias")]
    assert row[["favours_first", "change", "p_value", "only_first"]].isna().all()
    assert (row["flipped"], row["token_fairness"]) == (1, pytest.approx(0.15))
    assert "mention both" in row["reason"]


def test_nothing_changes_at_four_decimals():
    found = swap_effects(answers([("first to second", True, 0.5, 0.50001)] * 3), 0.95)
    row = found[(found["label"] == "all") & (found["convention"] == "crossbias") & (found["direction"] == "either")].iloc[0]
    assert np.isnan(row["p_value"])
    assert row["reason"] == "no score changes at 4 decimals"


def test_a_planted_preference_is_found_in_both_directions_and_no_other():
    random = np.random.default_rng(0)
    parts = []
    for model, planted in (("biased", 0.03), ("fair", 0.0)):
        women = random.uniform(0.2, 0.8, 400)
        men = women - planted + random.normal(0, 0.05, 400)
        to_men = np.arange(400) % 2 == 0
        rows = [
            ("first to second" if way else "second to first", bool(i % 3), *((w, m) if way else (m, w)))
            for i, (way, w, m) in enumerate(zip(to_men, women, men, strict=True))
        ]
        parts.append(answers(rows).assign(model=model))
    found = swap_effects(pd.concat(parts), 0.95)
    chosen = found[(found["label"] == "all") & (found["convention"] == "crossbias")].set_index(["model", "direction"])
    assert (chosen.loc["biased", "q_value"] < 0.001).all()
    assert ((chosen.loc["biased", "ci_low"] < 0.03) & (chosen.loc["biased", "ci_high"] > 0.03)).all()
    assert (chosen.loc["fair", "q_value"] > 0.05).all()
    row = chosen.loc[("biased", "either")]
    expected = stats.binomtest(int(row["favours_first"]), int(row["favours_first"] + row["favours_second"])).pvalue
    assert row["p_value"] == expected


def test_the_interval_is_that_of_least_squares_with_clusters():
    """statsmodels' cluster-robust covariance of a constant, whose factor (n - 1) / (n - k) is 1 with k = 1."""
    random = np.random.default_rng(1)
    clusters = np.sort(random.integers(0, 12, 60))
    values = random.normal(0.1, 1, 60) + random.normal(0, 1, 12)[clusters]
    clusters = pd.factorize(clusters)[0]
    fitted = sm.OLS(values, np.ones(60)).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    low, high, p_value, reason = mean_interval(values, clusters, 0.95, "author")
    assert (low, high) == pytest.approx(tuple(fitted.conf_int()[0]))
    assert p_value == pytest.approx(fitted.pvalues[0])
    assert reason is None


def test_without_a_spread_there_is_a_reason():
    assert mean_interval(np.array([0.1, 0.3]), np.array([0, 0]), 0.95, "author")[3] == "no interval: all are of one author"
    assert mean_interval(np.array([0.1, 0.1]), np.array([0, 1]), 0.95, "author")[3] == "no interval: the standard error is 0"


def test_without_answers_there_are_no_rows():
    assert swap_effects(BY_HAND.head(0), 0.95).empty
