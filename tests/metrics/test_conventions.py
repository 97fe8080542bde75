"""Every figure of the golden file under its tool's name, each tool's known mistakes, and fairlearn itself on random tables."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.contract.bad_input import BadInput
from stages.metrics import conventions, gaps, groupwise

ATTRIBUTES = ("gender", "race", "age")
EXACT = {"rel": 0, "abs": 1e-12}


@pytest.fixture(scope="module")
def golden(shared):
    frame = pd.read_csv(shared / "golden" / "fairness_predictions.csv")
    return frame, json.loads((shared / "golden" / "fairness_tools.json").read_text())


def counted(frame: pd.DataFrame, chosen: str) -> tuple[dict, np.ndarray, np.ndarray]:
    """Place of each group, counts of the groups of one set of attributes, counts of everyone."""
    membership = groupwise.cross(*(groupwise.of_values(frame[name]) for name in chosen.split("*")))
    decided = frame["y_true"].to_numpy() == 1, frame["y_pred"].to_numpy() == 1
    places = {name: index for index, name in enumerate(membership.names)}
    return places, groupwise.tally(membership, *decided), groupwise.total(*decided)


@pytest.mark.parametrize("chosen", ["gender", "gender*race", "gender*race*age"])
def test_all_of_fairlearn(golden, chosen):
    frame, tools = golden
    expected = tools["fairlearn"][chosen]
    places, groups, everyone = counted(frame, chosen)
    found = conventions.figures("fairlearn", groups, everyone)
    compared = 0
    for group, of_group in expected["by_group"].items():
        name = tuple(group.strip("()").replace("'", "").split(", "))
        for rate, value in of_group.items():
            assert found[rate][places[name]] == pytest.approx(value, **EXACT)
            compared += 1
    for kind in ("difference_between_groups", "difference_to_overall", "ratio_between_groups", "ratio_to_overall", "group_min", "overall"):
        for rate, value in expected[kind].items():
            assert found[f"{rate}_{kind}"] == pytest.approx(value, **EXACT)
            compared += 1
    named = {name: value for name, value in expected.items() if not isinstance(value, dict)}
    for name, value in named.items():
        assert found[name] == pytest.approx(value, **EXACT)
    assert (compared, len(named)) == (6 * (len(groups) + 6), 6)


@pytest.mark.parametrize(
    ("chosen", "title", "group", "reference"),
    [
        ("gender", "gender F vs M", "F", "M"),
        ("gender*race", "gender*race (F,B) vs (M,W)", "FB", "MW"),
        ("gender*race*age", "gender*race*age (0,0,0) vs (1,1,1)", ("F", "B", "old"), ("M", "W", "young")),
    ],
)
def test_all_of_aif360(golden, chosen, title, group, reference):
    frame, tools = golden
    places, groups, everyone = counted(frame, chosen)
    found = conventions.figures("aif360", groups, everyone, places[tuple(reference)])
    _, cells, _ = counted(frame, "gender*race*age")  # AIF360's differential fairness is over all cells of the data set it is given
    over_cells = conventions.figures("aif360", cells, everyone, 0)
    whole = ("smoothed_empirical_differential_fairness", "differential_fairness_bias_amplification")
    assert len(tools["aif360"][title]) == 15
    for name, value in tools["aif360"][title].items():
        ours = over_cells[name] if name in whole else found[name]
        assert (ours[places[tuple(group)]] if ours.ndim else ours) == pytest.approx(value, **EXACT)


@pytest.mark.parametrize(("chosen", "reference"), [("gender", ("M",)), ("gender*race", ("M", "W"))])
def test_all_of_aequitas(golden, chosen, reference):
    frame, tools = golden
    places, groups, everyone = counted(frame, chosen)
    found = conventions.figures("aequitas", groups, everyone, places[reference])
    table = tools["aequitas (ref M / M_W, tau 0.8)"]
    for name, place in places.items():
        expected = table[f"{chosen.replace('*', '_')}={'_'.join(name)}"]
        assert len(expected) == 22
        for figure, value in expected.items():
            assert found[figure][place] == pytest.approx(float(value), **EXACT), figure


@pytest.mark.parametrize("chosen", ["gender", "race", "age", "gender*race", "gender*age", "race*age", "gender*race*age"])
def test_all_of_the_naacl_paper(golden, chosen):
    frame, tools = golden
    places, groups, everyone = counted(frame, chosen)
    extreme = {"gender": "FM", "race": "BW", "age": ("old", "young")}
    group, reference = (places[tuple(extreme[name][side] for name in chosen.split("*"))] for side in (0, 1))
    found = conventions.figures("naacl2022", groups, everyone, reference)
    expected = tools["naacl2022 paper"][chosen]
    for name in ("DI", "base_rate_ratio", "adjusted_DI", "FV"):
        assert found[name][group] == pytest.approx(expected[name], **EXACT)
    assert (groups[group, 0], groups[reference, 0]) == (expected["n_protected"], expected["n_privileged"])


def test_all_of_fairlib_and_the_worst_group(golden):
    frame, tools = golden
    _, groups, everyone = counted(frame, "gender*race")
    found = conventions.figures("fairlib", groups, everyone)
    for name, value in tools["fairlib gender*race"].items():
        assert found[name] == pytest.approx(value, **EXACT)
    _, cells, _ = counted(frame, "gender*race*age")
    tpr, overall = groupwise.rates(cells)["tpr"][0], groupwise.rates(everyone)["tpr"][0]
    assert gaps.max_minus_min(tpr) == pytest.approx(tools["worst_group_TPR_gap"]["max-min over gender*race*age"], **EXACT)
    assert gaps.worst_gap(tpr, overall) == pytest.approx(tools["worst_group_TPR_gap"]["overall-min"], **EXACT)


def test_ours_agree_where_the_tools_are_right(golden):
    frame, tools = golden
    places, cells, _ = counted(frame, "gender*race*age")
    fairlearn, aif360 = tools["fairlearn"]["gender*race*age"], tools["aif360"]["gender*race*age (0,0,0) vs (1,1,1)"]
    group, reference = places["F", "B", "old"], places["M", "W", "young"]
    for ours, theirs in (
        (gaps.equalised_odds(cells), fairlearn["equalized_odds_difference"]),
        (gaps.equalised_odds(cells, "mean"), fairlearn["equalized_odds_difference_mean"]),
        (gaps.equalised_odds(cells, "ratio"), fairlearn["equalized_odds_ratio"]),
        (gaps.average_odds(cells, reference)[group], aif360["average_odds_difference"]),
        (gaps.average_odds(cells, reference, absolute=True)[group], aif360["average_abs_odds_difference"]),
    ):
        assert ours == pytest.approx(theirs, **EXACT)


# A group without a favourable label beside one with: counts are texts, favourable, selected, rightly selected.
ONE_SIDED = np.array([[5.0, 2, 3, 1], [4, 0, 2, 0]])


def test_what_each_tool_makes_of_a_group_without_favourable_labels():
    everyone = ONE_SIDED.sum(axis=0)
    fairlearn = conventions.fairlearn(ONE_SIDED, everyone)
    assert fairlearn["tpr"].tolist() == [0.5, 0.0]
    assert (fairlearn["equal_opportunity_difference"], fairlearn["tpr_ratio_between_groups"]) == (0.5, 0)
    aif360 = conventions.aif360(ONE_SIDED, everyone, 0)
    assert np.isnan(aif360["equal_opportunity_difference"][1])
    assert aif360["equalized_odds_difference"][1] == pytest.approx(abs(2 / 4 - 2 / 3))  # the FPR gap alone
    assert np.isnan([gaps.equal_opportunity(ONE_SIDED), gaps.equalised_odds(ONE_SIDED)]).all()


def test_aequitas_makes_ten_and_the_paper_one_of_a_division_by_zero():
    groups = np.array([[4.0, 2, 0, 0], [3, 2, 2, 1]])
    found = conventions.aequitas(groups, groups.sum(axis=0), 0)
    assert found["pprev_disparity"][1] == 10
    assert np.isnan([found["pprev_disparity"][0], found["Impact Parity"][0]]).all()
    assert np.isnan(gaps.summary(groups[:, 2] / groups[:, 0], groups[:, 2].sum() / 7, 0)["ratio_to_reference"]).all()
    paper = conventions.naacl2022(np.zeros((2, 4)), np.array([9.0, 4, 5, 3]), 0)
    assert paper["DI"].tolist() == [1, 1]


def test_local_law_144_compares_with_the_most_selected_and_keeps_who_is_left_out():
    groups = np.array([[100.0, 0, 60, 0], [100, 0, 45, 0], [2, 0, 2, 0]])
    everyone = np.array([210.0, 0, 110, 0])
    every = conventions.figures("ll144", groups, everyone)
    assert every["impact_ratio"].tolist() == pytest.approx([0.6, 0.45, 1])
    assert every["n_unknown"] == 8
    large = conventions.ll144(groups, everyone, exclude_below=0.02)
    assert large["impact_ratio"].tolist() == pytest.approx([1, 0.75, np.nan], nan_ok=True)
    assert large["excluded"].tolist() == [0, 0, 1]
    assert large["n"].tolist() == [100, 100, 2]
    assert conventions.above_median(np.array([1.0, 2, 2, 3, 9])).tolist() == [False, False, False, True, True]


def test_a_missing_reference_and_an_unknown_convention_are_refused():
    for convention in ("aif360", "aequitas", "naacl2022"):
        with pytest.raises(BadInput, match=f"{convention} compares with one reference group"):
            conventions.figures(convention, ONE_SIDED, ONE_SIDED.sum(axis=0))
    with pytest.raises(BadInput, match=r"choose one of fairlearn, aif360"):
        conventions.figures("fairlearn2", ONE_SIDED, ONE_SIDED.sum(axis=0), 0)


@settings(max_examples=15)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.booleans()), min_size=4, max_size=25))
def test_fairlearn_itself_on_random_tables(rows):
    metrics = pytest.importorskip("fairlearn.metrics")
    values, label, decision = (np.array(column) for column in zip(*rows, strict=True))
    membership = groupwise.of_values(values)
    ours = conventions.fairlearn(groupwise.tally(membership, label, decision), groupwise.total(label, decision))
    rates = {"selection_rate": metrics.selection_rate, "tpr": metrics.true_positive_rate, "fpr": metrics.false_positive_rate}
    data = (label.astype(int), decision.astype(int))
    frame = metrics.MetricFrame(metrics=rates, y_true=data[0], y_pred=data[1], sensitive_features=values)
    for rate in rates:
        np.testing.assert_allclose(ours[rate], frame.by_group.loc[list(membership.names), rate].to_numpy(dtype=float), atol=1e-12)
        for method in ("between_groups", "to_overall"):
            assert ours[f"{rate}_difference_{method}"] == pytest.approx(frame.difference(method=method)[rate], nan_ok=True)
            assert ours[f"{rate}_ratio_{method}"] == pytest.approx(frame.ratio(method=method)[rate], nan_ok=True)
    for name in ("equalized_odds_difference", "equalized_odds_ratio", "demographic_parity_ratio"):
        theirs = getattr(metrics, name)(*data, sensitive_features=values)
        assert ours[name] == pytest.approx(theirs, nan_ok=True)


@given(st.lists(st.tuples(*[st.integers(1, 30)] * 4), min_size=2, max_size=5))
def test_fairlibs_gap_doubles_when_groups_are_halved_and_ours_stay(cells):
    groups = np.array([[a + b + c + d, a + b, a + c, a] for a, b, c, d in cells], dtype=float)
    everyone, halves = groups.sum(axis=0), np.concatenate([groups, groups]) / 2
    whole, split = (conventions.fairlib(part, everyone, epsilon=1e-9)["TPR_GAP"] for part in (groups, halves))
    assert split == pytest.approx(2 * whole, abs=1e-6)
    assert gaps.equal_opportunity(halves) == pytest.approx(gaps.equal_opportunity(groups))
