"""Released counts: the published numbers to the last digits, Katz and Fisher by hand, a null band that holds, and each word in turn."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from benchmarks import released_counts
from stages.metrics import fairness, released
from stages.metrics.released import Bounds
from tests.conftest import ROOT

COUNTS = ROOT / "data" / "raw" / "naacl2022" / "counts.csv"
RUN = ["dataset", "task", "model", "debiaser"]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return pd.read_csv(COUNTS)


@pytest.fixture(scope="module")
def counted(table) -> pd.DataFrame:
    return table[table["texts"].notna()].reset_index(drop=True)


def counts(*rows: tuple[int, ...]) -> pd.DataFrame:
    """Rows of K of N, k0 of n0, k1 of n1."""
    names = ["selected", "texts", "selected_protected", "n_protected", "selected_privileged", "n_privileged"]
    return pd.DataFrame(rows, columns=names)


def test_counts_give_every_published_di_and_fv(table, counted):
    assert (len(table), len(counted)) == (1228, 1108)
    np.testing.assert_allclose(released.impact(counted, smoothing=1), counted["published_di"], rtol=1e-12)
    np.testing.assert_allclose(released.violation(counted), counted["published_fv"], rtol=0, atol=1e-12)


def test_our_convention_naacl2022_gives_them_too(counted):
    zero = np.zeros(len(counted))
    pairs = (released.PROTECTED, released.PRIVILEGED, ("texts", "selected"))
    sums = [np.stack([counted[texts], zero, counted[selected], zero], axis=1) for texts, selected in pairs]
    gaps = fairness.gaps(*sums, "naacl2022")
    np.testing.assert_allclose(gaps["di"], counted["published_di"], rtol=1e-12)
    np.testing.assert_allclose(gaps["fv"], counted["published_fv"], rtol=0, atol=1e-12)


def test_some_label_counts_give_every_published_adi(counted):
    """DI* (n0 + 2) / (n1 + 2) must be (y0 + 1) / (y1 + 1) with no more favourable labels than texts; ADI follows to 1e-12."""
    zero = np.zeros(len(counted))
    star = counted["published_di"] / counted["published_adi"]
    hits = []
    for value, n0, n1 in zip(star, counted["n_protected"], counted["n_privileged"], strict=True):
        ratio = released_counts.Fraction(value * (n0 + 2) / (n1 + 2)).limit_denominator(int(n1) + 1)
        assert ratio.numerator <= n0 + 1
        hits.append((ratio.numerator - 1, ratio.denominator - 1))
    labels = np.array(hits, dtype=float)
    protected = np.stack([counted["n_protected"], labels[:, 0], counted["selected_protected"], zero], axis=1)
    privileged = np.stack([counted["n_privileged"], labels[:, 1], counted["selected_privileged"], zero], axis=1)
    np.testing.assert_allclose(fairness.gaps(protected, privileged, protected, "naacl2022")["adi"], counted["published_adi"], rtol=1e-12)


def test_recovery_from_the_released_file_gives_the_committed_table(table, shared):
    """N is looked for within two texts of the committed one: the whole range takes a minute."""
    published = released_counts.published(shared / "data" / "naacl2022" / "merged_plotting_data.csv")
    near = {
        name: sorted({n + step for n in own["texts"].dropna().astype(int) for step in range(-2, 3)})
        for name, own in table.groupby("dataset")
    }
    found = released_counts.recover(published, near)
    pd.testing.assert_frame_equal(found.astype(object), table.astype(found.dtypes).astype(object))


def test_recovered_counts_equal_the_golden_ones(table, shared):
    golden = pd.read_csv(shared / "golden" / "naacl2022_counts.csv")
    golden["attributes"] = ["+".join(a for a in released_counts.ORDER if a in group.lower().split("_")) for group in golden["group"]]
    golden["task"] = golden["task"].replace(released_counts.TASKS)
    static = pd.Series(np.where(golden["model"] == "CNN", "WordED", "ContextED"))
    golden["debiaser"] = golden["finetune"].map(released_counts.DEBIASERS).fillna(static)
    both = golden.merge(table, on=[*RUN, "attributes"], how="left", validate="1:1")
    assert len(both) == 452
    pairs = {"N": "texts", "K": "selected", "n_prot": "n_protected", "k_prot": "selected_protected", "n_priv": "n_privileged"}
    for theirs, ours in (pairs | {"k_priv": "selected_privileged"}).items():
        assert (both[theirs] == both[ours]).all(), ours


def test_gender_counts_are_found_again_from_planted_ones():
    texts, n0, k0, k1 = 900, 500, 123, 77
    planted = counts((k0 + k1, texts, k0, n0, k1, texts - n0))
    di, fv = released.impact(planted, smoothing=1)[0], released.violation(planted)[0]
    assert released_counts.gender_counts(di, fv, range(850, 950)) == [(texts, n0, k0, k1)]
    assert released_counts.gender_counts(di * 1.001, fv, range(850, 950)) == []


def test_an_empty_group_has_no_di_and_says_why():
    rows = counts((20, 100, 0, 0, 20, 50), (20, 100, 10, 50, 0, 0), (20, 100, 20, 50, 0, 50), (20, 100, 0, 50, 20, 50))
    assert released.impact(rows)[:3] == pytest.approx([np.nan] * 3, nan_ok=True)
    assert released.impact(rows)[3] == 0
    why = ["no text in the protected group", "no text in the privileged group", "nobody in the privileged group is selected", None]
    assert [released.reason(row) for _, row in rows.iterrows()] == why
    assert [released.interval(row, 0.95)[2] for _, row in rows.iterrows()] == why
    assert np.isnan(released.fisher_p(rows)[:2]).all()


def test_katz_by_hand():
    low, high = released.katz_interval(counts((400, 1000, 28, 129, 363, 510), (9, 90, 0, 30, 9, 30)), 0.95)
    reach = 1.959964 * np.sqrt(1 / 28 - 1 / 129 + 1 / 363 - 1 / 510)
    di = (28 / 129) / (363 / 510)
    assert (low[0], high[0]) == pytest.approx((di * np.exp(-reach), di * np.exp(reach)), rel=1e-6)
    assert np.isnan([low[1], high[1]]).all()


def test_intervals_of_large_groups_agree_with_katz_and_hold_the_point():
    rows = counts((3000, 9000, 900, 3000, 1100, 3000))
    low, high, reason = released.interval(rows.iloc[0], 0.95)
    assert reason is None
    assert (low, high) == pytest.approx([end[0] for end in released.katz_interval(rows, 0.95)], rel=2e-3)


def test_swapping_the_groups_inverts_di_and_its_interval_and_keeps_p():
    one, other = counts((60, 300, 12, 80, 30, 90)), counts((60, 300, 30, 90, 12, 80))
    assert released.impact(one)[0] * released.impact(other)[0] == pytest.approx(1)
    assert released.fisher_p(one) == pytest.approx(released.fisher_p(other))
    (low, high, _), (other_low, other_high, _) = (released.interval(rows.iloc[0], 0.95) for rows in (one, other))
    assert (low * other_high, high * other_low) == pytest.approx((1, 1))


def test_the_null_band_holds_its_share_of_numbers_that_are_dealt_at_random():
    """Counts drawn by shuffling decisions over real people, an independent way to the same null."""
    texts, selected, n0, n1 = 400, 150, 60, 90
    random = np.random.default_rng(7)
    decisions = np.arange(texts) < selected
    dealt = [random.permutation(decisions) for _ in range(2000)]
    rows = counts(*((selected, texts, d[:n0].sum(), n0, d[n0 : n0 + n1].sum(), n1) for d in dealt))
    low, high = released.null_band(rows.iloc[:1], 20_000, 0.9, seed=3)
    di = released.impact(rows, smoothing=1)
    assert np.mean((di >= low) & (di <= high)) == pytest.approx(0.9, abs=0.02)
    assert released.null_band(rows.iloc[:1], 20_000, 0.9, seed=3) == (low, high)


def test_without_any_decision_chance_shows_the_published_number_itself():
    rows = counts((0, 9290, 0, 129, 0, 510))
    low, high = released.null_band(rows, 100, 0.95, seed=1)
    assert low[0] == high[0] == pytest.approx(512 / 131)


def test_p_values_are_uniform_or_larger_at_equality():
    random = np.random.default_rng(11)
    rows = counts(*((a + b + c, 300, a, 60, b, 80) for a, b, c in random.binomial([60, 80, 160], 0.3, (800, 3))))
    assert np.mean(released.fisher_p(rows) <= 0.05) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 800)


def test_corrections_know_their_family():
    p_values, run = pd.Series([0.01, 0.04, 0.03, np.nan]), pd.Series(["a", "a", "b", "b"])
    assert released.within(p_values, [run]).tolist() == pytest.approx([0.02, 0.04, 0.03, np.nan], nan_ok=True)
    assert released.of_furthest(p_values, [run]).tolist() == pytest.approx([0.02, 0.08, 0.03, np.nan], nan_ok=True)
    assert released.of_furthest(pd.Series([0.9, 0.9]), [pd.Series([0, 0])]).tolist() == [1, 1]


def test_counts_are_cut_to_the_people_there_are():
    rows = counts((400, 1000, 28, 100, 36, 50), (400, 1000, 28, 100, 36, 50), (400, 1000, 28, 100, 36, 50))
    cut = released.cut_to(rows, pd.Series([500, None, 2000], dtype="Int64"))
    assert cut.iloc[0].tolist() == [500, 200, 50, 14, 25, 18]
    assert cut.iloc[1].tolist() == cut.iloc[2].tolist() == [1000, 400, 100, 28, 50, 36]


WORDS = {"published_di": 0.5, "di": 0.5, "q_value": 0.01, "texts": 1000, "selected": 400, "n_protected": 100, "n_privileged": 100}
WORDS |= {"ci_low": 0.4, "ci_high": 0.6}


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({}, "disparity"),
        ({"q_value": 0.05}, "disparity"),
        ({"q_value": 0.06}, "no evidence of disparity"),
        ({"ci_high": 1.01}, "no evidence of disparity"),
        ({"n_protected": 9}, "cannot tell"),
        ({"di": 0.45}, "smoothing"),
        ({"di": 0.56}, "smoothing"),
        ({"di": np.nan}, "smoothing"),
        ({"di": 0.0}, "smoothing"),
        ({"published_di": 0.803, "di": 0.79}, "smoothing"),
        ({"published_di": 0.801, "di": 0.799}, "disparity"),
        ({"published_di": 1.24, "di": 1.26}, "smoothing"),
        ({"published_di": 0.99, "di": 1.01}, "smoothing"),
        ({"published_di": 0.999, "di": 1.001, "q_value": 0.9}, "no evidence of disparity"),
        ({"selected": 19}, "collapsed model"),
        ({"selected": 20}, "disparity"),
        ({"selected": 0, "di": np.nan}, "collapsed model"),
        ({"selected": 0, "n_protected": 0}, "empty group"),
        ({"n_privileged": 0, "di": np.nan, "q_value": np.nan}, "empty group"),
    ],
)
def test_the_first_word_that_holds(change, word):
    assert released.finding(pd.Series(WORDS | change), Bounds()) == word


def test_the_share_beyond_katz_intervals_falls_with_the_number_of_demographics(counted):
    """About 74, 64, 66, 58 and 35 % of the published DI, among models that select more than a few people."""
    low, high = released.katz_interval(counted, 0.95)
    selecting = counted["selected"] > 100
    beyond = pd.Series((low > 1) | (high < 1))[selecting].groupby(counted["order"]).mean()
    assert (100 * beyond).tolist() == pytest.approx([74, 64, 66, 58, 35], abs=2)
    assert stats.rankdata(-beyond).tolist()[-1] == 5
