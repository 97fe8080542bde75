"""A gain that is only a threshold is exactly nothing against the matched baseline, and what is more than that is found."""

import numpy as np
import pandas as pd
import pytest

from stages.metrics.matched import FLAT, NO_CUT, UNDEFINED, matched
from stages.metrics.matching import cut_to
from stages.metrics.panel import gather
from stages.metrics.resampling import resample
from stages.reporting.baselines import more
from tests.metrics.people import SETS, statuses


def compare(decide, people: int = 600, fewest: int = 10) -> pd.DataFrame:
    """The rows of the model that ``decide`` makes of scores and the number of protected attributes; its baseline cuts them at 0."""
    random = np.random.default_rng(1)
    status = statuses(people, random)
    owner = np.repeat(np.arange(people), 2)
    protected = (status == "protected").sum(axis=1).to_numpy()[owner]
    favourable = random.random(len(owner)) < 0.5
    scores = np.round(1.6 * favourable - 0.8 - 0.3 * protected + random.normal(size=len(owner)), 2)
    decided = decide(scores, protected, random)
    columns = np.stack([decided, scores > 0, cut_to(scores, decided.sum())], axis=1).astype(float)
    panel = gather(status.iloc[owner].reset_index(drop=True), favourable, columns, owner, people, SETS)
    return pd.DataFrame(matched(resample([panel], [(0, 1), (0, 2)], 199, 2)[0], (0, 1, 2), 1, 0.95, fewest))


def test_a_change_of_threshold_is_exactly_nothing():
    found = compare(lambda scores, protected, random: scores > 0.7)
    assert (found["difference"] == 0).all()
    assert (found["p_value"] == 1).all()
    assert (found["value"] == found["matched_value"]).all()
    assert (found["value"] != found["baseline_value"]).any()
    assert (found["accuracy"] == found["matched_accuracy"]).all()
    assert (found["selection_rate"] < found["baseline_selection_rate"]).all()


def test_the_same_decisions_are_exactly_nothing_too():
    """Reweighing where groups are balanced leaves every weight at 1 and the model as it was."""
    found = compare(lambda scores, protected, random: scores > 0)
    assert (found[["difference"]] == 0).all(axis=None)
    assert (found["baseline_value"] == found["matched_value"]).all()


def test_ties_at_the_cut_are_shared():
    """Half of what ties is not half of the people by the order of rows: the matched rate is the model's to the text."""
    found = compare(lambda scores, protected, random: scores + 0.001 * random.normal(size=len(scores)) > 0.5)
    assert np.isclose(found["difference"], 0, atol=0.05).all()
    assert (found["p_value"] > 0.01).all()


def test_thresholds_by_group_are_more_than_a_threshold():
    """The planted bias taken out at the same selection rate: the matched baseline keeps it, the model does not."""
    found = compare(lambda scores, protected, random: scores + 0.3 * protected > 0.3).set_index(["metric", "attributes"])
    rows = found.loc["tpr"].drop("gender")
    assert (found.loc["tpr", "difference"] < 0).all()
    assert (rows["q_value"] <= 0.02).all()
    assert rows.loc["age+gender+race", "ci_high"] < 0
    assert (rows["matched_accuracy"] != rows["baseline_accuracy"]).all()


def test_randomised_thresholds_are_seen_as_the_decisions_they_make():
    def decide(scores, protected, random):
        return np.where(protected > 1, scores > -0.5, scores > 0.5) & (random.random(len(scores)) < 0.9)

    found = compare(decide)
    assert (found[found["order"] > 1]["difference"] != 0).all()


def test_few_people_are_not_tested_and_empty_groups_are_undefined():
    found = compare(lambda scores, protected, random: scores > 0.7, people=60, fewest=20).set_index(["attributes", "metric"])
    few = found.loc[("age+gender+race", "di")]
    assert few["reason"].endswith("people in one of the groups, 20 needed")
    assert np.isnan(few["p_value"])
    assert few["difference"] == 0
    nobody = compare(lambda scores, protected, random: (scores > 0) & (protected > 0)).set_index(["attributes", "metric"])
    for metric in ("di", "adi"):  # nobody who is privileged on everything is selected, so that there is no rate to divide by
        row = nobody.loc[("age+gender+race", metric)]
        assert row["reason"] == UNDEFINED
        assert np.isnan(row["value"])


def test_a_baseline_without_a_cut_has_no_match():
    random = np.random.default_rng(3)
    status = statuses(100, random)
    decided = np.column_stack([random.random((100, 2)) < 0.5, np.full(100, np.nan)])
    panel = gather(status, random.random(100) < 0.5, decided, np.arange(100), 100, SETS)
    found = pd.DataFrame(matched(resample([panel], [(0, 2)], 100, 2)[0], (0, 1, 2), 0, 0.95, 1))
    assert (found["reason"] == NO_CUT).all()
    assert found["matched_value"].isna().all()
    assert found["value"].notna().any()


@pytest.mark.parametrize("everybody", [True, False])
def test_a_collapsed_model_is_no_fairer_than_its_baseline(everybody):
    """Who selects everybody has a DI of 1 and TPR gaps of 0: that is no gain, and there is no test of it."""
    found = compare(lambda scores, protected, random: np.full(len(scores), everybody))
    assert found[["difference", "p_value", "q_value"]].isna().all(axis=None)
    assert set(found["reason"]) == {FLAT}
    assert more(found.astype(object).where(found.notna(), None).to_dict("records"), 0.05).startswith("cannot tell: collapsed model")
