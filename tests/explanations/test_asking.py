"""The model is asked once about each variant, and each text's explanation depends on nothing but itself and its seed."""

import numpy as np
import pytest

from stages.contract.params import Entry
from stages.explanations.asking import explanations
from stages.explanations.words import Words

WEIGHTS = {"good": 0.3, "bad": -0.4, "day": 0.05}
METHODS = [Entry(use="lime", samples=400, penalty=0), Entry(use="shap", samples=64)]


def linear(texts):
    return np.array([0.5 + sum(WEIGHTS.get(word, 0) for word in set(text.lower().replace(",", " ").split())) for text in texts])


def test_both_methods_are_faithful_to_a_linear_model():
    words = Words.of("Good day, GOOD bad thing")
    for explained in explanations([words], [3], METHODS, linear)[0]:
        assert dict(zip(words.tokens, explained.importance, strict=True)) == pytest.approx(WEIGHTS | {"thing": 0}, abs=1e-9)
        assert (explained.score, explained.bare) == pytest.approx((0.45, 0.5))


def test_no_text_is_asked_about_twice():
    asked = []

    def ask(texts):
        asked.append(texts)
        return linear(texts)

    explanations([Words.of("good bad"), Words.of("bad good"), Words.of("good bad")], [1, 2, 3], METHODS, ask)
    assert len(asked) == 1
    assert len(asked[0]) == len(set(asked[0]))
    assert set(asked[0]) == {"good bad", "good ", " bad", " ", "bad good", "bad ", " good"}


def test_a_text_is_explained_alike_in_any_company():
    words = [Words.of("good bad day thing or other so it goes"), Words.of("a good one")]
    together = explanations(words, [5, 6], METHODS, lambda texts: linear(texts) ** 2)
    alone = explanations(words[:1], [5], METHODS, lambda texts: linear(texts) ** 2)
    assert np.array_equal(together[0][0].importance, alone[0][0].importance)
    assert np.array_equal(together[0][1].importance, alone[0][1].importance)
