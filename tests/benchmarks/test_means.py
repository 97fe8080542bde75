"""A fast subset of the simulation of means: Wilson's interval on the scale holds the truth where Student's t by person does not."""

import numpy as np
import pytest

from benchmarks.means import held, values


@pytest.mark.parametrize(("kind", "texts", "people"), [("Brier score", "1", 5), ("log-normal", "1 to 12", 10), ("error", "5", 30)])
def test_wilson_on_the_scale_holds_the_truth_and_no_less_often_than_t(kind, texts, people):
    truth = float(values(kind, np.arange(500_000), np.random.default_rng(0)).mean())
    wilson, student = np.mean([held(kind, texts, people, truth, seed) for seed in range(200)], axis=0)
    assert wilson >= 0.92
    assert wilson >= student
    if kind != "error":
        assert student < 0.92
