"""What of gender is left in a base: in word vectors, and in what an encoder makes of words and sentences.

A figure is a mean over words or people with the half of its 95 % interval: another list of words or people would give another mean.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from benchmarks.encoder_states import States, Texts
from stages.debiasers.projections import unit
from stages.models import vectors

Lexicons = dict[str, list[tuple[str, ...]]]
Rows = NDArray[Any]


class Figure(NamedTuple):
    """A mean and the half of its 95 % interval; nan where it has none."""

    value: float
    half: float = float("nan")


def figure(values: Rows, units: Rows) -> Figure:
    """The mean over ``units`` (words, people) of the mean of their ``values``; the half is 1.96 standard errors over units."""
    _, unit_of = np.unique(units, return_inverse=True)
    means = np.bincount(unit_of, values) / np.bincount(unit_of)
    return Figure(float(means.mean()), float(1.96 * means.std(ddof=1) / np.sqrt(len(means))))


def readings(rows: Rows, classes: Rows, groups: Rows) -> Iterator[tuple[LogisticRegression, Rows]]:
    """Five logistic regressions, each with the rows of a fifth of the groups, of which it saw none.

    All dimensions have one scale: each at its own would bring back, from the last digits of a number, what a projection took out.
    """
    for train, test in GroupKFold(5, shuffle=True, random_state=1).split(rows, classes, groups):
        yield LogisticRegression(max_iter=5000).fit(rows[train] / rows.std(), classes[train]), test


def probe(rows: Rows, classes: Rows, groups: Rows) -> Figure:
    """Accuracy of ``readings`` on groups they did not see; .5 is chance for even classes.

    Below .5 what is left tells other groups' classes the wrong way round, as where the classes were given one mean over all groups.
    """
    right = np.empty(len(rows))
    for reading, test in readings(rows, classes, groups):
        right[test] = reading.predict(rows[test] / rows.std()) == classes[test]
    return figure(right, groups)


def cosines_kept(now: Rows, before: Rows) -> Figure:
    """The correlation of 20,000 pairs' cosines with those before: 1 where a method leaves all else as it was."""
    drawn = np.random.default_rng(1).choice(len(now), (2, 20_000))
    cosines = [(unit(rows[drawn[0]]) * unit(rows[drawn[1]])).sum(axis=1) for rows in (now, before)]
    return Figure(float(np.corrcoef(*cosines)[0, 1]))


def in_vectors(folder: Path, original: Path, lexicons: Lexicons) -> dict[str, Figure]:
    """What each method lowers, of stereotype words; how well words can be told apart; and how much of all cosines stays.

    Squared product: with v, the mean of masculine less feminine words (WordED). |cos|: with v, and with he - she as it is now and, where
    the space is the same (all but WordED), as it was: what a projection leaves of he - she has no direction of its own.
    """
    held, before = vectors.load(folder), vectors.load(original)
    row = {word: number for number, word in enumerate(held.words)}
    pairs = np.array([[row[word] for word in pair] for pair in lexicons["gender_pairs"] if set(pair) <= row.keys()])
    sides = [[row[rows[side]] for rows in lexicons["gender_stereotypes"] if rows[side] in row] for side in (0, 1)]
    stereotypes = np.concatenate(sides).astype(int)
    rows, mean = held.matrix[stereotypes], (held.matrix[pairs[:, 1]] - held.matrix[pairs[:, 0]]).mean(axis=0)
    now, was = (base.matrix[row["he"]] - base.matrix[row["she"]] for base in (held, before))
    words, first = np.unique(pairs, return_index=True)
    return {
        "squared product": figure(np.square(rows @ mean), stereotypes),
        "cos with v": figure(_cosines(rows, mean), stereotypes),
        "with he - she": figure(_cosines(rows, now), stereotypes),
        "as it was": figure(_cosines(rows, was), stereotypes),
        "probe stereotypes": probe(unit(rows), np.repeat([0, 1], [len(side) for side in sides]), stereotypes),
        "probe gendered": probe(unit(held.matrix[words]), first % 2, words),
        "cosines kept": cosines_kept(held.matrix[:10_000], before.matrix[:10_000]),
    }


