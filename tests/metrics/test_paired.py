"""No change has small p and verdicts one time in twenty at most; intervals hold a change of known size; accuracy is McNemar's."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.contingency_tables import mcnemar

from stages.metrics.paired import BETTER, NO_EVIDENCE, NOT_COMPARABLE, PERFORMANCE, SAME, WORSE, Rules, compare, judged
from stages.metrics.paired_gaps import PAIRS
from stages.metrics.shared_documents import Shared
from tests.metrics.two_sides import SETS, shared

RULES = Rules(draws=199)
EVERYONE = ["accuracy", "auc", "mse"]


def figure(rows: pd.DataFrame, metric: str, attributes: str = "", group: str | None = None) -> pd.Series:
    found = rows[(rows["metric"] == metric) & (rows["attributes"] == attributes) & ((group is None) | (rows["group"] == group))]
    assert len(found) == 1
    return found.iloc[0]


def exchanged(sample: Shared) -> Shared:
    return dataclasses.replace(sample, scores=sample.scores[::-1], selected=sample.selected[::-1])


def studies(number: int, people: int, lowered: tuple[float, float], where: tuple[str, ...] = ("gender",), sets=SETS) -> pd.DataFrame:
    parts = []
    for study in range(number):
        rules = dataclasses.replace(RULES, seed=study)
        rows = judged(compare(shared(people, 100 + study, lowered, where), sets, ("crossbias",), rules), rules)
        parts.append(rows.assign(study=study))
    return pd.concat(parts, ignore_index=True)


def check_level(rows: pd.DataFrame) -> None:
    """Every figure's p, and whether a family has any verdict, keep to 5 % and three standard errors."""
    number = rows["study"].nunique()
    most = 0.05 + 3 * np.sqrt(0.05 * 0.95 / number)
    small = rows.assign(small=rows["p_value"] <= 0.05).groupby(["attributes", "group", "metric"])["small"].mean()
    assert small.max() <= most
    told = rows.assign(told=rows["verdict"] != NO_EVIDENCE).groupby(["study", "family"])["told"].any().groupby("family").mean()
    assert told.max() <= most


def test_accuracy_is_mcnemar_where_everybody_wrote_one_text():
    two = shared(150, 3, (0.0, 0.25))
    one = two.authors != np.roll(two.authors, 1)
    sample = Shared(
        np.arange(150), two.favourable[one], two.true[one], two.status[one].reset_index(drop=True),
        two.categories[one].reset_index(drop=True), tuple(part[one] for part in two.scores), tuple(part[one] for part in two.selected),
    )  # fmt: skip
    right = [chosen == sample.favourable for chosen in sample.selected]
    table = [[(a & b).sum() for b in (right[1], ~right[1])] for a in (right[0], ~right[0])]
    p = figure(compare(sample, [], (), Rules(draws=8_000)), "accuracy")["p_value"]
    exact = mcnemar(table, exact=True).pvalue
    assert 0.001 < exact < 0.3
    assert p == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 8_000) + 1e-4)


def test_values_and_changes_by_hand():
    sample = shared(200, 1, (0.0, 0.3))
    rows = compare(sample, SETS, ("crossbias", "naacl2022"), RULES)
    accuracy = figure(rows, "accuracy")
    for side in (0, 1):
        assert accuracy[f"value_{'ab'[side]}"] == pytest.approx((sample.selected[side] == sample.favourable).mean())
    assert accuracy["difference"] == pytest.approx(accuracy["value_b"] - accuracy["value_a"])
    assert accuracy["worsening"] == -accuracy["difference"]
    assert accuracy["ci_low"] < accuracy["difference"] < accuracy["ci_high"]
    adi = figure(rows[rows["convention"] == "crossbias"], "adi", "gender")
    assert adi["difference"] == pytest.approx(abs(np.log(adi["value_b"])) - abs(np.log(adi["value_a"])))
    protected, favourable = (sample.status["gender"] == "protected").to_numpy(), sample.favourable
    tpr = [[chosen[favourable & part].mean() for part in (protected, ~protected)] for chosen in sample.selected]
    opportunity = figure(rows, "tpr", "gender", "highest - lowest")
    assert opportunity["difference"] == pytest.approx(abs(tpr[1][0] - tpr[1][1]) - abs(tpr[0][0] - tpr[0][1]))


