"""By number of demographics: the mean, the furthest as a ratio, p of any set, and an interval of the mean that holds the truth."""

import math

import numpy as np
import pandas as pd
import pytest

from stages.contract.params import Design
from stages.metrics import scoring
from stages.metrics.contingency import tabulate
from stages.reporting import by_order
from stages.reporting.by_order import Arm
from stages.reporting.results import EVERYONE, GAP, OURS, PUBLISHED, Key, Score


def design(**models) -> Design:
    """Models by name: (base, debiaser, family)."""
    parts = {
        name: {"base": {"source": base}, "debiaser": {"use": debiaser}, "family": {"use": "text_cnn", **family}}
        for name, (base, debiaser, family) in models.items()
    }
    task = {"dataset": {"use": "wassa", "source": "data/raw"}, "label": "empathy"}
    return Design.model_validate({"tasks": {"t": task}, "models": parts})


PAIR = design(a=("vectors.txt", "identity", {}), b=("vectors.txt", "leace", {}))


def line(results, model="a", order=1, metric="adi", convention=OURS):
    found = by_order.lines(results, PAIR)
    return next(x for x in found if (x.model, x.demographics, x.metric, x.convention) == (model, order, metric, convention))


def test_models_of_one_base_and_family_stand_together_whatever_was_done_to_them():
    chosen = design(
        glove=("vectors.txt", "identity", {"epochs": 3}),
        other=("vectors.txt", "identity", {"epochs": 4}),
        worded=("vectors.txt", "leace", {"epochs": 3}),
        weighed=("vectors.txt", "leace", {"epochs": 3, "mitigation": {"use": "reweighing"}}),
    )
    assert by_order.arms(chosen) == [
        Arm("glove", "glove", "none", "none"),
        Arm("worded", "glove", "leace", "none"),
        Arm("weighed", "glove", "leace", "reweighing"),
        Arm("other", "other", "none", "none"),
    ]
    assert [arm.treatment for arm in by_order.arms(chosen)] == ["none", "leace", "leace + reweighing", "none"]


def test_the_furthest_is_so_as_a_ratio_with_its_own_interval_and_the_mean_is_the_papers(results):
    """1.9 is nearer to 1 than 0.5 as a ratio, 1.7 and 0.6 the other way round as numbers."""
    found = line(results)
    assert (found.furthest_set, found.furthest, found.furthest_low, found.furthest_high) == ("gender", 1.9, 0.9, 3.0)
    assert found.mean == pytest.approx((1.9 + 0.6) / 2)
    assert (found.mean_low, found.mean_high) == pytest.approx(((0.9 + 0.4) / 2, (3.0 + 0.9) / 2))
    assert (found.lowest, found.highest, found.sets, found.undefined, found.reason) == (0.6, 1.9, 2, 0, None)
    key = Key("t", "a", "race", GAP, "adi", OURS)
    results.scores[key] = results.scores[key]._replace(value=0.5)
    assert line(results).furthest_set == "race"


def test_p_is_that_of_any_set_and_belongs_to_our_convention_alone(results):
    results.scores[Key("t", "a", EVERYONE, "any set of order 1", "adi", OURS)] = Score(0.6, None, None, None, None, None, None, None, 0.03)
    results.scores[Key("t", "a", "race", GAP, "adi", PUBLISHED)] = Score(0.7, 0.5, 0.9, None, 12, 34, None, None)
    assert line(results).p_any == 0.03
    published = line(results, convention=PUBLISHED)
    assert (published.p_any, published.furthest, published.sets) == (None, 0.7, 1)


def test_the_null_band_of_the_mean_is_that_of_its_sets_and_missing_where_one_lacks_it(results):
    for name, ends in (("gender", (0.8, 1.2)), ("race", (0.6, 1.4))):
        key = Key("t", "a", name, GAP, "adi", OURS)
        results.scores[key] = results.scores[key]._replace(null_low=ends[0], null_high=ends[1])
    assert (line(results).null_low, line(results).null_high) == pytest.approx((0.7, 1.3))
    results.scores[key] = results.scores[key]._replace(null_low=None, null_high=None)
    assert (line(results).null_low, line(results).null_high) == (None, None)


def test_a_mean_without_an_interval_says_why(results):
    assert line(results, order=2).reason == "1 of 1 sets have no interval"
    undefined = line(results, "b", 2)
    assert (undefined.mean, undefined.furthest, undefined.lowest, undefined.undefined) == (None, None, None, 1)
    assert undefined.reason == "no text in the protected group"
    key = Key("t", "b", "race", GAP, "adi", OURS)
    results.scores[key] = results.scores[key]._replace(value=None)
    partly = line(results, "b", 1)
    assert (partly.mean, partly.mean_low, partly.reason) == (1.1, None, "undefined in 1 of 2 sets, which the mean leaves out")


def test_the_table_has_a_row_a_line_and_nulls_for_what_is_undefined(results):
    table = by_order.as_table(by_order.lines(results, PAIR)).to_pylist()
    assert [(row["model"], row["demographics"]) for row in table] == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    assert table[3]["mean"] is None
    assert table[1]["furthest"] == 0.0
    assert {row["debiaser"] for row in table} == {"none", "leace"}


NAMES = ("gender", "race", "age", "education")
SETS = [("gender", other) for other in NAMES[1:]]


def study(people: int, seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray]:
    """Statuses, labels, decisions and authors of two texts a person; the more privileged, the oftener found when favourable."""
    random = np.random.default_rng(seed)
    privileged = random.random((people, 4)) < [0.5, 0.6, 0.55, 0.5]
    author = np.repeat(np.arange(people), 2)
    share = privileged.mean(axis=1)[author]
    favourable = random.random(2 * people) < 0.4 + 0.2 * share
    selected = random.random(2 * people) < np.where(favourable, 0.6 + 0.25 * share, 0.35)
    status = np.where(privileged[author], "privileged", "protected")
    return pd.DataFrame(status, columns=list(NAMES)), favourable, selected, author


def adi(frame: pd.DataFrame, favourable: np.ndarray, selected: np.ndarray) -> float:
    """The mean ADI over the sets, by hand."""
    values = []
    for chosen in SETS:
        groups = [(frame[list(chosen)] == status).all(axis=1).to_numpy() for status in ("protected", "privileged")]
        protected, privileged = (selected[group].sum() / favourable[group].sum() for group in groups)
        values.append(protected / privileged)
    return float(np.mean(values))


def test_the_interval_of_the_mean_holds_the_true_mean_of_sets_that_share_people():
    truth = adi(*study(300_000, 1)[:3])
    held = []
    for seed in range(100):
        cell = scoring.sample(tabulate(*study(150, 100 + seed)), SETS, scoring.Rules(100, 1, 0.95, 0.05, 10, 1))
        gaps = [
            Score(row["value"], row["ci_low"], row["ci_high"], None, None, None, None, row["reason"])
            for row in scoring.score_gaps(cell, OURS, ("adi",))
        ]
        mean, low, high, _ = by_order.mean_of(gaps)
        held.append(low <= truth <= high)
        assert low < mean < high
    assert np.mean(held) >= 0.95 - 2 * math.sqrt(0.95 * 0.05 / 100)
