"""Contextualised Embedding Association Tests: WEAT of words as they stand in sentences of a corpus, over many draws of the sentences.

Guo and Caliskan 2021, doi:10.1145/3461702.3462536: each draw takes one sentence for every word and gives an effect size; a
random-effects model combines the draws.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy import stats

from stages.contract.params import Name, Section
from stages.contract.values import Place
from stages.probes import partitions, weat
from stages.probes.base import Base
from stages.probes.encoded import Encoder
from stages.probes.figures import Figure, middle
from stages.probes.spaces import Space, Vectors, unit
from stages.probes.word_sets import WordSets

Numbers = NDArray[np.float64]


class Params(Section):
    """``corpus``: a text file, a folder or a zip of texts; ``split``: as debiasers read theirs. At most ``contexts`` sentences of a word,
    drawn at random; ``samples`` draws, the paper's number.
    """

    corpus: Place
    split: Literal["lines", "prose"] = "lines"
    only: tuple[Name, ...] | None = None
    contexts: int = Field(default=100, ge=1)
    samples: int = Field(default=10_000, ge=100)
    draws: int = Field(default=100_000, ge=1000)
    confidence: float = Field(default=0.95, gt=0, lt=1)


def measure(base: Base, words: WordSets, params: Params, seed: int) -> Iterator[tuple[Space, Figure]]:
    """The combined effect size of each test; nothing for word vectors, which know no context."""
    if base.encoder is None:
        return
    space = Space("contexts", "mean of the word's tokens, last layer", base.encoder.casing, lambda _: {})
    tests = weat.tests_of(words, params.only)
    asked = sorted({word for sets in tests.values() for part in sets.values() for word in part})
    rows = in_context(base.encoder, contexts(base.sentences(params.corpus, params.split), asked, params.contexts, seed))
    for name, sets in tests.items():
        for figure in figures(name, sets, rows, params, seed):
            yield space, figure


def contexts(sentences: Sequence[str], words: Sequence[str], most: int, seed: int) -> dict[str, list[tuple[str, tuple[int, int]]]]:
    """At most ``most`` sentences of each word, drawn at random, with the place of its first occurrence as a whole word in that spelling."""
    found: dict[str, list[tuple[str, tuple[int, int]]]] = defaultdict(list)
    wanted = frozenset(words)
    for sentence in sentences:
        places: dict[str, tuple[int, int]] = {}
        for match in re.finditer(r"\w+(?:-\w+)*", sentence):
            if match[0] in wanted:
                places.setdefault(match[0], match.span())
        for word, place in places.items():
            found[word].append((sentence, place))
    generator = np.random.default_rng(seed)
    return {word: [found[word][row] for row in generator.permutation(len(found[word]))[:most]] for word in words}


def in_context(encoder: Encoder, held: Mapping[str, Sequence[tuple[str, tuple[int, int]]]]) -> dict[str, Vectors]:
    """Unit vectors [contexts, width] of each word; of none a word that has no context."""
    asked = [(word, *context) for word, given in held.items() for context in given]
    rows: dict[str, list[Vectors]] = defaultdict(list)
    for (word, _, _), row in zip(asked, encoder.words([text for _, text, _ in asked], [place for *_, place in asked]), strict=True):
        if row is not None:
            rows[word].append(unit(row))
    return {word: np.stack(given) for word, given in rows.items()}


def figures(name: str, sets: Mapping[str, Sequence[str]], rows: Mapping[str, Vectors], params: Params, seed: int) -> Iterator[Figure]:
    """CES with p and null over words; and the paper's p and interval, which say how well the sentences drawn settle CES."""
    lost = {part: [word for word in words if word not in rows] for part, words in sets.items()}
    told = "; ".join(f"{part}: {', '.join(words)}" for part, words in lost.items() if words) or None
    kept = {part: [rows[word] for word in words if word in rows] for part, words in sets.items()}
    number = len(kept["x"]) + len(kept["y"])
    if not all(kept.values()):
        reason = "a set has no word with a context in the corpus"
        yield from (Figure(name, what, n=number, lost=told, reason=reason) for what in ("ces", "ces_as_published"))
        return
    x, y = sampled(kept, params.samples, seed)
    combined, error, weights = combine(x, y)
    if np.isnan(combined):
        yield from (Figure(name, what, n=number, lost=told, reason="no spread to divide by") for what in ("ces", "ces_as_published"))
        return
    each = weights @ np.concatenate([x, y], axis=1)
    one, other = each[: x.shape[1]], each[x.shape[1] :]
    null = middle(partitions.drawn(one, other, params.draws, seed), params.confidence)
    yield Figure(name, "ces", combined, null=null, p_value=partitions.p_value(one, other, params.draws, seed), n=number, lost=told)
    low, high = stats.norm.interval(params.confidence, combined, error)
    p = float(2 * stats.norm.sf(abs(combined) / error))
    yield Figure(name, "ces_as_published", combined, (float(low), float(high)), p_value=p, n=number, lost=told)


def sampled(kept: Mapping[str, Sequence[Vectors]], samples: int, seed: int) -> tuple[Numbers, Numbers]:
    """s(w, A, B) [samples, words] of the words of x and of y, each draw taking one context [contexts, width] of every word."""
    generator = np.random.default_rng(seed)
    choice = {part: [generator.integers(len(rows), size=samples) for rows in given] for part, given in kept.items()}
    poles = [sum(rows[index] for rows, index in zip(kept[part], choice[part], strict=True)) / len(kept[part]) for part in "ab"]
    apart = poles[0] - poles[1]
    x, y = (
        np.stack([np.einsum("sw,sw->s", rows[index], apart) for rows, index in zip(kept[part], choice[part], strict=True)], axis=1)
        for part in "xy"
    )
    return x, y


def combine(x: Numbers, y: Numbers) -> tuple[float, float, Numbers]:
    """Combined effect size, its standard error, and the weights [samples] by which CES is a difference of means of weighted sums of s.

    ES_i = (mean_x s - mean_y s) / SD_i, V_i = SD_i^2 of s over both sets (ddof 1), Q = sum w (ES - mean)^2 with w = 1 / V and
    mean = sum w ES / sum w, sigma^2 = max(0, (Q - (N - 1)) / (sum w - sum w^2 / sum w)), v = 1 / (V + sigma^2), CES = sum v ES / sum v,
    SE = 1 / sqrt(sum v). NaN when a draw has no spread.
    """
    variances = np.var(np.concatenate([x, y], axis=1), axis=1, ddof=1)
    if not (variances > 1e-24).all():
        return np.nan, np.nan, np.full(len(x), np.nan)
    effects = (x.mean(axis=1) - y.mean(axis=1)) / np.sqrt(variances)
    inverse = 1 / variances
    spread = float(inverse @ np.square(effects - inverse @ effects / inverse.sum()))
    scale = inverse.sum() - np.square(inverse).sum() / inverse.sum()
    between = max(0.0, (spread - (len(effects) - 1)) / scale)
    shares = 1 / (variances + between)
    weights = shares / shares.sum() / np.sqrt(variances)
    return float(shares @ effects / shares.sum()), float(1 / np.sqrt(shares.sum())), weights