def test_the_other_way_round_is_the_other_sign():
    sample = shared(120, 2, (0.0, 0.5))
    there, back = (judged(compare(each, SETS, ("crossbias",), RULES), RULES) for each in (sample, exchanged(sample)))
    assert there["difference"].to_numpy() == pytest.approx(-back["difference"].to_numpy())
    assert there["ci_low"].to_numpy() == pytest.approx(-back["ci_high"].to_numpy())
    assert (there["verdict"] == WORSE).sum() == (back["verdict"] == BETTER).sum() > 5
    assert figure(there[there["convention"] == "crossbias"], "fv", "gender")["verdict"] == WORSE
    assert figure(there, "recall_favourable")["verdict"] == WORSE
    assert figure(there, "mse")["worsening"] > 0


def test_the_same_decisions_are_the_same():
    sample = shared(200, 4)
    rows = judged(
        compare(dataclasses.replace(sample, scores=(sample.scores[0],) * 2, selected=(sample.selected[0],) * 2), SETS, (), RULES), RULES
    )
    assert (rows["reason"] == SAME).all()
    assert rows["p_value"].isna().all()
    assert (rows["verdict"] == NO_EVIDENCE).all()


def test_what_is_not_there_is_said():
    sample = shared(60, 5)
    nobody = np.where(sample.status["gender"] == "privileged", False, sample.selected[1])
    rows = compare(dataclasses.replace(sample, selected=(sample.selected[0], nobody)), [("gender",)], ("crossbias",), RULES)
    adi = figure(rows, "adi", "gender")
    assert adi["verdict"] == NOT_COMPARABLE
    assert adi["reason"].startswith("undefined in B")
    status = sample.status.assign(gender=np.where(sample.authors < 4, "protected", "privileged"))
    few = dataclasses.replace(sample, status=status, categories=status)
    assert figure(compare(few, [("gender",)], ("crossbias",), RULES), "adi", "gender")["reason"].startswith("not tested: 4 people")


def test_a_gap_to_a_worst_group_of_which_nobody_is_selected_is_everyones_rate():
    sample = shared(200, 6)
    left = sample.status["gender"].eq("privileged").to_numpy()
    fewer = left & (np.arange(len(left)) % 3 > 0)
    rows = compare(dataclasses.replace(sample, selected=(left, fewer)), [("gender",)], ("crossbias",), RULES)
    lowest = figure(rows, "selection_rate", "gender", "everyone - lowest")
    assert lowest["difference"] == pytest.approx(fewer.mean() - left.mean())
    assert np.isnan(lowest["p_value"])
    assert lowest["reason"].startswith("not tested: the rate of the worst group is 0 in both")
    assert figure(rows, "selection_rate", "gender", "highest - lowest")["p_value"] < 0.05


def test_no_change_is_found_one_time_in_twenty_at_most():
    check_level(studies(60, 50, (0.0, 0.0), sets=[("gender",)]))


def test_intervals_hold_the_change_and_a_regression_is_found():
    rows = studies(30, 150, (0.0, 0.4), sets=[("gender",)])
    found = rows[(rows["family"] == PAIRS)]
    truth = {"fv": 0.2, "adi": np.log((0.4 + 0.1) / (0.2 + 0.1)), "di": np.log((0.4 + 0.1) / (0.2 + 0.1))}
    for metric, own in found.groupby("metric"):
        held = ((own["ci_low"] <= truth[metric]) & (truth[metric] <= own["ci_high"])).mean()
        assert held >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 30)
    assert (found["verdict"] == WORSE).groupby(found["study"]).any().mean() >= 0.8
    assert not (found["verdict"] == BETTER).any()


@pytest.mark.slow
@pytest.mark.parametrize("lowered", [(0.0, 0.0), (0.3, 0.3)])
def test_level_in_many_studies(lowered):
    check_level(studies(300, 150, lowered))


@pytest.mark.slow
def test_a_regression_on_one_intersection_in_many_studies():
    """Seventy-five people of three hundred: TPR .8 becomes .5."""
    rows = studies(200, 300, (0.0, 0.3), ("gender", "race"))
    own = rows[(rows["attributes"] == "gender+race") & (rows["metric"] == "fv")]
    truth = 0.3 - 0.3 / 4
    assert ((own["ci_low"] <= truth) & (truth <= own["ci_high"])).mean() >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 200)
    assert (own["verdict"] == WORSE).mean() >= 0.6
    accuracy = rows[(rows["family"] == PERFORMANCE) & (rows["metric"] == "accuracy")]
    assert ((accuracy["ci_low"] <= -0.3 / 8) & (accuracy["ci_high"] >= -0.3 / 8)).mean() >= 0.9
