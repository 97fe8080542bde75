"""The subgroup rules of the NAACL 2022 benchmark, one set for all its data sets and for both codings of each."""

import pandas as pd
import pytest

from stages import subgroup

HIGHER = ["college graduate", "some graduate school", "graduate or professional degree", "no answer"]
BANDS = ["$55,000 to $74,999", "$75,000 to $89,999", "$90,000 or more", "does not know", "no answer"]
RULES = {
    "gender": subgroup.Rule(privileged=("man", "woman, coded privileged")),
    "race": subgroup.Rule(privileged=("White", "another race or ethnicity, coded privileged")),
    "age": subgroup.Rule(privileged_at_most=55),
    "age_group": subgroup.Rule(privileged=("at most the median age", "up to 56", "under 55")),
    "education": subgroup.Rule(privileged=tuple(HIGHER)),
    "income_band": subgroup.Rule(privileged=tuple(BANDS)),
}


@pytest.fixture
def binary():
    """Documents -> per attribute 1 privileged, 0 protected, null unknown, as the paper has its columns."""

    def code(documents: pd.DataFrame) -> pd.DataFrame:
        rules = {name: rule for name, rule in RULES.items() if name in documents}
        coded = subgroup.code(documents, rules)
        return pd.DataFrame({name: coded[name].map({"privileged": 1.0, "protected": 0.0}) for name in rules})

    return code
