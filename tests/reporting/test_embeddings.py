"""Representations before and after debiasing: counted rightly, side by side, groups as columns, and no word trusted."""

import pyarrow as pa
import pytest
import yaml

from stages.contract.probes import Associations, NameGroups, Probes
from stages.contract.shelf import ROOT
from stages.probe import Params
from stages.reporting import embedding_page, embeddings
from stages.reporting.embedding_cells import traits
from stages.reporting.embedding_words import named
from tests.reporting.probed import probed

BASES = [("glove", {"plain": "as given", "hard": "hard_debias"})]


@pytest.fixture
def base() -> dict:
    return embeddings.parts(*probed(), BASES, 0.05)["bases"][0]


def test_the_short_table_has_a_column_before_and_after(base):
    assert base["summary"].columns == ["Measure", "as given", "hard_debias"]
    assert base["summary"].rows == [
        ["WEAT: tests beyond chance", "2 of 2", "0 of 1"],
        ["WEAT: mean size of d (0 is parity)", "1.10", "0.50"],
        ["gender: AMAE (0 is parity)", "0.050\nchance 0.010 to 0.040", "0.010\nchance 0.010 to 0.040"],
        ["gender: feminine from masculine words by a classifier (0.5 is chance)", "0.990", "0.950"],
        ["Names and words: cells beyond chance", "2 of 4", "1 of 4"],
    ]


def test_sentences_name_the_widest_lean(base):
    first, second = base["sentences"]
    assert first == (
        "as given: of 2 association tests 2 show a lean that is more than chance, the widest WEAT 6, men's, women's names: "
        "career, family (d 1.50); of 4 cells of names and words 2 do."
    )
    assert second.startswith("hard_debias: of 1 association test 0 show a lean that is more than chance; of 4 cells")


def test_every_test_has_its_interval_and_q_and_what_is_undefined_says_why(base):
    assert base["effect_sizes"].rows[0] == [named("weat_6"), "1.50 [1.00, 1.80]\n* q = 0.001", "0.50\nq = 0.400"]
    assert base["effect_sizes"].rows[1] == ["own test", "-0.70\n* q = 0.040", "undefined"]
    assert ["weat: own test", "effect_size: no spread", "hard_debias"] in base["undefined"].rows
    assert [f"weat: {named('weat_6')}", "without: x: Amy", "hard_debias"] in base["undefined"].rows


def test_what_float32_leaves_of_a_direction_that_is_gone_reads_as_zero():
    probes, *others = probed()
    rows = [row | {"value": 3e-8 if row["model"] == "hard" and row["statistic"] == "amae" else row["value"]} for row in probes.to_pylist()]
    parts = embeddings.parts(pa.Table.from_pylist(rows, probes.schema), *others, BASES, 0.05)
    assert parts["bases"][0]["summary"].rows[2][2].startswith("0.000\n")


def test_groups_are_columns_and_what_has_no_lean_is_counted_and_left_out(base):
    (given,), (debiased,) = base["cells"].values()
    assert given.columns == [("Ann, Maggie", "96 % women, born 1971 on average"), ("William", "7 % women, born 1971 on average")]
    assert given.rows == [["kind 1, like", "word11", "word12"]]
    assert given.silent == (0, 1)
    assert [names for names, _ in debiased.columns] == ["William"]
    assert debiased.rows == [["kind 1, like", "word12"]]
    assert debiased.silent == (1, 1)
    (table,) = base["groups"]
    assert [row[2:] for row in table.rows] == [["30", "1", "0"], ["30", "1", "1"]]


def test_what_nothing_was_probed_of_has_no_section():
    nothing = [hint.__metadata__[0].empty() for hint in (Probes, Associations, NameGroups)]
    assert embeddings.parts(*(table.append_column("model", [[]]) for table in nothing), BASES, 0.05) is None
    assert embeddings.parts(*probed(), [("other", {"text": "as given"})], 0.05) is None


def test_races_of_surnames_are_told_where_they_are_known():
    assert traits({"names": "Garcia", "hispanic": 0.92, "white": 0.05, "black": 0.01, "female": None}) == "5 % white, 92 % hispanic"


def test_the_page_of_an_audit_trusts_no_word_and_fetches_nothing():
    parts = embeddings.parts(*probed(extra="<script>"), [("<b>.vec", BASES[0][1])], 0.05)
    page = embedding_page.render(parts, "Audit of <b>.vec", ["<i>read"], Params())
    assert "<script" not in page
    assert "<b>" not in page
    assert "<i>" not in page
    assert "word12&lt;script&gt;" in page
    assert "http" not in page.replace("http-equiv", "")


def test_every_test_of_ours_is_named_in_words_and_anyones_own_by_its_name():
    held = {
        test for file in sorted((ROOT / "probes" / "words").glob("*.yaml")) for test in yaml.safe_load(file.read_text()).get("tests", {})
    }
    assert len(held) == 21
    assert all(": " in named(test) for test in held)
    assert named("career_mexican_american_women") == "names of European American men, Mexican American women: career, family"
    assert named("religion_islam") == "religion Islam"
