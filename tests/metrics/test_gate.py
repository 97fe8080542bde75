"""The gate fails on verdicts of disparity and on nothing else."""

import pandas as pd
import pytest

from stages.contract.bad_input import BadInput
from stages.metrics.gate import failures


def scores(*verdicts, metric="adi"):
    return pd.DataFrame({"metric": metric, "value": range(len(verdicts)), "verdict": verdicts})


def test_disparities_fail_and_the_rest_passes():
    found = failures(scores("disparity", "no evidence of disparity", "cannot tell", None, "disparity"), "disparity")
    assert found["value"].tolist() == [0, 4]
    assert failures(scores("no evidence of disparity", "cannot tell", None), "disparity").empty


def test_labels_that_differ_are_no_fault_of_predictions():
    assert failures(scores("disparity", metric="di_star"), "disparity").empty


def test_scores_without_verdicts_and_unknown_gates_are_refused():
    with pytest.raises(BadInput, match="lack"):
        failures(scores("disparity").drop(columns="verdict"), "disparity")
    with pytest.raises(BadInput, match="there are disparity"):
        failures(scores("disparity"), "disparities")
