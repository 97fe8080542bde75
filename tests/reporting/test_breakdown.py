"""Differences by template and by name: planted ones are found where they are, beside another library's interval."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from stages.contract.tables import from_pandas
from stages.reporting.breakdown import COLUMNS, read, references_of

LISTED = {"gender": ("male",), "group": ("white", "Anglo")}
GROUPS = [(gender, group) for gender in ("female", "male") for group in ("Black", "white")]
FITS = pd.DataFrame([{"corpus": "c", "task": "t", "model": "m", "emotion": "joy"}])


def responses(names: int = 3, spread: float = 0.01, challenge: str = "c", task: str = "t", model: str = "m") -> pa.Table:
    """Two templates x two words of joy (and one of fear) x names; Black women lose .1 in the second, and one name of theirs gains .3."""
    random = np.random.default_rng(0)
    found = []
    for gender, group in GROUPS:
        for number in range(names):
            own = random.normal(0, spread)
            for template in ("feels", "said"):
                for emotion, word in (("joy", "glad"), ("joy", "happy"), ("fear", "afraid")):
                    score = 0.5 + own - 0.1 * (template == "said" and (gender, group) == ("female", "Black"))
                    score += 0.3 * (gender == "female" and group == "Black" and number == 0) + 9 * (emotion == "fear")
                    about = {
                        "challenge": challenge,
                        "task": task,
                        "model": model,
                        "template": template,
                        "emotion": emotion,
                        "emotion_word": word,
                    }
                    found.append(about | {"person": f"{gender}{group}{number}", "gender": gender, "group": group, "unit_score": score})
    return from_pandas(pd.DataFrame([*found, found[0] | {"person": "she", "group": None, "unit_score": 7.0}]))


def rows(table: pa.Table) -> pd.DataFrame:
    return read(table, FITS, references_of(table, LISTED), 0.95).to_pandas().set_index(["kind", "item", "people"]).sort_index()


def test_the_reference_is_the_first_listed_that_is_there():
    assert references_of(responses(), LISTED) == {"c": {"gender": "male", "group": "white"}}
    assert references_of(responses().slice(0, 0), LISTED) == {}


def test_a_templates_difference_is_that_of_its_names_means_with_welchs_interval():
    table = responses()
    found = rows(table)
    frame = table.to_pandas().dropna(subset="group")
    said = frame[(frame["template"] == "said") & (frame["emotion"] == "joy")]
    means = said.groupby(["gender", "group", "person"])["unit_score"].mean()
    own, other = (means.loc[key].to_numpy() for key in (("female", "Black"), ("male", "white")))
    row = found.loc["template", "said", "female, Black"]
    assert row["beside"] == "male, white"
    assert row["difference"] == pytest.approx(own.mean() - other.mean())
    low, high = CompareMeans(DescrStatsW(own), DescrStatsW(other)).tconfint_diff(0.05, usevar="unequal")
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((low, high))
    assert (row["names"], row["names_beside"], row["sentences"]) == (3, 3, 12)
    moved = found["difference"].loc["template", "said"] - found["difference"].loc["template", "feels"]
    assert moved.to_dict() == pytest.approx({"female": -0.05, "Black": -0.05, "female, Black": -0.1})


def test_a_name_is_set_beside_the_others_of_its_group():
    found = rows(responses(spread=0.0)).loc["name"]
    assert len(found) == 12
    assert found.loc[("femaleBlack0", "female, Black"), "difference"] == pytest.approx(0.3)
    assert found.loc[("femaleBlack1", "female, Black"), "difference"] == pytest.approx(-0.15)
    assert (found["names_beside"] == 2).all()
    assert found["ci_low"].isna().all()


def test_what_has_no_interval_or_no_difference_says_why():
    alone = rows(responses(names=1))
    assert (alone.loc["name", "reason"] == "no other name of the group").all()
    assert alone.loc["name", "difference"].isna().all()
    assert alone.loc[("template", "said", "female, Black"), "reason"] == "fewer than two names on a side"
    alike = responses(spread=0.0)
    alike = rows(alike.filter(pc.not_equal(alike["person"], "femaleBlack0")))
    assert alike.loc[("template", "said", "female, Black"), "reason"] == "the scores of the names of a side are the same"
    assert alike.loc[("template", "said", "female, Black"), "ci_low":"ci_high"].isna().all()


def test_without_fits_there_are_no_rows_but_all_columns():
    found = read(responses().drop_columns(["task", "model"]), FITS.iloc[:0], {}, 0.95)
    assert found.schema == pa.schema(COLUMNS)
    assert found.num_rows == 0
