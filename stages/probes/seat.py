"""Sentence Encoder Association Tests: WEAT of plain sentences that name each word, of encoders alone.

May, Wang, Bordia, Bowman and Rudinger 2019, doi:10.18653/v1/N19-1063. Their frames suit each kind of word; ours are the four that suit
any, so that all words have equally many sentences. As in the paper a set's sentences stand for its words in d; unlike there p deals
whole words anew, since the four sentences of a word are no four observations.
"""

from collections.abc import Iterator, Mapping
from typing import Literal

import numpy as np
from pydantic import Field

from stages.contract.params import Name, Section
from stages.probes import partitions, weat
from stages.probes.base import Base
from stages.probes.encoded import Encoder
from stages.probes.figures import Figure, middle
from stages.probes.spaces import Space, Vectors
from stages.probes.word_sets import WordSets

FRAMES = ("This is {}.", "That is {}.", "There is {}.", "Here is {}.")


class Params(Section):
    """``pooling``: a sentence's vector is its first token's last state (cls, the paper's of BERT) or the mean over its tokens."""

    only: tuple[Name, ...] | None = None
    pooling: Literal["cls", "mean"] = "cls"
    draws: int = Field(default=100_000, ge=1000)
    confidence: float = Field(default=0.95, gt=0, lt=1)


def measure(base: Base, words: WordSets, params: Params, seed: int) -> Iterator[tuple[Space, Figure]]:
    """d of each test; nothing for word vectors, which have no sentences."""
    if base.encoder is None:
        return
    space = Space("sentences", f"{params.pooling}, last layer", base.encoder.casing, lambda _: {})
    tests = weat.tests_of(words, params.only)
    rows = sentences(base.encoder, {word for sets in tests.values() for part in sets.values() for word in part}, params.pooling)
    for name, sets in tests.items():
        yield space, figure(name, {part: np.stack([rows[word] for word in held]) for part, held in sets.items()}, params, seed)


def sentences(encoder: Encoder, words: set[str], pooling: Literal["cls", "mean"]) -> Mapping[str, Vectors]:
    """[frames, width] of each word's sentences."""
    ordered = sorted(words)
    found = encoder.sentences([frame.format(word) for word in ordered for frame in FRAMES], pooling)
    return dict(zip(ordered, found.reshape(len(ordered), len(FRAMES), -1), strict=True))


def figure(name: str, sets: Mapping[str, Vectors], params: Params, seed: int) -> Figure:
    """d over sentences (ddof 1), p and null over words, from sentences [words, frames, width] of each set."""
    flat = {part: rows.reshape(-1, rows.shape[-1]) for part, rows in sets.items()}
    x, y = (weat.associations(flat[part], flat["a"], flat["b"]) for part in "xy")
    value = weat.effect_size(x, y)
    if np.isnan(value):
        return Figure(name, "effect_size", n=len(x) + len(y), reason="all sentences have the same association: no spread to divide by")
    one, other = (part.reshape(-1, len(FRAMES)).mean(axis=1) for part in (x, y))
    p = partitions.p_value(one, other, params.draws, seed)
    null = middle(partitions.drawn(one, other, params.draws, seed) / np.std(np.concatenate([x, y]), ddof=1), params.confidence)
    return Figure(name, "effect_size", value, null=null, p_value=p, n=len(x) + len(y))
