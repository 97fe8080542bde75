"""Local Law 144's table: the rule's own figures, nobody lost, intervals that hold the truth."""

import numpy as np
import pandas as pd
import pytest

from stages.contract.bad_input import BadInput
from stages.metrics.conventions import above_median, ll144
from stages.metrics.impact_ratios import COLUMNS, impact_ratios
from stages.reporting.assessment_cells import impact


def applicants(counts: dict[tuple, tuple[int, int]]) -> tuple[pd.DataFrame, np.ndarray]:
    """Sex and race of so many applicants, and which are selected."""
    rows = [(*who, chosen) for who, (number, hits) in counts.items() for chosen in [True] * hits + [False] * (number - hits)]
    frame = pd.DataFrame(rows, columns=["sex", "race", "selected"], dtype=object)
    return frame[["sex", "race"]], frame["selected"].to_numpy(dtype=bool)


COUNTS = {
    ("Male", "White"): (400, 200),
    ("Male", "Asian"): (100, 60),
    ("Female", "White"): (380, 152),
    ("Female", "Asian"): (90, 27),
    ("Female", "Native"): (10, 1),
    (None, "White"): (15, 9),
    ("Male", None): (5, 0),
}


def test_every_rate_and_ratio_is_that_of_the_rule():
    table = impact_ratios(*applicants(COUNTS))
    assert tuple(table.columns) == COLUMNS
    sex = table[table["attributes"] == "sex"].set_index("category")
    assert sex.loc["Male", "rate"] == pytest.approx(260 / 505)
    assert sex.loc["Female", "impact_ratio"] == pytest.approx((180 / 480) / (260 / 505))
    assert sex.loc["Male", "impact_ratio"] == 1
    assert sex.loc["Male", "reason"] == "the highest rate, compared with itself"
    both = table[table["attributes"] == "sex+race"].set_index("category")
    assert both.loc["Male, Asian", "impact_ratio"] == 1
    assert both.loc["Female, Asian", "impact_ratio"] == pytest.approx(0.3 / 0.6)
    assert (table.groupby("attributes")["n"].sum() == 1000).all()


def test_it_agrees_with_the_convention_of_counts():
    values, selected = applicants(COUNTS)
    table = impact_ratios(values, selected)
    sex = table[(table["attributes"] == "sex") & ~table["unknown"]].set_index("category")
    counts = np.array([[sex.loc[name, "n"], 0, sex.loc[name, "selected"], 0] for name in sex.index], dtype=float)
    theirs = ll144(counts, np.array([1000.0, 0, selected.sum(), 0]))
    assert theirs["impact_ratio"] == pytest.approx(sex["impact_ratio"].to_numpy())
    assert theirs["n_unknown"] == table.loc[(table["attributes"] == "sex") & table["unknown"], "n"].sum() == 15


def test_unknown_people_are_counted_and_in_no_rate():
    table = impact_ratios(*applicants(COUNTS))
    unknown = table[table["unknown"]]
    assert unknown.groupby("attributes")["n"].sum().to_dict() == {"sex": 15, "race": 5, "sex+race": 20}
    assert unknown[["rate", "impact_ratio", "ratio_low"]].isna().all(axis=None)
    assert unknown["reason"].str.contains("unknown category").all()


def test_small_categories_are_marked_and_left_out_on_request_alone():
    values, selected = applicants(COUNTS | {("Female", "Native"): (10, 10)})
    marked, left_out = (impact_ratios(values, selected, leave_out_small=ask) for ask in (False, True))
    race = {name: table[table["attributes"] == "race"].set_index("category") for name, table in (("in", marked), ("out", left_out))}
    assert race["in"].loc["Native", "small"]
    assert not race["in"].loc["Asian", "small"]
    assert race["in"].loc["Native", "impact_ratio"] == 1, "a tiny category is the highest"
    assert np.isnan(race["out"].loc["Native", "impact_ratio"])
    assert race["out"].loc["Native", "rate"] == 1, "its number and rate stay"
    assert race["out"].loc["Native", "reason"].startswith("less than 2%")
    assert race["out"]["impact_ratio"].max() == 1


def test_a_scoring_tool_selects_above_the_median_of_everyone():
    values, _ = applicants(COUNTS)
    selected = above_median(np.arange(len(values), dtype=float))
    assert impact_ratios(values, selected)["selected"].sum() == 3 * len(values) // 2


def test_nobody_selected_has_no_ratio():
    values, _ = applicants(COUNTS)
    table = impact_ratios(values, np.zeros(len(values), dtype=bool))
    assert table["impact_ratio"].isna().all()
    assert set(table.loc[~table["unknown"], "reason"]) == {"nobody is selected: no rate to divide by"}


@pytest.mark.parametrize(("hits", "below"), [(12, False), (11, True)])
def test_four_fifths_of_counts_are_not_below_four_fifths(hits, below):
    """12/20 over 15/20, which is 0.7999999999999999 as a float."""
    table = impact_ratios(*applicants({("Male", "White"): (20, 15), ("Female", "White"): (20, hits)}))
    (shown,) = impact(table.assign(task="t", model="m")).tables
    female = next(row for row in shown.rows if row[2] == "Female")
    assert ("below 0.8" in female[-1]) == below


def test_rows_that_do_not_fit_are_refused():
    with pytest.raises(BadInput, match="3 rows of categories and 2 decisions"):
        impact_ratios(pd.DataFrame({"sex": ["a", "b", "a"]}), np.array([True, False]))
    with pytest.raises(BadInput, match="3,000 categories"):
        impact_ratios(pd.DataFrame({"sex": [f"c{number}" for number in range(3000)]}), np.ones(3000, dtype=bool))


@pytest.mark.parametrize("each", [1, 3])
def test_intervals_hold_the_true_ratio(each):
    """Of 300 studies, with ``each`` alike rows of a person, 95 % intervals of the ratio to a category that is clearly the highest."""
    random = np.random.default_rng(each)
    race = np.repeat(["White", "Asian", "Black"], [300, 100, 40])
    rates = {"White": 0.7, "Asian": 0.35, "Black": 0.5}
    held = []
    for _ in range(300):
        own = random.random(len(race)) < np.array([rates[name] for name in race])
        values = pd.DataFrame({"race": np.repeat(race, each)})
        table = impact_ratios(values, np.repeat(own, each), np.repeat(np.arange(len(race)), each)).set_index("category")
        held += [table.loc[name, "ratio_low"] <= rates[name] / 0.7 <= table.loc[name, "ratio_high"] for name in ("Asian", "Black")]
    assert 0.92 <= np.mean(held) <= 0.985
