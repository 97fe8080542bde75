"""Groups are the intersections of what is known; unknown is a value, and what a data set lacks is said."""

import numpy as np
import pyarrow as pa
import pytest

from stages.contract.bad_input import BadInput
from stages.mitigations.groups import groups_of

GENDER = ["woman", "man", None, "woman", "man", "unknown"]
AGE = [33.0, 34.0, 20.0, None, 34.5, 1.0]


def table(**columns):
    return pa.table({name: pa.array(values) for name, values in columns.items()})


def test_groups_are_intersections_and_unknown_is_a_value_of_its_own(capsys):
    found = groups_of(table(gender=GENDER, age=AGE), {"gender": "category", "age": 33.0})
    assert found.number[1] == found.number[4], "both men over 33"
    assert found.count == len(set(found.number.tolist())) == 5
    assert found.known.tolist() == [True, True, False, False, True, True], "a category that is called unknown is known"
    assert "by gender, age: 5 groups of 1 to 2 texts, 2 of 6 texts with something unknown" in capsys.readouterr().out


def test_a_bound_belongs_to_the_lower_side():
    found = groups_of(table(age=AGE), {"age": 34.0})
    assert found.number[0] == found.number[1] != found.number[4]
    assert found.number[3] not in (found.number[0], found.number[4])


def test_the_order_of_rows_changes_no_group():
    forwards = groups_of(table(gender=GENDER, age=AGE), {"gender": "category", "age": 33.0})
    backwards = groups_of(table(gender=GENDER[::-1], age=AGE[::-1]), {"gender": "category", "age": 33.0})
    assert np.array_equal(forwards.number, backwards.number[::-1])


@pytest.mark.parametrize("columns", [{"gender": GENDER}, {"gender": GENDER, "race": pa.nulls(6, pa.string())}])
def test_an_attribute_that_the_data_lack_is_left_out_and_said(columns, capsys):
    found = groups_of(table(**columns), {"gender": "category", "race": "category"})
    assert found.count == 4
    assert found.known.tolist() == [value is not None for value in GENDER]
    assert "not known in these data, so left out: race" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("columns", "attributes", "sentence"),
    [
        ({"gender": GENDER}, {"race": "category", "age": 3.0}, "race, age known of none of the 6 texts"),
        ({"gender": ["woman"] * 6}, {"gender": "category"}, "all 6 texts are in one group by gender"),
        ({"gender": GENDER}, {"gender": 33.0}, "gender: the documents hold categories, so write category"),
        ({"age": AGE}, {"age": "category"}, "age: the documents hold numbers, so give a bound"),
    ],
)
def test_groups_that_cannot_be_made(columns, attributes, sentence):
    with pytest.raises(BadInput, match=sentence):
        groups_of(table(**columns), attributes)
