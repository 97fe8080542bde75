"""Designs of any number of groups and axes equal patsy's, and what they cannot tell apart is one sentence."""

import numpy as np
import pandas as pd
import pytest
from statsmodels.formula.api import ols

from stages.contract.bad_input import BadInput
from stages.contrasts.design_matrix import design_matrix, name


@pytest.fixture
def people():
    random = np.random.default_rng(1)
    chosen = {"race": ["white", "Black", "Latino"], "gender": ["man", "woman", "nonbinary"], "age": ["young", "old"]}
    return pd.DataFrame({attribute: random.choice(groups, 400) for attribute, groups in chosen.items()})


REFERENCES = {"race": "white", "gender": "man", "age": "young"}


@pytest.mark.parametrize(("order", "operator"), [(None, "*"), (1, "+")])
def test_columns_are_those_of_the_formula(people, order, operator):
    design = design_matrix(people, REFERENCES, order)
    terms = [f"C({attribute}, Treatment('{reference}'))" for attribute, reference in REFERENCES.items()]
    theirs = ols(f"y ~ {f' {operator} '.join(terms)}", people.assign(y=0.0)).exog
    assert design.matrix.shape == theirs.shape == (400, 18 if order is None else 6)
    assert {tuple(column) for column in design.matrix.T} == {tuple(column) for column in theirs.T}
    assert name(design.terms[0]) == "intercept"
    assert name(design.terms[1]) == "race[Black]"
    assert len({name(term) for term in design.terms}) == len(design.terms)


def test_a_column_is_where_all_of_its_categories_meet(people):
    design = design_matrix(people, REFERENCES)
    place = [name(term) for term in design.terms].index("race[Latino]:gender[nonbinary]:age[old]")
    meet = people["race"].eq("Latino") & people["gender"].eq("nonbinary") & people["age"].eq("old")
    np.testing.assert_array_equal(design.matrix[:, place], meet)


def test_attributes_adjusted_for_have_main_effects_only_and_are_not_reported(people):
    design = design_matrix(people, {"race": "white", "gender": "man"}, adjusted=["age"])
    names = [name(term) for term in design.terms]
    assert "age[young]" in names  # beside old, the first
    assert not [found for found in names if ":" in found and "age" in found]
    assert [names[place] for place in design.places()] == [found for found in names if "age" not in found]


@pytest.mark.parametrize(
    ("change", "options", "sentence"),
    [
        ({"race": [None] * 3 + ["Black"] * 397}, {}, "race: 3 of 400 sentences have no category"),
        ({"race": ["Black"] * 400}, {}, "race: all 400 sentences are Black; a contrast needs two categories"),
        (
            {},
            {"references": {"race": "White", "gender": "man", "age": "old"}},
            "the reference is 'White'; choose one of .*Black, Latino, white",
        ),
        ({}, {"references": {"race": "white", "gender": "man"}}, "age: the reference is None; choose one of its categories old, young"),
        ({}, {"references": {**REFERENCES, "sex": "man"}}, "'sex' is no attribute of the sentences; there are race, gender, age"),
        ({}, {"order": 4}, "order 4 must be between 1 and the 3 attributes"),
    ],
)
def test_refusals(people, change, options, sentence):
    with pytest.raises(BadInput, match=sentence):
        design_matrix(people.assign(**change), **{"references": REFERENCES, **options})


def test_a_combination_that_nobody_has_is_named(people):
    rest = people[~(people["race"].eq("Black") & people["gender"].eq("nonbinary"))][["race", "gender"]]
    with pytest.raises(BadInput, match=r"The 9 columns .* rank 8: no sentence is Black \+ nonbinary; add sentences or lower the order"):
        design_matrix(rest, {"race": "white", "gender": "man"})
    assert design_matrix(rest, {"race": "white", "gender": "man"}, order=1).matrix.shape[1] == 5
