"""SEAT is WEAT of sentences, with p over words; word vectors have none."""

import numpy as np
import pytest

from stages.probes import encoded, seat, spaces, weat
from stages.probes.base import Base
from stages.probes.word_sets import FourSets, WordSets

SETS = {"x": ("nurse", "baker"), "y": ("doctor", "soldier"), "a": ("gentle", "kind"), "b": ("strong", "brave")}
WORDS = WordSets(sets=SETS, tests={"t": FourSets(x="x", y="y", a="a", b="b")})


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_effect_of_all_sentences_and_p_over_words(pooling, encoders):
    encoder = encoded.load(encoders["bert"])
    params = seat.Params(pooling=pooling, draws=1000)
    ((space, figure),) = seat.measure(Base([], [], encoder, lambda *_: []), WORDS, params, 1)
    held = {
        part: encoder.sentences([frame.format(word) for word in words for frame in seat.FRAMES], pooling) for part, words in SETS.items()
    }
    x, y = (weat.associations(held[part], held["a"], held["b"]) for part in "xy")
    assert figure.value == pytest.approx(weat.effect_size(x, y), rel=1e-4)
    assert (space.name, space.pooling, figure.n) == ("sentences", f"{pooling}, last layer", 16)
    assert figure.p_value * 6 == pytest.approx(round(figure.p_value * 6)), "two words of four: six partitions"
    assert figure.p_value >= 1 / 6


def test_sentences_of_one_word_are_no_observations_of_their_own():
    """Four equal sentences of each of 2 + 2 words: the least p is 1/6, where dealing sentences would give 1 / C(16, 8)."""
    east, north = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    sets = {part: np.broadcast_to(pole, (2, 4, 2)) for part, pole in zip("xyab", (east, north, east, north), strict=True)}
    assert seat.figure("t", sets, seat.Params(draws=1000), 1).p_value == pytest.approx(1 / 6)


def test_word_vectors_have_no_sentences():
    space = spaces.static(["a"], np.ones((1, 2)))
    assert not list(seat.measure(Base([space], [space], None, lambda *_: []), WORDS, seat.Params(), 1))
