"""Means over texts with Student's interval, by hand and by SciPy."""

import numpy as np
import pytest
from scipy import stats

from stages.explanations.importances import ONE, importances


def test_means_and_intervals_are_those_of_scipy():
    table = importances(["a", "b", "a", "a", "c", "c"], np.array([0.2, -0.5, -0.4, 0.1, 0.3, 0.3]), 0.9).set_index("token")
    assert table.index.tolist() == ["b", "c", "a"], "the heaviest first"
    a = np.array([0.2, -0.4, 0.1])
    for name, values in (("importance", a), ("absolute", np.abs(a))):
        low, high = stats.t.interval(0.9, 2, values.mean(), stats.sem(values))
        assert table.loc["a", [name, f"{name}_high"]].tolist() == pytest.approx([values.mean(), high])
        assert table.loc["a", f"{name}_low"] == pytest.approx(max(low, 0) if name == "absolute" else low)
    assert table.loc["c", ["importance_low", "importance_high"]].tolist() == pytest.approx([0.3, 0.3])
    assert np.isnan(table.loc["b", "absolute_low"])
    assert table["reason"].tolist() == [ONE, None, None]
    assert table["documents"].tolist() == [1, 2, 3]
