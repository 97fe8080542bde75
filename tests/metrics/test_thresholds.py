"""Thresholds flag ratios in both directions and differences by their size, and nothing that has no value."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from stages.metrics.thresholds import DIFFERENCE, RATIO, flagged, kinds_of_comparisons, kinds_of_gaps


@given(st.floats(0.01, 100))
def test_a_ratio_and_its_inverse_are_flagged_alike(value):
    kinds = np.array([RATIO, RATIO], dtype=object)
    one, other = flagged(pd.Series([value, 1 / value]), kinds, 0.8, None)
    if abs(value - 0.8) > 1e-9 and abs(value - 1.25) > 1e-9:
        assert one is other is bool(value < 0.8 or value > 1.25)


def test_only_what_has_a_threshold_and_a_value_is_flagged():
    values = pd.Series([0.79, 0.8, np.nan, -0.11, 0.1, 3.0])
    kinds = np.array([RATIO, RATIO, RATIO, DIFFERENCE, DIFFERENCE, None], dtype=object)
    assert flagged(values, kinds, 0.8, 0.1).tolist() == [True, False, None, True, False, None]
    assert flagged(values, kinds, None, None).tolist() == [None] * 6


def test_what_a_row_of_scores_is():
    rows = [
        ("protected/privileged", "adi", RATIO),
        ("protected/privileged", "fv", DIFFERENCE),
        ("lowest / highest", "selection_rate", RATIO),
        ("everyone - lowest", "tpr", DIFFERENCE),
        ("every group", "differential_fairness", None),
        ("protected", "selection_rate", None),
        ("any set of order 2", "adi", None),
    ]
    group, metric, kind = zip(*rows, strict=True)
    assert tuple(kinds_of_gaps(pd.DataFrame({"group": group, "metric": metric}))) == kind
    comparisons = pd.DataFrame({"comparison": ["none", "ratio to everyone", "difference to reference"]})
    assert kinds_of_comparisons(comparisons).tolist() == [None, RATIO, DIFFERENCE]
