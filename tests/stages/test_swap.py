"""What became of every text: swapped, ambiguous, unchanged or in another language, each counted; and which way it was swapped."""

import pyarrow.compute as pc
import pytest

from stages import swap
from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.swaps import Swaps
from tests.conftest import make_documents

TEXTS = ["She sang.", "He sang.", "His wife sang.", "They told her stories.", "It rained.", "Jordan lives in Jordan", "Ella canta."]


def swapped(attributes, texts=TEXTS, langs=None):
    documents = make_documents(texts, [True] * len(texts))
    documents = documents.set_column(documents.column_names.index("lang"), "lang", [langs or ["en"] * len(texts)])
    return tables.check(swap.run(documents, swap.Params(attributes=attributes)), Swaps.__metadata__[0], "swaps").to_pandas()


def test_the_table_says_for_each_text_what_happened():
    found = swapped({"gender": ("women", "men")}, langs=["en"] * 6 + ["es"])
    assert found["outcome"].tolist() == ["swapped", "swapped", "swapped", "ambiguous", "unchanged", "unchanged", "not English"]
    assert found["text"].tolist()[:3] == ["He sang.", "She sang.", "Her husband sang."]
    assert found["text"].notna().sum() == 3
    assert found["direction"].tolist()[:4] == ["first to second", "second to first", "both", "first to second"]
    assert found["reason"][3] == "no sure partner: her"
    assert found["changed"].tolist() == [1, 1, 2, 0, 0, 0, 0]


def test_every_two_groups_of_an_attribute_change_places(capsys):
    religions = ("Muslim people", "Christian people", "Jewish people")
    found = swapped({"religion": religions}, ["Muslims pray.", "It rained."])
    assert len(found) == 3 * 2
    assert found[found["outcome"] == "swapped"]["text"].tolist() == ["Christians pray.", "Jews pray."]
    assert "religion, Muslim people and Christian people: 1 swapped, 1 unchanged" in capsys.readouterr().out


def test_without_attributes_there_are_no_rows():
    assert swapped({}).empty


def test_an_attribute_without_words_is_refused():
    with pytest.raises(BadInput, match="'shoe' has no words"):
        swapped({"shoe": ("left", "right")})


def test_hostile_text_comes_out_as_it_went_in():
    text = "<script>alert('she')</script> \u202e she " + "x" * 100_000
    table = swap.run(make_documents([text], [True]), swap.Params())
    (found,) = table.filter(pc.equal(table["outcome"], "swapped"))["text"].to_pylist()
    assert found == text.replace("she", "he")
