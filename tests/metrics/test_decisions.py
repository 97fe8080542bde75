"""Labels and outputs become decisions at the cut, in the favourable direction."""

import numpy as np

from stages.metrics.decisions import cut_of, decide


def test_the_median_cut_takes_its_own_value_as_favourable():
    labels = np.array([1.0, 2.0, 3.0])
    assert decide(labels, cut_of(labels, "median"), "high").tolist() == [False, True, True]


def test_low_is_the_complement_of_high():
    labels = np.linspace(0, 1, 11)
    assert (decide(labels, 0.5, "low") == ~decide(labels, 0.5, "high")).all()
