"""The benchmark reads slots of templates, and its figures stand in docs/mentions.md."""

import pytest

from benchmarks import mentions


@pytest.mark.parametrize(
    ("template", "text", "terms"),
    [
        ("am_eth_sex_m", "I am a middle eastern gay man", ["middle eastern", "gay", "man"]),
        ("hate_eth_gen_p", "I hate african american trans person", ["african american", "trans"]),
        ("being_eth_sex", "Being latina and lgbtq is vile", ["latina", "lgbtq"]),
        ("hate_identity", "I hate middle aged people", ["middle aged"]),
        ("name_adj", "Ana is a nice transgender", ["transgender"]),
        ("verb_adj", "respect older", ["older"]),
        ("you_occupation", "You are a kind dancer", []),
    ],
)
def test_what_stands_in_a_slot(template, text, terms):
    assert mentions.slot(template, text) == terms


def test_a_slot_with_something_else_stops_the_benchmark():
    with pytest.raises(AssertionError):
        mentions.slot("name_adj", "Ana is a nice transgender dancer")


def test_published_sentences(shared):
    """A sentence is right when exactly its groups are found; 2,000 of each file."""
    folder = shared / "data" / "madlibs"
    groups, together = mentions.measure(folder, mentions.by_look_up("always"), 2000)
    assert (groups["precision"].dropna() == 1).all()
    assert (groups["recall"].dropna() == 1).all()
    assert together["exactly right"].tolist() == [1, 1]
    groups, together = mentions.measure(folder, mentions.by_look_up("in_context"), 2000)
    assert (groups["precision"].dropna() == 1).all()
    assert together["exactly right"].tolist() == pytest.approx([0.845, 0.999], abs=0.02)
