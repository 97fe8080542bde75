"""Columns from mentions: majorities, ties, overlapping memberships, and the paper's own rule."""

import pytest

from stages.contract.bad_input import BadInput
from stages.mentions import lookup, published, word_lists
from stages.mentions.lookup import Params

TEXTS = ["She told her brother.", "A man and a woman.", "Nobody at all", "Muslim men and Sikh boys", "HER HER him"]


def test_the_group_mentioned_most_and_ties_as_a_category():
    columns = lookup.mine(TEXTS, Params())
    assert columns == {
        "mentioned_gender": ["women", "women and men", None, "men", "women"],
        "mentioned_religion": [None, None, None, "Muslim people and Sikh people", None],
    }


def test_each_group_is_a_column_and_memberships_overlap():
    columns = lookup.mine(TEXTS, Params(attributes=("gender",), rule="each"))
    assert list(columns)[:3] == ["mentions_women", "mentions_men", "mentions_transgender"]
    assert columns["mentions_women"] == ["mentioned", "mentioned", "not mentioned", "not mentioned", "mentioned"]
    assert columns["mentions_men"] == ["mentioned", "mentioned", "not mentioned", "mentioned", "mentioned"]


def test_the_papers_rule_keeps_punctuation_on_and_drops_ties():
    columns = lookup.mine(
        ["She told her brother.", "a man and a woman", "him, him, she"], Params(attributes=("gender",), convention="assessment2021")
    )
    assert columns == {"mentioned_gender": ["women", None, "women"]}
    with pytest.raises(BadInput, match="convention assessment2021 has a rule of its own"):
        lookup.mine(TEXTS, Params(convention="assessment2021", rule="each"))


def test_terms_as_they_are_written():
    assert published.holding(["#gay #Gay", "gays gay.", "so gay"], ["gay"]) == [{"gay"}, set(), {"gay"}]


def test_the_papers_rule_takes_single_words_in_all_forms():
    found = published.words_of(word_lists.read(word_lists.WORDS)["ethnicity"])
    assert {"black", "blacks"} <= found["Black people"]
    assert not any("_" in word for words in found.values() for word in words)
