"""Verdicts on who is named: what decides, what it takes, and that the paper's test alone never does."""

import pandas as pd
import pytest

from stages.reporting.contrasted import attributes, categories, deciding, name, of_cell, plain, verdict
from tests.reporting.contrasts import BLACK, REFERENCES, row, rows


@pytest.mark.parametrize(
    ("effect", "q", "words"),
    [
        (0.05, 0.05, "scores differ"),
        (-0.05, 0.05, "scores differ"),
        (0.05, 0.051, "no evidence"),
        (0.05, None, "cannot tell: not tested"),
        (1e-16, None, "no evidence: the scores are the same"),
    ],
)
def test_a_difference_needs_a_small_q_of_the_effect_whatever_that_of_the_coefficient(effect, q, words):
    assert verdict(row("gender[female]", "mixed", effect, q), 0.05) == words
    assert verdict(row("gender[female]", "mixed", effect, q, q_value=0.5), 0.05) == words
    assert verdict(row("gender[female]", "mixed", effect, q, q_value=1e-9), 0.05) == words


def test_the_mixed_model_decides_and_clusters_where_it_is_undefined():
    both = [row("gender[female]", "beta_cluster", q=0.9), row("gender[female]", "mixed")]
    assert deciding(pd.DataFrame(both), 0.05)["verdict"].tolist() == ["scores differ"]
    none = row("gender[female]", "mixed", None, None, reason="does not converge")
    found = deciding(pd.DataFrame([both[0], none]), 0.05)
    assert found[["method", "verdict"]].to_numpy().tolist() == [["beta_cluster", "no evidence"]]
    same = row("gender[female]", "beta_cluster", 0.0, None, None, reason="the standard error is 0")
    assert deciding(pd.DataFrame([same, none]), 0.05)["verdict"].tolist() == ["no evidence: the scores are the same"]
    assert deciding(pd.DataFrame([none]), 0.05)["verdict"].tolist() == ["cannot tell: does not converge"]


def test_the_papers_test_alone_never_decides():
    assert deciding(pd.DataFrame([row("gender[female]", "beta_expected")]), 0.05).empty
    found = [row("gender[female]", "beta_expected", q=1e-9), row("gender[female]", "mixed", q=0.3)]
    assert deciding(pd.DataFrame(found), 0.05)["verdict"].tolist() == ["no evidence"]


def test_terms_keep_their_order_and_the_intercept_is_none_of_them():
    found = deciding(pd.DataFrame(rows(BLACK) + rows(BLACK, model="a")), 0.05)
    assert found["model"].tolist() == ["m"] * 3 + ["a"] * 3
    assert found["term"].tolist() == [*BLACK, *BLACK]


def test_a_cell_is_told_by_what_differs_then_by_what_is_untold():
    references = REFERENCES["black_white"]
    terms = plain(deciding(pd.DataFrame(rows(BLACK)), 0.05)).to_dict("records")
    assert of_cell(terms, references) == "scores differ by who is named: female beside male +0.050 [+0.030, +0.070]"
    assert of_cell(terms[1:], references) == "no evidence that scores differ by who is named"
    untold = terms[2] | {"verdict": "cannot tell: one name"}
    assert of_cell([terms[1], untold], references) == "cannot tell: one name"
    assert of_cell([], references).startswith("cannot tell: the design asks for neither")


def test_terms_are_named_by_their_categories_whatever_these_are():
    assert name("group[Black]", {"group": "white"}) == "Black beside white"
    assert name("gender[female]:group[Black]", REFERENCES["black_white"]) == "female x Black, beyond either"
    assert name("a[b]:c[d]:e[f]", {}) == "b x d x f, beyond any fewer"
    assert name("blind[yes]", {"blind": "no", "deaf": "no"}) == "blind: yes beside no"
    assert name("blind[yes]:deaf[yes]", {"blind": "no", "deaf": "no"}) == "blind x deaf: yes x yes, beyond either"
    odd = "gender[non-binary: x]:group[a [b]]"
    assert categories(odd) == [("gender", "non-binary: x"), ("group", "a [b]")]
    assert attributes(odd) == "gender x group"
