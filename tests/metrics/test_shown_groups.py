"""Panels: every attribute of the sets, pairs while they are few, and no group too small to show."""

import numpy as np
import pandas as pd
import pytest

from stages.metrics.shown_groups import EVERYONE, FEWEST, panels

RANDOM = np.random.default_rng(3)
FRAME = pd.DataFrame({f"{name}_value": RANDOM.choice(["x", "y"], 400) for name in "abcd"})
FRAME.loc[: FEWEST - 2, "a_value"] = "rare"
FRAME.loc[FEWEST : 2 * FEWEST, "b_value"] = None


@pytest.mark.parametrize(
    ("sets", "shown"),
    [
        ([("a",), ("a", "b")], ["a", "b", "a+b"]),
        ([("a", "b", "c")], ["a", "b", "c"]),
        ([("a",), ("a", "b"), ("a", "c"), ("a", "d")], ["a", "b", "c", "d"]),
        ([], [EVERYONE]),
    ],
)
def test_attributes_are_shown_and_pairs_while_they_are_few(sets, shown):
    assert [panel.attributes for panel in panels(FRAME, sets)] == shown


def test_groups_hold_their_rows_and_small_ones_are_counted_not_shown():
    gender, other = panels(FRAME, [("a",), ("b",)])
    assert list(gender.groups) == [EVERYONE, "x", "y"]
    assert (gender.left_out, other.left_out) == (1, 0)
    assert len(gender.groups[EVERYONE]) == len(FRAME)
    assert (FRAME["a_value"].iloc[gender.groups["x"]] == "x").all()
    assert len(other.groups["unknown"]) == FEWEST + 1


def test_a_category_called_everyone_is_not_everyone():
    frame = pd.DataFrame({"a_value": ["everyone"] * 30 + ["other"] * 30})
    groups = panels(frame, [("a",)])[0].groups
    assert {name: len(rows) for name, rows in groups.items()} == {"everyone": 60, "everyone (category)": 30, "other": 30}
