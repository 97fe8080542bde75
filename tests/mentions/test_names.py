"""Names hint at gender and ethnicity in any case; the lists follow the rules that they state."""

import pandas as pd

from stages.mentions import names
from stages.mentions.names import Params, gazetteer


def test_names_are_found_without_capitals():
    columns = names.mine(["mary met JAMES and linda", "Garcia's car, dr nguyen", "hope will mark rose"], Params())
    assert columns == {
        "mentioned_gender_by_name": ["women", None, None],
        "mentioned_ethnicity_by_name": [None, "Asian people and Hispanic people", None],
    }


def test_lists_are_lower_case_and_no_name_hints_at_two_groups():
    found = gazetteer("ethnicity")
    text = (names.Path(names.__file__).with_suffix(".yaml")).read_text(encoding="utf-8")
    assert all(name == name.casefold() and text.split().count(name) == 1 for name in found)
    assert len(gazetteer("gender")) == 400


def test_nine_in_ten_bearers_of_a_surname_chose_its_group(shared):
    """U.S. Census 2010, the 1,021 most frequent surnames; and none is a first name of 1,000 births."""
    census = pd.read_csv(shared / "data" / "census" / "Names_2010Census_top1021.csv").dropna(subset="name").set_index("name")
    first = set(pd.read_csv(shared / "data" / "ssa_names" / "ssa_names_1938_2017_ge1000.csv")["name"].str.lower())
    columns = {"white people": "pctwhite", "Asian people": "pctapi", "Hispanic people": "pcthispanic"}
    surnames = {name: group for name, group in gazetteer("ethnicity").items() if group in columns}
    assert len(surnames) == 83 + 21 + 139
    for name, group in surnames.items():
        assert float(census.loc[name.upper(), columns[group]]) >= 90, name
        assert name not in first
