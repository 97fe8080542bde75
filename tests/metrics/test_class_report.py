"""The figures are scikit-learn's; their intervals are those of resampled authors and hold what they say."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

from stages.metrics.class_report import UNDEFINED, class_figures, score_classes
from stages.metrics.scoring import Rules

RULES = Rules(replicates=2000, permutations=100, confidence=0.9, level=0.05, fewest=10, seed=3)


def texts(number, random, texts_each=1):
    favourable = random.random(number) < 0.3
    selected = np.where(random.random(number) < 0.8, favourable, ~favourable)
    return pd.DataFrame({"favourable": favourable, "y_pred": selected.astype(int), "author_id": np.arange(number) // texts_each})


def test_the_figures_are_those_of_scikit_learn():
    frame = texts(300, np.random.default_rng(1), 2)
    rows = {row["metric"]: row for row in score_classes(frame, RULES)}
    y, p = frame["favourable"].to_numpy(), frame["y_pred"].to_numpy() == 1
    for place, name in ((1, "favourable"), (0, "unfavourable")):
        precision, recall, f1, support = (part[place] for part in precision_recall_fscore_support(y, p))
        assert [rows[f"{figure}_{name}"]["value"] for figure in ("precision", "recall", "f1")] == pytest.approx([precision, recall, f1])
        assert rows[f"recall_{name}"]["n"] == support
        assert rows[f"precision_{name}"]["n"] == (p == place).sum()
    for average in ("macro", "weighted"):
        expected = precision_recall_fscore_support(y, p, average=average)[:3]
        assert [rows[f"{figure}_{average}"]["value"] for figure in ("precision", "recall", "f1")] == pytest.approx(expected)
    assert rows["recall_weighted"]["value"] == pytest.approx(accuracy_score(y, p))
    assert len(rows) == 12
    assert all(row["ci_low"] <= row["value"] <= row["ci_high"] for row in rows.values())


def test_the_intervals_are_those_of_resampled_authors():
    """Where people are many and alike, the spread of F1 is that of drawing authors one by one."""
    frame = texts(240, np.random.default_rng(2), 3)
    y, p = frame["favourable"].to_numpy(), frame["y_pred"].to_numpy() == 1
    times = np.random.default_rng(1).multinomial(80, np.full(80, 1 / 80), 4000)[:, frame["author_id"].to_numpy()]
    cells = np.stack([y & p, y & ~p, ~y & p, ~y & ~p], axis=1).astype(float)
    drawn = class_figures(times @ cells)
    for row in score_classes(frame, RULES):
        low, high = np.quantile(drawn[row["metric"]], [0.05, 0.95])
        assert (row["ci_low"], row["ci_high"]) == pytest.approx((low, high), abs=0.02)


def test_intervals_hold_the_truth_as_often_as_they_say():
    random, held = np.random.default_rng(4), []
    truth = 2 * 0.24 / (2 * 0.24 + 0.06 + 0.14)  # labels .3, right .8 of both
    for _ in range(200):
        found = {row["metric"]: row for row in score_classes(texts(200, random), RULES)}["f1_favourable"]
        held.append(found["ci_low"] <= truth <= found["ci_high"])
    assert np.mean(held) == pytest.approx(0.9, abs=3 * np.sqrt(0.9 * 0.1 / 200))


def test_what_nobody_decides_has_no_precision():
    frame = texts(50, np.random.default_rng(5)).assign(y_pred=0)
    rows = {row["metric"]: row for row in score_classes(frame, RULES)}
    assert (rows["precision_favourable"]["value"], rows["precision_favourable"]["reason"]) == (None, UNDEFINED)
    assert rows["precision_macro"]["value"] is None
    assert rows["recall_favourable"]["value"] == 0
    assert rows["f1_favourable"]["n"] == 50
