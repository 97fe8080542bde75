"""Terms are least squares, their tests keep their level where nothing is, and planted effects are found."""

import itertools

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from stages.metrics.effects import around, contrast, effects, exchange_p, slope, tail_p
from stages.metrics.matching import Comparison
from stages.metrics.resampling import resample
from tests.metrics.people import panels

COMPARED = [Comparison("less", "first", "debiaser", "words"), Comparison("alike", "first", "debiaser", "words")]
PAIRS = [(1, 0), (2, 0)]


def made(undefined: float) -> pd.DataFrame:
    """Gaps of three tasks, four models and the seven sets of three attributes."""
    random = np.random.default_rng(1)
    orders = [len(chosen) for size in (1, 2, 3) for chosen in itertools.combinations("abc", size)]
    rows = [(task, model, place, order) for task, model, (place, order) in itertools.product("xyz", "klmn", enumerate(orders))]
    frame = pd.DataFrame(rows, columns=["task", "model", "place", "order"])
    frame["gap"] = 0.1 * frame["order"] + random.normal(size=len(frame))
    return frame.assign(gap=frame["gap"].mask(random.random(len(frame)) < undefined))


def test_without_undefined_gaps_all_terms_are_those_of_one_regression():
    frame = made(0)
    fit = smf.ols("gap ~ C(task) + C(model) + order", frame).fit()
    cell = frame.groupby(["task", "model"]).ngroup().to_numpy()
    assert slope(frame["gap"].to_numpy(), cell, frame["order"].to_numpy()) == pytest.approx(fit.params["order"], abs=1e-12)
    wide = frame.pivot_table(index=["task", "place"], columns="model", values="gap")
    assert contrast((wide["m"] - wide["k"]).to_numpy()) == pytest.approx(fit.params["C(model)[T.m]"], abs=1e-12)


def test_with_undefined_gaps_each_term_is_the_regression_of_the_rows_that_answer_it():
    frame = made(0.3)
    cell = frame.groupby(["task", "model"]).ngroup().to_numpy()
    within = smf.ols("gap ~ C(task):C(model) + order", frame.dropna()).fit()
    found = slope(np.stack([frame["gap"].to_numpy(), made(0)["gap"].to_numpy()]), cell, frame["order"].to_numpy())
    assert found[0] == pytest.approx(within.params["order"], abs=1e-12)
    both = frame[frame["model"].isin(["k", "m"])].assign(row=frame["task"] + frame["place"].astype(str))
    both = both[both.groupby("row")["gap"].transform("count") == 2]
    paired = smf.ols("gap ~ C(row) + C(model)", both).fit()
    wide = frame.pivot_table(index=["task", "place"], columns="model", values="gap")
    assert contrast((wide["m"] - wide["k"]).to_numpy()) == pytest.approx(paired.params["C(model)[T.m]"], abs=1e-12)


def test_nothing_to_compare_is_undefined():
    assert np.isnan(contrast(np.array([np.nan, np.nan])))
    assert np.isnan(slope(np.array([0.1, 0.2, 0.3]), np.zeros(3, dtype=int), np.ones(3, dtype=int)))
    assert np.isnan(slope(np.array([0.1, np.nan, 0.3]), np.array([0, 0, 1]), np.array([1, 2, 3])))


def test_p_values_by_hand():
    null = np.arange(1.0, 100)
    assert tail_p(1000, null) == pytest.approx(2 / 100)
    assert tail_p(50, null) == 1
    assert tail_p(np.float64(3), null) == pytest.approx(2 * 4 / 100)
    assert exchange_p(0.0, np.zeros(99)) == 1
    assert exchange_p(-2.0, np.linspace(-1, 1, 99)) == pytest.approx(1 / 100)
    assert tail_p(1000, np.full(99, np.nan)) == 1  # a draw without a value is never evidence
    assert exchange_p(1.0, np.full(99, np.nan)) == 1


def test_an_interval_stands_around_its_value():
    drawn = np.random.default_rng(1).normal(5, 2, 4000)
    low, high, reason = around(1.0, drawn, 0.95)
    assert (low, high) == (pytest.approx(1 - 1.96 * 2, rel=0.05), pytest.approx(1 + 1.96 * 2, rel=0.05))
    assert reason is None
    assert around(0.0, np.zeros(99), 0.95)[2].startswith("no interval: all replicates are equal")
    assert around(0.0, np.where(np.arange(100) < 20, np.nan, drawn[:100]), 0.95)[2] == "no interval: undefined in 20 of 100 replicates"


def terms(seed: int, biases: tuple[float, ...], people: int = 60, draws: int = 99) -> pd.DataFrame:
    tasks = resample(panels(people, seed, biases), PAIRS, draws, seed)
    return pd.DataFrame(effects(tasks, COMPARED, PAIRS, 3, 0.95)).set_index(["outcome", "term"])


def test_where_nothing_is_planted_p_values_are_uniform():
    """Fifty studies: no relation of demographics and decisions, three models equally good. At .05, .2 and .5 about that share rejects."""
    p_values = np.stack([terms(seed, (0.0, 0.0, 0.0))["p_value"].to_numpy() for seed in range(50)])
    for level, most in ((0.05, 0.08), (0.2, 0.27), (0.5, 0.58)):
        assert level / 3 < (p_values <= level).mean() < most, level


def test_planted_effects_are_found_and_intervals_hold_them():
    """Bias grows with each protected attribute and the second model has little: order, debiaser and no effect of the third are seen."""
    found = terms(1, (0.5, 0.05, 0.5), people=600, draws=199)
    assert (found.xs("order", level="term")["p_value"][["adi", "fv"]] <= 0.05).all()
    debiaser = found.xs("less - first", level="term")
    assert (debiaser["value"] < 0).all()
    assert (debiaser["p_value"] <= 0.01).all()
    assert (debiaser["q_value"] <= 0.02).all()
    assert (debiaser["ci_high"] < 0).all()
    same = found.xs("alike - first", level="term")
    assert (same["ci_low"] < 0).all()
    assert (same["ci_high"] > 0).all()
    assert (found["n"] == [24, 8, 8] * 3).all()


def test_gaps_grow_by_chance_and_the_null_says_by_how_much():
    """Without any bias the gaps of small groups are larger: the term is above 0, and so is its null."""
    found = pd.concat([terms(seed, (0.0, 0.0, 0.0)) for seed in range(10)]).xs("order", level="term")
    assert (found["null_mean"] > 0).all()
    means = found.groupby("outcome")[["value", "null_mean"]].mean()
    np.testing.assert_allclose(means["value"], means["null_mean"], rtol=0.5)


def test_a_baseline_of_other_options_is_named():
    compared = [COMPARED[0]._replace(differs=("epochs",)), COMPARED[1]]
    tasks = resample(panels(60, 1, (0.1, 0.1, 0.1)), PAIRS, 100, 1)
    found = pd.DataFrame(effects(tasks, compared, PAIRS, 3, 0.95)).set_index(["outcome", "term"])
    assert found.loc[("fv", "less - first"), "reason"] == "the reference was fitted with other epochs"
