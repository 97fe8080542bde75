"""Gaps against the paper's released counts, against other tools' figures, and against the theorems they obey."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.metrics import fairness
from stages.metrics.contingency import tabulate

counts = st.integers(0, 40)
groups = st.tuples(counts, counts, counts, counts).map(lambda t: np.array([sum(t), t[0] + t[1], t[0] + t[2], t[0]], dtype=float))


def test_released_counts_of_the_paper(shared):
    """All 452 rows: the published DI and FV are (k+1)/(n+2) ratios and selection-rate gaps of integer counts."""
    table = pd.read_csv(shared / "golden" / "naacl2022_counts.csv")
    assert len(table) == 452
    sums = {
        name: np.stack([table[n], np.zeros(452), table[k], np.zeros(452)], axis=1).astype(float)
        for name, n, k in (("protected", "n_prot", "k_prot"), ("privileged", "n_priv", "k_priv"), ("everyone", "N", "K"))
    }
    gaps = fairness.gaps(sums["protected"], sums["privileged"], sums["everyone"], "naacl2022")
    np.testing.assert_allclose(gaps["di"], table["published_DI"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(gaps["fv"], table["published_FV"], rtol=0, atol=1e-12)


@pytest.fixture(scope="module")
def fixture(shared):
    frame = pd.read_csv(shared / "golden" / "fairness_predictions.csv")
    privileged = {"gender": "M", "race": "W", "age": min(set(frame["age"]) - {"old"})}
    status = pd.DataFrame({name: np.where(frame[name] == value, "privileged", "protected") for name, value in privileged.items()})
    table = tabulate(status, frame["y_true"] == 1, frame["y_pred"] == 1, frame["id"].to_numpy())
    return table, json.loads((shared / "golden" / "fairness_tools.json").read_text())


@pytest.mark.parametrize("chosen", ["gender", "race", "age", "gender*race", "gender*age", "race*age", "gender*race*age"])
def test_paper_convention_on_the_golden_predictions(fixture, chosen):
    table, tools = fixture
    golden = tools["naacl2022 paper"][chosen]
    everyone, protected, privileged = table.sums([tuple(chosen.split("*"))])[:3]
    gaps = fairness.gaps(protected, privileged, everyone, "naacl2022")
    found = {"DI": gaps["di"], "base_rate_ratio": gaps["di_star"], "adjusted_DI": gaps["adi"], "FV": gaps["fv"]}
    for name, value in found.items():
        assert value == pytest.approx(golden[name], abs=1e-12)
    assert (protected[0], privileged[0]) == (golden["n_protected"], golden["n_privileged"])


def test_our_convention_equals_aif360_and_fairlearn(fixture):
    table, tools = fixture
    everyone, protected, privileged = table.sums([("gender", "race", "age")])[:3]
    gaps = fairness.gaps(protected, privileged, everyone, "crossbias")
    aif360 = tools["aif360"]["gender*race*age (0,0,0) vs (1,1,1)"]
    assert gaps["di"] == pytest.approx(aif360["disparate_impact"], abs=1e-12)
    overall = tools["fairlearn"]["gender*race*age"]["overall"]
    rates = fairness.rates(everyone)
    assert rates["tpr"][0] == pytest.approx(overall["tpr"], abs=1e-12)
    assert rates["fpr"][0] == pytest.approx(overall["fpr"], abs=1e-12)
    # The worse of the two extreme groups here is also the worst of all eight, which fairlearn's difference_to_overall takes.
    assert gaps["fv"] == pytest.approx(tools["fairlearn"]["gender*race*age"]["difference_to_overall"]["tpr"], abs=1e-12)


@given(groups, groups, groups)
def test_a_perfect_classifier_has_adi_one_and_fv_zero(protected, privileged, mixed):
    for group in (protected, privileged, mixed):
        group[2] = group[3] = group[1]
    gaps = fairness.gaps(protected, privileged, protected + privileged + mixed, "crossbias")
    for metric, parity in (("adi", 1), ("fv", 0)):
        assert np.isnan(gaps[metric]) or gaps[metric] == pytest.approx(parity)


@given(groups, groups, groups)
def test_swapping_the_groups_inverts_ratios_and_keeps_fv(protected, privileged, mixed):
    everyone = protected + privileged + mixed
    one, other = (fairness.gaps(*pair, everyone, "crossbias") for pair in ((protected, privileged), (privileged, protected)))
    for metric in ("di", "di_star", "adi"):
        if np.isfinite(one[metric]) and one[metric] > 0 and np.isfinite(other[metric]):
            assert one[metric] * other[metric] == pytest.approx(1)
    assert one["fv"] == pytest.approx(other["fv"], nan_ok=True)


@given(groups, groups, groups)
def test_undefined_is_nan_with_a_reason_and_never_a_made_up_number(protected, privileged, mixed):
    gaps = fairness.gaps(protected, privileged, protected + privileged + mixed, "crossbias")
    for metric, value in gaps.items():
        if not np.isfinite(value):
            assert np.isnan(value)
            assert fairness.reason_for(metric, protected, privileged)
        else:
            with pytest.raises(AssertionError):
                fairness.reason_for(metric, protected, privileged)


def test_a_group_without_favourable_labels_has_no_tpr():
    """fairlearn reports TPR 0 and a difference of 0.5 here; nothing was measured."""
    status = pd.DataFrame({"group": ["privileged"] * 4 + ["protected"] * 3})
    label, decision = np.array([1, 1, 0, 0, 0, 0, 0]) == 1, np.array([1, 0, 0, 1, 0, 1, 0]) == 1
    everyone, protected, privileged = tabulate(status, label, decision, np.arange(7)).sums([("group",)])[:3]
    assert np.isnan(fairness.rates(protected)["tpr"][0])
    assert np.isnan(fairness.gaps(protected, privileged, everyone, "crossbias")["fv"])
    assert fairness.reason_for("fv", protected, privileged) == "no favourable label in the protected group"