def in_encoder(states: States, before: States, texts: Texts, lexicons: Lexicons) -> dict[str, Figure]:
    """Of stereotype words in sentences, of sentences about women and men, and of what a masked pronoun would be.

    Squared product: of stereotype words' states with both attribute vectors, a mean over layers, as a share of those before
    (ContextED). Probe sentences: in frames it did not see; not of people it did not see, as LEACE gives the genders one mean over
    all people, so that what is learned of some tells the others the wrong way round. Swap: the distance of a sentence to the same
    about the other gender, as a share of that of any two sentences.
    """
    feminine = {rows[0] for rows in lexicons["gender_stereotypes"]}
    words = np.array([example.word for example in texts.examples.neutral])
    last, sentences = states.neutral[:, -1], np.concatenate([states.women, states.men])
    women, men = unit(states.women), unit(states.men)
    apart = 1 - (women * np.roll(women, 1, axis=0)).sum(axis=1).mean()
    return {
        "squared product": figure(_products(states) / figure(_products(before), words).value, words),
        "cos with he - she": figure(_cosines(last, states.attributes[1, -1] - states.attributes[0, -1]), words),
        "probe stereotypes": probe(last, np.isin(words, sorted(feminine)).astype(int), np.unique(words, return_inverse=True)[1]),
        "probe sentences": probe(sentences, np.repeat([0, 1], len(women)), np.tile(texts.frames, 2)),
        "swap": figure((1 - (women * men).sum(axis=1)) / apart, texts.people),
        **in_pronouns(states, before, texts, feminine),
        "cosines kept": cosines_kept(sentences, np.concatenate([before.women, before.men])),
    }


def in_pronouns(states: States, before: States, texts: Texts, feminine: set[str]) -> dict[str, Figure]:
    """How a stereotype word sways the pronoun that stands for it, as a share of how a gendered word does: 0 not at all.

    ``readings`` tell "she" from "he" by the state of a masked token that stands for a woman or a man. With s their log-odds of
    "she", the sway is (mean s of feminine - of masculine stereotype words) / (mean s of women - of men that they have not seen).
    MiniLM has no head that would fill the mask. Probe pronouns: how often they are right about people they have not seen. The
    intervals are of 2,000 draws of words and people, the same ones before, so that a change is one of the same words.
    """
    jobs, people = np.unique([example.word for example in texts.masked_jobs]), np.unique(texts.masked_people)
    side, rng = np.isin(jobs, sorted(feminine)), np.random.default_rng(4)
    women, men = np.flatnonzero(side), np.flatnonzero(~side)
    draws = [(women, men, people), *(tuple(rng.choice(part, len(part)) for part in (women, men, people)) for _ in range(2000))]

    def swayed(found: States) -> tuple[Rows, Rows]:
        said, gaps, right = _log_odds(found, texts)
        return np.array([(said[w].mean() - said[m].mean()) / gaps[p].mean() for w, m, p in draws]), right

    (now, right), (was, _) = swayed(states), swayed(before)
    return {"probe pronouns": figure(right, texts.masked_people), "sway": _drawn(now), "its change": _drawn(now - was)}


def _log_odds(states: States, texts: Texts) -> tuple[Rows, Rows, Rows]:
    """Mean log-odds of "she" of each stereotype word, of each woman less the man beside her, and whether each masked text is told right."""
    she, size = np.repeat([1, 0], len(states.masked) // 2), states.masked.std()
    scores, said = np.empty(len(she)), np.zeros(len(texts.masked_jobs))
    for reading, test in readings(states.masked, she, texts.masked_people):
        scores[test] = reading.decision_function(states.masked[test] / size)
        said += reading.decision_function(states.masked_jobs / size) / 5
    _, word_of = np.unique([example.word for example in texts.masked_jobs], return_inverse=True)
    gaps = np.bincount(texts.masked_people, np.where(she, scores, -scores)) / np.bincount(texts.masked_people, she)
    return np.bincount(word_of, said) / np.bincount(word_of), gaps, (scores > 0) == she


def _drawn(values: Rows) -> Figure:
    """The first of ``values``, with half the span of the middle 95 % of the others, which are of draws."""
    low, high = np.quantile(values[1:], [0.025, 0.975])
    return Figure(float(values[0]), float(high - low) / 2)


def _products(states: States) -> Rows:
    """Squared inner products of stereotype words' states with both attribute vectors, summed over these, a mean over layers."""
    return np.square(np.einsum("nld,ald->nla", states.neutral, states.attributes)).sum(axis=2).mean(axis=1)


def _cosines(rows: Rows, direction: Rows) -> Rows:
    return np.abs(unit(rows) @ unit(direction[None])[0])
