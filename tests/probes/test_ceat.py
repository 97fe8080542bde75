"""CEAT: contexts of whole words, the random-effects model against its formulas, and p over words."""

import numpy as np
import pytest

from stages.probes import ceat, encoded, spaces, weat
from stages.probes.base import Base
from stages.probes.word_sets import FourSets, WordSets

SETS = {"x": ("nurse", "baker"), "y": ("doctor", "soldier"), "a": ("gentle", "kind"), "b": ("strong", "brave")}
WORDS = WordSets(sets=SETS, tests={"t": FourSets(x="x", y="y", a="a", b="b")})
ALL = [word for words in SETS.values() for word in words]
TEXTS = [f"{opening} {word} in town." for word in ALL for opening in ("we met the", "this is about the", "they said the")]
PARAMS = ceat.Params(corpus="texts", samples=300, draws=1000)


def measured(encoder, texts, params=PARAMS):
    return [figure for _, figure in ceat.measure(Base([], [], encoder, lambda *_: texts), WORDS, params, 1)]


def test_contexts_are_whole_words_in_their_spelling_and_at_most_so_many():
    texts = ["The nurses met a nurse.", "a Nurse", "nurse, nurse", "short-term", "a short-term plan"]
    found = ceat.contexts(texts, ["nurse", "short-term", "short"], 10, 1)
    assert sorted(found["nurse"]) == [("The nurses met a nurse.", (17, 22)), ("nurse, nurse", (0, 5))]
    assert [text[start:end] for text, (start, end) in found["short-term"]] == ["short-term"] * 2
    assert found["short"] == []
    assert len(ceat.contexts(texts, ["nurse"], 1, 1)["nurse"]) == 1


def test_random_effects_by_the_papers_formulas():
    rng = np.random.default_rng(0)
    x, y = rng.normal(1, 1, (50, 4)), rng.normal(0, 1, (50, 5))
    effects = np.array([weat.effect_size(one, other) for one, other in zip(x, y, strict=True)])
    v = np.array([np.var([*one, *other], ddof=1) for one, other in zip(x, y, strict=True)])
    w = 1 / v
    q = (w * effects**2).sum() - (w * effects).sum() ** 2 / w.sum()
    between = (q - 49) / (w.sum() - (w**2).sum() / w.sum()) if q >= 49 else 0
    v = 1 / (v + between)
    combined, error, weights = ceat.combine(x, y)
    assert combined == pytest.approx((v * effects).sum() / v.sum(), rel=1e-12)
    assert error == pytest.approx(1 / np.sqrt(v.sum()), rel=1e-12)
    each = weights @ np.concatenate([x, y], axis=1)
    assert each[:4].mean() - each[4:].mean() == pytest.approx(combined, rel=1e-12), "CES is a difference of means of words"


def test_random_effects_against_statsmodels():
    """The DerSimonian-Laird estimate, of effects that vary more than inside the draws."""
    from statsmodels.stats.meta_analysis import combine_effects

    rng = np.random.default_rng(1)
    x, y = rng.normal(0, 0.2, (80, 3)), rng.normal(0, 0.2, (80, 3))
    variances = np.var(np.concatenate([x, y], axis=1), axis=1, ddof=1)
    effects = (x.mean(axis=1) - y.mean(axis=1)) / np.sqrt(variances)
    theirs = combine_effects(effects, variances, method_re="dl")
    combined, error, _ = ceat.combine(x, y)
    assert theirs.tau2 > 0
    assert combined == pytest.approx(theirs.mean_effect_re, rel=1e-9)
    assert error == pytest.approx(theirs.sd_eff_w_re, rel=1e-9)


def test_one_context_a_word_is_weat_of_these_vectors(encoders):
    encoder = encoded.load(encoders["bert"])
    ces, published = measured(encoder, TEXTS[::3])
    rows = {word: next(iter(encoder.words([text], [(11, 11 + len(word))]))) for word, text in zip(ALL, TEXTS[::3], strict=True)}
    x, y, a, b = (np.stack([rows[word] for word in SETS[part]]) for part in "xyab")
    a, b = spaces.unit(a), spaces.unit(b)
    assert ces.value == pytest.approx(weat.effect_size(weat.associations(x, a, b), weat.associations(y, a, b)), rel=1e-4)
    assert published.value == ces.value
    assert ces.p_value * 6 == pytest.approx(round(ces.p_value * 6))


def test_the_published_p_shrinks_with_the_draws_and_that_over_words_does_not(encoders):
    encoder = encoded.load(encoders["bert"])
    few, many = (measured(encoder, TEXTS, PARAMS.model_copy(update={"samples": samples})) for samples in (300, 5000))
    assert np.diff(many[1].ci)[0] < np.diff(few[1].ci)[0] / 2
    assert many[0].p_value >= 1 / 6
    assert few[0].value == pytest.approx(many[0].value, abs=0.2)


def test_words_without_a_context_are_named_and_an_empty_set_has_a_reason(encoders):
    encoder = encoded.load(encoders["bert"])
    ces, _ = measured(encoder, TEXTS[3:])
    assert ces.lost == "x: nurse"
    ces, published = measured(encoder, TEXTS[6:])
    assert "no word with a context" in ces.reason
    assert np.isnan(published.value)
