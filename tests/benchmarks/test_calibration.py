"""A fast subset of the simulation studies: truths are those of very large groups, intervals hold them, tests keep their level."""

import numpy as np
import pytest

from benchmarks.calibration import families, groups, pairs, peers, power
from benchmarks.calibration.people import MEANS, World, holds
from benchmarks.calibration.shares import share, together
from stages.metrics.estimates import estimates
from stages.metrics.group_scores import FROM_EVERYONE, ITSELF
from stages.metrics.group_tests import EVERY, HIGHEST
from stages.metrics.groups import gather


@pytest.mark.parametrize("texts", [1, 3])
def test_truths_are_what_very_large_groups_show(texts):
    truth = World(np.array([40_000, 60_000]), texts, np.array([0.3, 0.6]), np.array([0.5, 0.8]), np.array([0.05, 0.2]))
    group, frame = truth.draw(np.random.default_rng(0))
    frame["group_value"], frame["group"] = np.char.mod("g%d", group), "protected"
    found = estimates(gather(frame, [("group",)]))
    for metric in (*groups.MEASURED, *groups.BESIDE):
        np.testing.assert_allclose(found[metric].value, truth.truth[metric], atol=0.01, err_msg=metric)
    for metric in MEANS:
        assert found[metric].everyone == pytest.approx(truth.everyone[metric], abs=0.01)
    assert groups.gap(truth, found, "equalised_odds", HIGHEST) == pytest.approx(0.3)
    assert groups.gap(truth, found, "differential_fairness", EVERY) == pytest.approx(np.log(0.56 / 0.185))


def test_gaps_of_the_pair_are_at_parity_where_their_kinds_say_so():
    true = {kind: pairs.gaps(World(np.array([50, 150]), 1, *np.array(rates).T)) for kind, rates in pairs.KINDS.items()}
    alike, adi, di = true.values()
    assert alike == pairs.PARITY
    assert adi == {"di": 1.5, "di_star": 1.5, "adi": 1.0, "fv": 0.0}
    assert di["di"] == 1.0
    assert di["adi"] == pytest.approx(1 / 1.5)
    assert di["fv"] > 0.05


def test_an_interval_holds_its_ends_and_whatever_is_above_a_missing_upper_end():
    low, high = np.array([0.1, 0.3, 0.1, np.nan]), np.array([0.2, 0.4, np.nan, np.nan])
    assert holds(low, high, 0.2).tolist()[:3] == [1, 0, 1]
    assert np.isnan(holds(low, high, 0.2)[3])


def test_shares_count_studies_that_have_a_value_and_none_is_certain():
    found = share([1.0, np.nan, 0.0, 1.0, 1.0])
    assert (found.value, found.studies) == (0.75, 4)
    assert share([1.0] * 9).error > 0
    assert together([found, share([np.nan])]).value == 0.75
    assert str(share([np.nan])) == "-"


def test_pairs_hold_the_truth_and_keep_their_level():
    found = pairs.study(0, "base rates .6 and .4, ADI 1, FV 0", (400, 5, 40), 120)
    for metric in ("di", "adi", "fv", "tpr"):
        assert found[metric, "held"].value > 0.90, metric
    for metric in ("adi", "fv"):
        assert found[metric, "level"].value < 0.11, metric
    assert found["di", "power"].value > 0.5


def test_groups_hold_the_truth_and_keep_their_level():
    equal = groups.study(0, 5, "20", 5, groups.EQUAL, 20)
    spread = groups.study(1, 5, "20", 5, groups.SPREAD, 8)
    for metric in ("selection_rate", "tpr", "subgroup_auc"):
        assert together([equal[metric, ITSELF], spread[metric, ITSELF]]).value > 0.88, metric
        assert equal[metric, f"{HIGHEST} {groups.BEYOND}"].value < 0.15
    assert spread["calibration", FROM_EVERYONE].value > 0.85
    assert together([equal[metric, groups.LEVEL] for metric in MEANS]).value < 0.12


def test_one_group_that_is_out_is_found_and_a_family_at_equality_finds_nothing_much():
    out = groups.study(0, 5, "100", 1, groups.ONE_OUT, 5)
    assert out["tpr", groups.OUT].value > 0.5
    equal = families.study(0, 100, 5, 8)
    assert together([equal["tpr", "the most extreme group of all"], equal["adi", "any set"]]).value < 0.3


def test_what_is_planted_is_called_the_more_often_the_larger_and_fairlearn_calls_it_at_equality_too(monkeypatch):
    monkeypatch.setattr(power, "REPLICATES", 20)
    nothing, much = (power.study(0, 100, deficit, 2) for deficit in (0.0, 0.4))
    assert nothing[power.GROUP].value < 0.5 < much[power.GROUP].value
    assert nothing[power.SET].value < 0.5 < much[power.SET].value
    assert nothing[power.THEIRS].value == 1
    svg = power.figure({(100, 0.0): nothing, (100, 0.4): much})
    assert svg.startswith("<svg")
    assert all(name in svg for name in (power.GROUP, power.SET, "100 people"))


def test_beside_fairlearn(monkeypatch):
    monkeypatch.setattr(peers, "REPLICATES", 20)
    found = peers.study(0, 5, "20", 1, groups.EQUAL, 2)
    assert found[peers.OURS].value > 0.5
    assert found[peers.THEIRS].value == 0
