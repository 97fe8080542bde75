"""Bins are pandas' quantiles, intervals statsmodels' or hold the truth, and a person's texts are not so many people."""

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.proportion import proportion_confint

from stages.metrics.calibration_curves import SCHEMA, bins_of, calibration_curves
from stages.metrics.shown_groups import EVERYONE, Panel


def frame_of(texts: int, seed: int = 1, regression: bool = False) -> pd.DataFrame:
    """Calibrated outputs: the label's mean is the output itself."""
    random = np.random.default_rng(seed)
    score = random.random(texts)
    true = score + random.uniform(-0.5, 0.5, texts) if regression else (random.random(texts) < score).astype(float)
    return pd.DataFrame({"y_true": true, "y_score": score, "author_id": np.arange(texts)})


def everyone(frame: pd.DataFrame) -> list[Panel]:
    return [Panel(EVERYONE, {EVERYONE: np.arange(len(frame))}, 0)]


def test_bins_hold_equally_many_texts_and_equal_scores_share_theirs():
    score = np.random.default_rng(2).random(400)
    assert (bins_of(score) == pd.qcut(score, 10, labels=False)).all()
    assert list(np.bincount(bins_of(np.arange(25.0)))) == [12, 13]
    assert list(np.bincount(bins_of(np.repeat([0.0, 1.0], [70, 30])))) == [70, 30]
    assert list(np.bincount(bins_of(np.full(50, 0.3)))) == [50]


def test_shares_have_wilsons_interval():
    frame = frame_of(500)
    found = calibration_curves(frame, everyone(frame), 0.95)
    assert found.schema == SCHEMA
    found = found.to_pandas()
    by_bin = frame.groupby(bins_of(frame["y_score"].to_numpy()))
    np.testing.assert_allclose(found["mean_output"], by_bin["y_score"].mean(), atol=1e-6)
    np.testing.assert_allclose(found["observed"], by_bin["y_true"].mean(), atol=1e-6)
    expected = proportion_confint(by_bin["y_true"].sum(), by_bin["y_true"].size(), method="wilson")
    np.testing.assert_allclose(found[["ci_low", "ci_high"]].T, expected, atol=1e-6)
    assert list(found["n"]) == [50] * 10


def test_a_text_written_twice_by_the_same_person_tells_nothing_new():
    once = frame_of(2000)
    twice = pd.concat([once, once], ignore_index=True)
    widths = [
        found["ci_high"] - found["ci_low"]
        for frame in (once, twice)
        for found in [calibration_curves(frame, everyone(frame), 0.95).to_pandas()]
    ]
    np.testing.assert_allclose(widths[1], widths[0], rtol=0.02)


def test_means_of_numbers_hold_the_truth_as_often_as_they_say():
    held = []
    for seed in range(40):
        found = calibration_curves(frame := frame_of(300, seed, regression=True), everyone(frame), 0.95).to_pandas()
        assert len(found) == 10
        held.append(found["mean_output"].between(found["ci_low"], found["ci_high"]))
    assert np.mean(held) == pytest.approx(0.95, abs=2.5 * np.sqrt(0.95 * 0.05 / 400))


def test_numbers_that_are_all_equal_have_no_interval():
    frame = frame_of(60, regression=True).assign(y_true=3.5)
    found = calibration_curves(frame, everyone(frame), 0.95).to_pandas()
    assert (found["observed"] == 3.5).all()
    assert found["ci_low"].isna().all()
