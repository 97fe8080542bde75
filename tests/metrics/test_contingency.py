"""The one table: its sums are counts of rows, and its replicates are those of resampling authors."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.metrics.contingency import GROUPS, tabulate, tabulate_population

SETS = [("gender",), ("gender", "race")]
statuses = st.sampled_from(["privileged", "protected", None])
rows = st.lists(st.tuples(statuses, statuses, st.booleans(), st.booleans(), st.integers(0, 5)), min_size=1, max_size=60)


def frame_of(drawn):
    frame = pd.DataFrame(drawn, columns=["gender", "race", "label", "decision", "author"])
    return frame, tabulate(frame[["gender", "race"]], frame["label"].to_numpy(), frame["decision"].to_numpy(), frame["author"].to_numpy())


@given(rows)
def test_sums_are_counts_of_rows(drawn):
    frame, table = frame_of(drawn)
    sums = table.sums(SETS)
    for index, chosen in enumerate(SETS):
        status = frame[list(chosen)]
        members = {
            "unknown": status.isna().any(axis=1),
            "protected": (status == "protected").all(axis=1),
            "privileged": (status == "privileged").all(axis=1),
        }
        members["mixed"] = ~(members["unknown"] | members["protected"] | members["privileged"])
        for place, group in enumerate(GROUPS):
            part = frame[members[group]]
            expected = [len(part), part["label"].sum(), part["decision"].sum(), (part["label"] & part["decision"]).sum()]
            np.testing.assert_array_equal(sums[1 + len(GROUPS) * index + place], expected)


@given(rows)
def test_the_groups_of_a_set_add_up_to_everyone(drawn):
    _, table = frame_of(drawn)
    sums = table.sums(SETS)
    for start in (1, 5):
        np.testing.assert_array_equal(sums[start : start + 4].sum(axis=0), sums[0])
    for chunk in table.replicates(SETS, 20, seed=1):
        np.testing.assert_array_equal(chunk[:, 1:5].sum(axis=1), chunk[:, 0])


def test_replicates_have_the_moments_of_resampling_authors():
    """Mean = the data's sums; variance of a count = authors x variance of the authors' own counts (cluster bootstrap)."""
    random = np.random.default_rng(3)
    author = np.repeat(np.arange(60), random.integers(1, 6, 60))
    status = pd.DataFrame({"gender": np.where(random.random(len(author)) < 0.4, "protected", "privileged")})
    label, decision = (random.random(60) < 0.5)[author], random.random(len(author)) < 0.5
    table = tabulate(status, label, decision, author)
    drawn = np.concatenate(list(table.replicates([("gender",)], 40_000, seed=5)))
    selected_protected = drawn[:, 1, 2]
    own = np.bincount(author, weights=(status["gender"] == "protected") & decision, minlength=60)
    assert selected_protected.mean() == pytest.approx(own.sum(), rel=0.01)
    assert selected_protected.var() == pytest.approx(60 * own.var(), rel=0.03)


def test_one_text_an_author_is_resampling_rows():
    """Interchangeable authors share a profile, and a count is binomial: n p (1 - p)."""
    status = pd.DataFrame({"gender": ["protected"] * 300 + ["privileged"] * 700})
    table = tabulate(status, np.ones(1000, bool), np.ones(1000, bool), np.arange(1000))
    assert len(table.authors) == 2
    drawn = np.concatenate(list(table.replicates([("gender",)], 40_000, seed=5)))
    assert drawn[:, 1, 0].var() == pytest.approx(1000 * 0.3 * 0.7, rel=0.03)


def test_the_same_seed_gives_the_same_replicates():
    _, table = frame_of([("protected", None, True, False, 1), ("privileged", "protected", False, True, 2), (None, None, True, True, 3)])
    one, other = (np.concatenate(list(table.replicates(SETS, 300, seed=9))) for _ in range(2))
    np.testing.assert_array_equal(one, other)


def test_a_population_counts_mass():
    status = pd.DataFrame({"gender": ["protected", "privileged"]})
    sums = tabulate_population(status, np.array([True, False]), np.array([True, True]), np.array([0.25, 0.75])).sums([("gender",)])
    np.testing.assert_allclose(sums[:3], [[1, 0.25, 1, 0.25], [0.25, 0.25, 0.25, 0.25], [0.75, 0, 0.75, 0]])
