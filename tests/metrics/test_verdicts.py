"""At equality few are called disparities, whatever the sizes, the clusters and the base rates; planted disparities are found."""

import numpy as np
import pandas as pd

from stages.metrics.contingency import tabulate
from stages.metrics.scoring import OURS, Rules, sample, score_gaps
from stages.metrics.verdicts import with_tests

METRICS = ("di", "di_star", "adi", "fv")
SETS = [("gender",), ("gender", "race")]
RULES = Rules(replicates=100, permutations=199, confidence=0.95, level=0.05, fewest=10, seed=1)


def rows(status: pd.DataFrame, label: np.ndarray, decision: np.ndarray, author: np.ndarray, rules: Rules = RULES) -> pd.DataFrame:
    cell = sample(tabulate(status, label, decision, author), SETS, rules)
    return pd.DataFrame(with_tests(cell, score_gaps(cell, OURS, METRICS), METRICS))


def draw(random: np.random.Generator, people: int, texts: int, base: tuple[float, float] = (0.5, 0.5)):
    """Authors who lean one way in all their texts; ``base`` rates of the protected and the privileged gender.

    Hits and false alarms balance in each gender, so that the selection rate equals the base rate: ADI is 1 whatever ``base`` is.
    """
    author = np.repeat(np.arange(people), texts)
    status = pd.DataFrame({name: random.choice(["protected", "privileged"], people, p=[0.3, 0.7])[author] for name in ("gender", "race")})
    rate = np.where(status["gender"] == "protected", *base)
    label = random.random(people)[author] < rate
    false_alarm = 0.2 * rate / (1 - rate)
    return status, label, random.random(len(author)) < np.where(label, 0.8, false_alarm), author


def shares_of_small_p(base=(0.5, 0.5), studies=150, people=160, texts=2) -> dict[str, float]:
    random = np.random.default_rng(7)
    found = pd.concat([rows(*draw(random, people, texts, base)) for _ in range(studies)])
    pairs = found[found["group"] == "protected/privileged"]
    return (pairs["p_value"] <= 0.05).groupby(pairs["metric"]).mean().to_dict()


def test_at_equality_one_test_in_twenty_is_small_although_authors_wrote_several_texts():
    """300 tests a metric at 5 %: a share above 8.5 % would be 2.8 standard errors too many."""
    found = shares_of_small_p()
    assert all(share < 0.085 for share in found.values()), found
    assert all(share > 0.01 for share in found.values()), found


def test_unequal_base_rates_alone_are_no_disparity_of_the_model():
    """ADI = 1 and equal TPR with base rates of 0.35 and 0.55: DI* finds the difference of the labels, ADI and FV find nothing."""
    found = shares_of_small_p(base=(0.35, 0.55), people=300, texts=1)
    assert found["adi"] < 0.085
    assert found["fv"] < 0.085
    assert found["di_star"] > 0.5


def test_a_planted_disparity_is_found_and_its_order_too():
    random = np.random.default_rng(5)
    status, label, decision, author = draw(random, 600, 1)
    missed = (status == "protected").all(axis=1) & label & (random.random(600) < 0.6)
    found = rows(status, label, decision & ~missed, author, Rules(200, 999, 0.95, 0.05, 10, 1)).set_index(["attributes", "group", "metric"])
    assert found.loc[("gender+race", "protected/privileged", "adi"), "verdict"] == "disparity"
    assert found.loc[("gender+race", "protected/privileged", "fv"), "verdict"] == "disparity"
    assert found.loc[("", "any set of order 2", "adi"), "p_value"] <= 0.01
    # The labels differ by nothing.
    assert found.loc[("gender+race", "protected/privileged", "di_star"), "verdict"] == "no evidence of disparity"


def test_the_null_band_says_what_small_groups_show_by_chance():
    """It holds 1, and it is wider for the smaller groups."""
    found = rows(*draw(np.random.default_rng(3), 400, 1))
    found = found[found["group"] == "protected/privileged"].set_index(["attributes", "metric"])
    bands = {s: found.loc[(s, "adi"), ["null_low", "null_high"]].astype(float) for s in ("gender", "gender+race")}
    assert all(band["null_low"] < 1 < band["null_high"] for band in bands.values())
    assert bands["gender+race"]["null_low"] < bands["gender"]["null_low"]


def test_a_group_of_nine_people_gets_no_verdict():
    status = pd.DataFrame({"gender": ["protected"] * 9 + ["privileged"] * 200, "race": ["privileged"] * 209})
    label = np.arange(209) % 2 == 0
    found = rows(status, label, label & (np.arange(209) > 9), np.arange(209)).set_index(["attributes", "metric"])
    assert found.loc[("gender", "adi"), "verdict"] == "cannot tell"
    assert found.loc[("gender", "adi"), "p_value"] < 0.05
    empty = found.loc[("gender+race", "adi")]
    assert empty["verdict"] == "cannot tell"
    assert np.isnan(empty["p_value"])
