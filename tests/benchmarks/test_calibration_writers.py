"""Simulated writers are as said, their truths are right, and what misses a promise is counted and listed."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtri
from scipy.stats import multivariate_normal

from benchmarks.calibration import authors, gate, heavy, report_writers, unequal
from benchmarks.calibration.audited import (
    AGAINST,
    CALLED,
    FURTHEST,
    GROUP,
    HELD,
    LEVEL,
    PAIR,
    SET,
    Tables,
    audited,
    contradictions,
    measured,
    placed,
    truth,
)
from benchmarks.calibration.page import merged
from benchmarks.calibration.people import World
from benchmarks.calibration.shares import Share
from benchmarks.calibration.writers import Writers


def two_groups(people: int, texts: tuple[int, int], **rates) -> Writers:
    group = np.repeat([0, 1], people)
    return Writers(group[:, None], np.array(texts)[group], **{name: np.array(pair)[group] for name, pair in rates.items()})


def test_truths_are_those_of_closed_forms():
    true = truth(two_groups(30, (4, 1), base=(0.3, 0.6), tpr=(0.5, 0.8), fpr=(0.05, 0.2)))["true"]
    closed = World(np.array([4, 1]), 1, np.array([0.3, 0.6]), np.array([0.5, 0.8]), np.array([0.05, 0.2]))
    for metric in ("selection_rate", "tpr", "fpr", "subgroup_auc", "bpsn_auc", "bnsp_auc", "brier", "calibration"):
        found = [true[f"{GROUP}|a|{name}|{metric}, none"] for name in ("a0", "a1")]
        np.testing.assert_allclose(found, closed.truth[metric], atol=2e-3, err_msg=metric)
    selection = closed.truth["selection_rate"]
    assert true[f"{PAIR}|a|protected/privileged|di"] == pytest.approx(selection[0] / selection[1], abs=2e-3)
    assert true[f"{PAIR}|a|protected/privileged|adi"] == pytest.approx(selection[0] / selection[1] * 2, abs=5e-3)
    everyone = closed.truth["tpr"] @ [4 * 0.3, 0.6] / 1.8  # by favourable texts
    assert true[f"{SET}|a|everyone - lowest|tpr, everyone - lowest"] == pytest.approx(everyone - 0.5, abs=2e-3)


def test_gaps_of_groups_alike_are_exactly_at_parity_also_with_wrong_labels_and_many_groups():
    groups = np.stack([np.arange(60) % 2, np.arange(60) % 3, np.arange(60) % 5], axis=1)
    true = truth(Writers(groups, np.full(60, 2), noise=0.1))["true"]
    assert set(true[true.index.str.contains("protected/privileged|difference|highest|, ratio")].dropna()) == {0.0, 1.0}
    stated = 0.4 * 0.9 + 0.6 * 0.1
    assert true["group|a|a0|tpr, none"] == pytest.approx((0.4 * 0.9 * 0.75 + 0.6 * 0.1 * 0.2) / stated, abs=2e-3)


@pytest.mark.parametrize("changed", [{}, {"noise": 0.1}, {"wavering": 1.0}])
def test_very_many_writers_show_the_truth(changed):
    world = Writers(np.arange(12_000)[:, None] % 2, 1 + np.arange(12_000) % 3, **changed)
    rows = placed(audited(world.draw(np.random.default_rng(3)), ["a"])).set_index("place")
    rows = rows[(rows["kind"] == GROUP) & rows["comparison"].isin(["none", "difference to everyone"])]
    off = (rows["value"] - truth(world)["true"][rows.index]).abs()
    assert off[rows["metric"] != "treatment_equality"].max() < 0.03
    assert off.max() < 0.1  # errors of one kind beside those of the other: of fewer texts


def test_labels_of_a_writer_are_as_alike_as_said():
    frame = Writers(np.zeros((40_000, 1), dtype=int), np.full(40_000, 2), alike=0.6).draw(np.random.default_rng(4))
    both = frame["favourable"].to_numpy().reshape(-1, 2).all(axis=1).mean()
    assert both == pytest.approx(multivariate_normal(cov=[[1, 0.6], [0.6, 1]]).cdf([ndtri(0.4)] * 2), abs=0.01)
    assert frame["favourable"].mean() == pytest.approx(0.4, abs=0.01)


def test_a_writer_who_wavers_states_two_groups_and_another_does_not():
    groups = np.arange(2000)[:, None] % 10
    for wavering, most in ((0.0, 1), (1.0, 2)):
        frame = Writers(groups, np.full(2000, 8), wavering=wavering).draw(np.random.default_rng(5))
        assert frame.groupby("author_id")["a_value"].nunique().max() == most


def made(*rows: dict) -> Tables:
    place = {"order": 1, "attributes": "a", "convention": "crossbias", "ci_low": 0.9, "ci_high": 1.1, "q_value": None}
    no_groups = pd.DataFrame({name: pd.Series(dtype=str) for name in ("attributes", "group", "metric", "comparison")})
    return Tables(pd.DataFrame([place | row for row in rows]), no_groups)


def test_claims_count_where_there_is_parity_and_nowhere_else():
    pair = {"group": "protected/privileged", "value": 1.0}
    rows = made(
        pair | {"metric": "di", "p_value": 0.01, "verdict": "disparity"},
        pair | {"metric": "adi", "p_value": 0.01, "verdict": "disparity", "ci_low": 1.05},
        pair | {"metric": "fv", "p_value": 0.2, "verdict": "no evidence of disparity", "ci_low": 0.0},
        {"group": "any set of order 1", "metric": "di", "value": 1.0, "p_value": 0.03, "ci_low": None},
        {"group": "any set of order 1", "metric": "adi", "value": 1.0, "p_value": 0.03, "ci_low": None},
    )
    true = pd.DataFrame({"true": [1.0, 1.5, 0.0]}, index=[f"{PAIR}|a|protected/privileged|{metric}" for metric in ("di", "adi", "fv")])
    found = measured(rows, true)
    assert [found[what, PAIR, "di"] for what in (HELD, LEVEL, CALLED)] == [1, 1, 1]
    assert [found[what, PAIR, "fv"] for what in (HELD, LEVEL, CALLED)] == [1, 0, 0]
    assert found[HELD, PAIR, "adi"] == 0
    assert (LEVEL, PAIR, "adi") not in found
    assert found[LEVEL, FURTHEST, "di, any set of order 1"] == 1
    assert (LEVEL, FURTHEST, "adi, any set of order 1") not in found
    assert (found[AGAINST, "", ""], found[AGAINST, PAIR, "di"], found[AGAINST, PAIR, "adi"]) == (0.5, 1, 0)
    assert (AGAINST, PAIR, "fv") not in found


def test_an_interval_without_an_upper_end_and_one_from_parity_hold_it():
    rows = made(
        {"group": "every group", "metric": "differential_fairness", "value": 0.4, "verdict": "disparity", "ci_low": 0.0, "ci_high": None},
        {"group": "lowest / highest", "metric": "selection_rate", "value": 0.4, "verdict": "disparity", "ci_low": 0.2, "ci_high": 0.99},
    )
    assert contradictions(placed(rows)).tolist() == [1, 0]
    assert contradictions(placed(rows).assign(verdict="cannot tell")).isna().all()


def test_what_misses_by_more_than_three_standard_errors_is_listed_and_no_more():
    shares = {
        (HELD, PAIR, "di"): Share(0.89, 0.01, 400),
        (HELD, PAIR, "adi"): Share(0.91, 0.01, 400),
        (HELD, PAIR, "fv"): Share(1.0, 0.005, 400),
        (LEVEL, PAIR, "fv"): Share(0.15, 0.02, 400),
        (CALLED, PAIR, "fv"): Share(0.14, 0.02, 400),  # as its p is too small too often, which is said already
        (LEVEL, PAIR, "adi"): Share(0.07, 0.02, 400),
        (AGAINST, "", ""): Share(0.001, 0.001, 400),
    }
    said = report_writers._misses({"here": shares, "there": {(HELD, PAIR, "di"): Share(0.8, 0.01, 400)}})
    assert "own interval at all: 4. 1 shares hold the truth in more than 0.97" in said
    assert "| pair: di | held | 0.800 (0.010) | there | 2 |" in said
    assert "| pair: fv | p <= .05 | 0.150 (0.020) | here | 1 |" in said
    assert "adi" not in said


def test_the_gate_may_not_fail_too_often_and_never_where_the_model_is_right():
    rare, often = Share(0.1, 0.05, 100), Share(0.27, 0.04, 100)
    calm = {gate.ANY: often, gate.FAILS: rare, AGAINST: Share(0.0, 0.01, 100)}
    said = "".join(report_writers.of_gate({(gate.FIVE,): calm, (gate.RIGHT,): calm, (gate.MORE,): calm | {gate.FAILS: often}}))
    missed = said.partition("what must never be at all: 2.")[2]
    assert f"| {gate.RIGHT} | {gate.FAILS} | 0.100 (0.050) |" in missed
    assert f"| {gate.MORE} | {gate.FAILS} | 0.270 (0.040) |" in missed


def test_every_part_is_studied_and_reported(undrawn):
    one = unequal.SCENARIOS[0]
    said = "".join(report_writers.of_unequal({one: unequal.study(0, *one, 2)}))
    assert "| 2:1 | 0.3 | equal | one of 2 groups |" in said
    assert "standard errors up to" in said
    names = (heavy.ONE_HEAVY_UNEQUAL, heavy.CELLS, *heavy.PLANTED)
    said = "".join(report_writers.of_heavy({(name,): heavy.study(0, name, 1) for name in names}))
    assert all(f"| {name} |" in said for name in names)
    found = {(name,): gate.study(0, name, 1) for name in (gate.PARETO, gate.RIGHT)}
    assert all(0 <= share.value <= 1 for of in found.values() for share in of.values() if share.studies)
    assert "| Pareto 1.1 |" in "".join(report_writers.of_gate(found))


def test_data_that_is_not_there_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("CROSSBIAS_SHARED", str(tmp_path))
    found = {(name,): heavy.study(0, name, 2) for name in (heavy.TWITTER, heavy.ESSAYS)} | {(name,): {} for name in heavy.PLANTED}
    for of in found.values():
        of.setdefault(heavy.GROUP, Share(0.0, 0.1, 2)) if heavy.SKIPPED not in of else None
    said = "".join(report_writers.of_heavy({**found, (heavy.CELLS,): heavy.study(0, heavy.CELLS, 2)}))
    assert f"Skipped: {heavy.TWITTER} (no Portuguese or Italian indices" in said
    assert gate.study(0, gate.ESSAYS, 1) == {gate.SKIPPED: "no messages_train_ready_for_WS.tsv in shared/data/wassa"}


def test_authors_are_counted_by_their_groups(monkeypatch, tmp_path):
    monkeypatch.setenv("CROSSBIAS_SHARED", str(tmp_path))
    indices, essays = tmp_path / "data" / "mtc" / "indices", tmp_path / "data" / "wassa"
    indices.mkdir(parents=True)
    essays.mkdir()
    (indices / "Italian.train.tsv").write_text("tid\tuid\tcountry\n1\tu\t1\n2\tu\t1\n3\tv\tx\n4\tw\t0\n")
    (indices / "Italian.test.tsv").write_text("tid\tuid\tcountry\n5\tu\t1\n")
    (essays / authors.ESSAYS.name).write_text("response_id\tgender\trace\np\t1\t3\np\t1\t3\nq\t2\t5\nr\t2\t3\n")
    groups, texts = authors.twitter("country")
    assert (groups.tolist(), texts.tolist()) == ([[1], [0]], [3, 1])
    groups, texts = authors.essays(("gender", "race"))
    assert texts.tolist() == [2, 1, 1]
    assert len(np.unique(groups, axis=0)) == 3
    assert groups[1, 0] == groups[2, 0] != groups[0, 0]


def test_tests_keep_their_level_where_a_group_writes_eleven_times_as_much_and_no_verdict_is_against_its_interval():
    found = unequal.study(0, (11, 1), "0.3", unequal.EQUAL, unequal.ONE, 30)
    levels = [found[LEVEL, PAIR, "fv"], *(found[LEVEL, GROUP, f"{rate}, difference to everyone"] for rate in ("tpr", "accuracy"))]
    assert max(share.value for share in levels) < 0.2  # permutations that ignore who writes how much: 0.30, 0.30 and 0.56
    assert not found[AGAINST, "", ""].value > 0


def test_one_heavy_writer_has_three_tenths_of_the_texts():
    world = heavy.writers(heavy.ONE_HEAVY, np.random.default_rng(0))
    own = world.texts[world.groups[:, 0] == 0]
    assert own.max() / own.sum() == pytest.approx(0.3, abs=0.005)


def test_printed_sections_take_their_place_on_the_page():
    page = "# Title\n\nHead.\n\n## What it shows\n\nBy hand.\n\n## One\n\nold\n\n## Two\n\nkept\n"
    found = merged(page, "## One\n\nnew\n\n", "## Three\n\n### Below\n\nadded\n")
    assert found == (
        "# Title\n\nHead.\n\n## What it shows\n\nBy hand.\n\n## One\n\nnew\n\n## Two\n\nkept\n\n## Three\n\n### Below\n\nadded\n"
    )
    assert merged(found, "## One\n\nnew\n") == found


@pytest.mark.parametrize("printed", ["", "Traceback\n## One\n", "## What it shows\n\nlost\n"])
def test_what_is_no_table_leaves_the_page_alone(printed):
    with pytest.raises(ValueError, match="no tables"):
        merged("# Title\n\n## What it shows\n", printed)
