"""Corrections equal statsmodels', p-values are never zero, and a verdict needs people."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from stages.metrics import testing
from stages.metrics.contingency import tabulate
from stages.metrics.permutation import null_sums

p_lists = st.lists(st.floats(0.0001, 1) | st.just(float("nan")), min_size=1, max_size=30).map(np.array)


@settings(max_examples=50)
@given(p_lists)
def test_corrections_equal_statsmodels_and_leave_undefined_ones_out(p_values):
    known = ~np.isnan(p_values)
    for ours, method in ((testing.benjamini_hochberg, "fdr_bh"), (testing.holm, "holm")):
        found = ours(p_values)
        assert np.isnan(found[~known]).all()
        if known.any():
            np.testing.assert_allclose(found[known], multipletests(p_values[known], method=method)[1])


def test_p_values_count_the_data_as_one_draw_and_undefined_draws_against_them():
    null = np.array([0.1, 0.2, 0.3, np.nan])
    assert testing.p_value(0.25, null) == pytest.approx(3 / 5)
    assert testing.p_value(9.0, null[:3]) == pytest.approx(1 / 4)
    assert testing.p_value(0.0, null[:3]) == 1


def test_verdicts():
    assert testing.verdict(0.01, 50, 10, 0.05) == "disparity"
    assert testing.verdict(0.20, 50, 10, 0.05) == "no evidence of disparity"
    assert testing.verdict(0.01, 9, 10, 0.05) == "cannot tell"
    assert testing.verdict(None, 500, 10, 0.05) == "cannot tell"
    assert testing.verdict(float("nan"), 500, 10, 0.05) == "cannot tell"


def test_statistics_grow_with_the_gap_and_with_the_number_of_texts():
    def groups(number, hits):
        return np.array([number, number / 2, hits, hits / 2], dtype=float)

    def adi(number, hits):
        return testing.statistics(groups(number, hits), groups(number, number / 2), groups(2 * number, hits + number / 2))["adi"]

    assert adi(100, 50) == pytest.approx(0)
    assert 0 < adi(100, 40) < adi(100, 20)
    assert adi(100, 40) < adi(400, 160)


@pytest.mark.parametrize("everybody", [False, True])
def test_a_group_of_which_nobody_is_selected_is_seen_as_well_as_one_of_which_everybody_is(everybody):
    """Thirty protected people beside 200 who are decided rightly: Fisher's p is 8e-9; no studentising may hide that."""
    status = pd.DataFrame({"gender": ["privileged"] * 200 + ["protected"] * 30})
    label = np.array([True] * 100 + [False] * 100 + [True] * 15 + [False] * 15)
    table = tabulate(status, label, np.where(np.arange(230) < 200, label, everybody), np.arange(230))
    null = np.concatenate(list(null_sums(table, [("gender",)], 999, seed=1)))
    point = table.sums([("gender",)])[None]
    observed, drawn = (testing.statistics(sums[:, 1], sums[:, 2], sums[:, 0]) for sums in (point, null))
    for metric in ("di", "adi"):
        assert testing.p_value(observed[metric][0], drawn[metric]) == 1 / 1000
