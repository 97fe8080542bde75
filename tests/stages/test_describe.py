"""describe: counts that can be counted by hand, declared beside mentioned, and the published tables of Singh et al. 2021."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from stages import describe
from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.descriptions import Descriptions
from stages.datasets import hate_speech
from stages.describe import Params
from stages.mentions import published
from stages.metrics.comparisons import wilson
from tests.conftest import make_documents

TEXTS = ["She is a gay nurse", "he said: #gay", "Gays and a lesbian", "The weather", "muslim men and muslim women", "black cats"]
FAVOURABLE = [True, False, False, True, True, False]
DOCUMENTS = make_documents(TEXTS * 5, FAVOURABLE * 5, gender=["woman", "man", None, "man", "woman", "man"] * 5, age=[30.0] * 30)


def described(documents=DOCUMENTS, **params):
    table = tables.check(describe.run(documents, Params(**params)), Descriptions.__metadata__[0], "described")
    return table.to_pandas().set_index(["convention", "kind", "attribute", "category", "term"]).sort_index()


def test_terms_groups_and_categories_are_counted():
    rows = described()
    gay = rows.loc["crossbias", "term", "sexual_orientation", "gay people", "gay"]
    assert gay[["texts", "authors", "favourable", "n", "n_favourable"]].tolist() == [15, 15, 5, 30, 15]
    assert gay[["share", "share_favourable", "share_unfavourable"]].tolist() == [0.5, 5 / 15, 10 / 15]
    assert gay["base_rate"] == pytest.approx(1 / 3)
    assert gay[["base_low", "base_high"]].tolist() == pytest.approx(
        [float(end) for end in wilson(np.array(1 / 3), np.array(15.0), 0.95)[1:]]
    )
    assert gay["log_odds_ratio"] == pytest.approx(np.log(5 * 5 / (10 * 10)))
    women, men = (rows.loc["crossbias", "group", "gender", group, ""] for group in ("women", "men"))
    assert (women["texts"], men["texts"]) == (10, 10)  # one text mentions both
    nobody = rows.loc["crossbias", "group", "religion", "Hindu people", ""]
    assert nobody["texts"] == 0
    assert nobody["reason"] == "no text holds it"
    assert (
        rows.loc[
            "crossbias",
            "group",
            "ethnicity",
            "Black people",
            "",
        ]["texts"]
        == 0
    )  # cats
    declared = rows.loc["crossbias", "category", "gender"]
    assert declared["texts"].to_dict() == {("man", ""): 15, ("unknown", ""): 5, ("woman", ""): 10}
    assert set(declared["about"]) == {"declared"}
    assert ("crossbias", "category", "age") not in rows.index


def test_the_papers_convention_counts_otherwise():
    rows = described(terms=("weather",))
    assert rows.loc["assessment2021", "term", "sexual_orientation", "gay people", "gay"]["texts"] == 10  # not "Gays"
    assert rows.loc["assessment2021", "group", "gender", "women", ""]["texts"] == 5  # a tie is nobody's
    assert rows.loc["assessment2021", "group", "ethnicity", "Black people", ""]["texts"] == 5  # cats and all
    for convention in ("crossbias", "assessment2021"):
        assert rows.loc[convention, "term", "other", "", "weather"]["texts"] == 5
    assert set(described(conventions=("crossbias",)).index.get_level_values(0)) == {"crossbias"}


def test_mined_columns_are_about_whom_a_text_mentions():
    mined = DOCUMENTS.append_column("mentioned_gender", pa.array(["women", None, "men"] * 10))
    rows = described(mined)
    assert set(rows.loc["crossbias", "category", "mentioned_gender"]["about"]) == {"mentioned"}
    assert rows.loc["crossbias", "category", "mentioned_gender", "unknown", ""]["texts"] == 10


def test_only_english_texts_are_searched_and_compared(capsys):
    frame = DOCUMENTS.to_pandas()
    frame.loc[frame.index[:6], "lang"] = "es"
    rows = described(tables.from_pandas(frame))
    assert set(rows.loc["crossbias", "term"]["n"]) == {24}
    assert set(rows.loc["crossbias", "category"]["n"]) == {30}
    assert "6 of 30 texts are not English" in capsys.readouterr().out
    frame["lang"] = "es"
    assert set(described(tables.from_pandas(frame)).index.get_level_values(1)) == {"category"}


def test_a_mined_column_is_described_of_the_texts_that_were_searched(capsys):
    frame = DOCUMENTS.append_column("mentioned_gender", pa.array(["women", None, "men"] * 10)).to_pandas()
    frame.loc[frame.index[:6], "lang"] = "es"
    rows = described(tables.from_pandas(frame))
    assert set(rows.loc["crossbias", "category", "mentioned_gender"]["n"]) == {24}
    assert rows.loc["crossbias", "category", "mentioned_gender"]["texts"].sum() == 24
    assert set(rows.loc["crossbias", "category", "gender"]["n"]) == {30}
    frame["lang"] = "es"
    assert set(described(tables.from_pandas(frame))["about"]) == {"declared"}
    assert "30 of 30 texts are not English" in capsys.readouterr().out


def test_q_values_are_over_the_rows_of_a_convention():
    from scipy import stats

    for _, rows in described().groupby(level="convention"):
        tested = rows[rows["p_value"].notna()]
        assert tested["q_value"].to_numpy() == pytest.approx(stats.false_discovery_control(tested["p_value"].to_numpy()))
        assert rows["q_value"][rows["p_value"].isna()].isna().all()


def test_a_list_that_is_not_there_is_named():
    with pytest.raises(BadInput, match=r"params.yaml: describe: attribute 'wealth' has no word list"):
        describe.run(DOCUMENTS, Params(attributes=("wealth",)))


@pytest.fixture(scope="module")
def tweets(shared):
    return hate_speech.load(shared / "data", "hateful", hate_speech.Params())


def test_table_4_counts_of_the_full_data(shared, tweets):
    """Singh et al. 2021, table 4, by the rule recovered from it: hateful and other texts that hold each of the twelve terms."""
    golden = json.loads((shared / "golden" / "published.json").read_text())["assessment"]["table4_full_data_counts_hateful_nothateful"]
    frame = tweets.assign(fold="0", favourable=tweets["label"] == 0)
    found = described(tables.from_pandas(frame), terms=tuple(golden), conventions=("assessment2021",), attributes=("religion",))
    terms = found.loc["assessment2021", "term"].reset_index().set_index("term")
    for term, (hateful, other) in golden.items():
        assert (terms["texts"] - terms["favourable"])[term] == hateful
        assert terms["favourable"][term] == other
    assert (set(terms["n"]), set(terms["n_favourable"])) == ({38023}, {13003})


def test_table_2_counts_of_the_full_data(shared, tweets):
    """Table 2 by the paper's word groups, which print "ma'am" where the parsed list has "ma" alone."""
    golden = json.loads((shared / "golden" / "published.json").read_text())["assessment"]["table2_full_data"]
    words = json.loads((shared / "data" / "wordlists" / "assessment_word_groups.json").read_text())
    groups = {"Female": {*words["Female"], "ma'am"}, "Male": set(words["Male"])}
    found = pd.Series(published.majority(tweets["text"], groups))
    for group, (hateful, other, overall, number) in golden.items():
        held = found == group
        assert held.sum() == number
        shares = [held[tweets["label"] == 1].mean(), held[tweets["label"] == 0].mean(), held.mean()]
        assert [round(100 * share, 2) for share in shares] == [hateful, other, overall]
