"""A text is its words and the signs between them, and any words can be taken out of it."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.explanations.words import Words


@given(st.text(max_size=60))
def test_the_pieces_are_the_text(text):
    words = Words.of(text)
    assert "".join(words.pieces) == text
    assert words.kept(np.ones((1, len(words.tokens)), dtype=bool)) == [text]


@given(st.text(st.characters(exclude_categories=["M"], exclude_characters="\u200c\u200d"), max_size=60))
def test_words_are_those_of_limes_rule(text):
    words = Words.of(text)
    met = [piece for piece, number in zip(words.pieces, words.number, strict=True) if number >= 0]
    assert met == [word for word in re.split(r"\W+", text) if word]


def test_vowel_signs_and_joiners_stay_in_words():
    assert Words.of("हिन्दी भाषा").tokens == ("हिन्दी", "भाषा")
    assert Words.of("می\u200cخواهم").tokens == ("می\u200cخواهم",)


@pytest.mark.parametrize(
    ("held", "left"),
    [([True, False], "The ! THE 🙂"), ([False, True], " cat!  🙂"), ([False, False], " !  🙂"), ([True, True], "The cat! THE 🙂")],
)
def test_a_word_leaves_wherever_it_stands_in_any_case(held, left):
    words = Words.of("The cat! THE 🙂")
    assert words.tokens == ("the", "cat")
    assert words.kept(np.array([held])) == [left]


def test_a_very_long_text_is_quick():
    words = Words.of("a b " * 50_000)
    assert words.tokens == ("a", "b")
    assert len(words.pieces) == 200_000
