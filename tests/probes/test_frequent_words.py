"""A word is a word when no capital form is more frequent; categories are planted ones, the largest first."""

import numpy as np
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

from stages.probes import frequent_words
from stages.probes.spaces import unit


def test_a_more_frequent_capital_form_bars_a_word():
    listed = ["the", "John", "May", "john", "rose", "Rose", "NASA", "nasa", "may", "it's", "new_york", "ice cream", "x2", "été"]
    assert frequent_words.candidates(listed, ["Rose"]) == (["the", "rose", "new_york", "ice cream"], True)


def test_without_capitals_names_are_barred():
    assert frequent_words.candidates(["the", "john", "rose", "u.s."], ["John"]) == (["the", "rose"], False)


def test_words_of_tokenizers():
    def made(vocabulary: list[str]) -> PreTrainedTokenizerFast:
        numbered = {token: number for number, token in enumerate(vocabulary)}
        return PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel(numbered, vocabulary[0])), unk_token=vocabulary[0])

    assert frequent_words.whole_words(made(["<unk>", "the", "##ing", "nurse"])) == ["the", "nurse"]
    assert frequent_words.whole_words(made(["<unk>", "Ġthe", "ing", "ĠNurse", "Ġ", "##"])) == ["the", "Nurse"], (
        "a mark by itself is no word"
    )
    assert frequent_words.whole_words(made(["<unk>", "▁the", "ing", "▁nurse"])) == ["the", "nurse"]


def test_planted_categories():
    rng = np.random.default_rng(0)
    of = np.repeat([2, 0, 1], [10, 30, 20])[rng.permutation(60)]
    vectors = unit(5 * np.eye(4)[of] + 0.2 * rng.normal(size=(60, 4)))
    found = frequent_words.categorised(vectors, 3, 0)
    np.testing.assert_array_equal(found, of)
    categories = frequent_words.by_category([f"{one}{row}" for row, one in enumerate(of)], vectors, found)
    assert [word[0] for word in categories.words] == sorted(str(one) for one in of)
    for one in range(3):
        np.testing.assert_allclose(categories.means[one], vectors[of == one].mean(axis=0), atol=1e-12)
        nearness = vectors[of == one] @ vectors[of == one].mean(axis=0)
        best = np.flatnonzero(of == one)[np.argsort(-nearness)[:4]]
        assert categories.central(4)[one] == [f"{one}{row}" for row in best]
