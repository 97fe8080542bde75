"""Which words lean to which people's names, without anybody saying beforehand which people, or which words, to look at?

Unsupervised bias enumeration: Swinger, De-Arteaga, Heffernan, Leiserson and Kalai 2019, What are the Biases in My Word Embedding?
(doi:10.1145/3306618.3314270). Names fall into groups, frequent words into categories; each cell of the two has the words of the category
that lean most to the group, and a test against random turns of all words. Says nothing of any single bearer of a name.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy import stats

from stages.contract.params import Name, Section
from stages.probes import frequent_words, generalised, name_groups, name_tables, rotations
from stages.probes.base import Base
from stages.probes.figures import Figure
from stages.probes.frequent_words import Categories
from stages.probes.name_groups import Group
from stages.probes.spaces import Space, Vectors, in_both, stacked, unit

Numbers = NDArray[np.float64]


class Enumeration(Section):
    """The paper's settings; ``included: false`` leaves it out.

    ``names``: a file of stages/probes/names, of which those of at least ``fewest`` people. ``vectors``: the spaces to look at.
    ``least_like_names``: the share of names taken out as words or places, told from as many of the ``frequent`` words. ``groups`` of
    names and ``categories`` of the ``words`` most frequent words; ``each``: words of a cell. ``nearest``: what makes a word a group's;
    ``rotations`` of the null. ``alpha``: the share of false discoveries. ``shown``: names and words that stand for a group or category.
    ``censored``: of slurs and obscene words only the first letter is shown.
    """

    included: bool = True
    names: Name = "first_names"
    fewest: int = Field(default=1000, ge=1)
    vectors: tuple[Literal["static", "alone", "templates"], ...] = ("static", "alone")
    least_like_names: float = Field(default=0.2, ge=0, lt=1)
    frequent: int = Field(default=50_000, ge=1)
    groups: int = Field(default=12, ge=2)
    categories: int = Field(default=64, ge=1)
    words: int = Field(default=30_000, ge=1)
    each: int = Field(default=3, ge=1)
    nearest: rotations.Nearest = "euclid"
    rotations: int = Field(default=10_000, ge=1)
    alpha: float = Field(default=0.05, gt=0, lt=1)
    shown: int = Field(default=5, ge=1)
    censored: bool = True


@dataclass(frozen=True)
class Material:
    """What is compared: groups of names with the means of their unit vectors [groups, dimensions], and categories of words."""

    groups: list[Group]
    centres: Vectors
    categories: Categories
    told: str


@dataclass(frozen=True)
class Found:
    """Of each group and category: ``rows`` of its words, how many it chose from, sigma, p and q (NaN: too few words to choose from), and
    the rotations ``counted`` for p.
    """

    material: Material
    rows: NDArray[np.int64]
    numbers: NDArray[np.int64]
    sigma: Numbers
    p: Numbers
    q: Numbers
    counted: NDArray[np.int64]
    fourtuples: tuple[int, int]


def measure(base: Base, settings: Enumeration, seed: int, threads: int = 1) -> Iterator[tuple[Space, Found | str]]:
    """What is found in each of the base's spaces, or why nothing can be.

    Groups and categories are those of the base before its debiaser, so that the same cells are compared before and after.
    """
    chosen = [pair for pair in zip(base.spaces, base.before, strict=True) if pair[0].name in settings.vectors]
    if not chosen:
        return
    names = name_tables.read(settings.names, settings.fewest)
    for space, before in chosen:
        listed = space.frequent or (frequent_words.whole_words(base.encoder.tokenizer) if base.encoder else ())
        material = gather(space, before, listed, names, settings, seed)
        yield space, material if isinstance(material, str) else enumerated(material, settings, seed, threads)


def gather(
    space: Space, before: Space, listed: Sequence[str], names: name_tables.Names, settings: Enumeration, seed: int
) -> Material | str:
    """Groups of names and categories of the words ``listed``, the most frequent first; or what there is too little of."""
    known, then, now = in_both(space, before, names.names)
    if len(known) < 4 * settings.groups:
        return f"{len(known)} names have a vector, and {4 * settings.groups} are needed for {settings.groups} groups"
    others = _others(before, listed[: settings.frequent], names.names, len(known), seed)
    if not len(others):
        return "no word but names has a vector"
    kept = name_groups.cleaned(then, others, settings.least_like_names)
    held = [known[row] for row in kept]
    groups = name_groups.grouped(held, then[kept], names.traits.loc[held], settings.groups, settings.shown, seed)
    centres = np.stack([now[kept][group.rows].mean(axis=0) for group in groups])
    del then, now, others  # the words' vectors take more than all else, and these a third of it
    candidates, cased = frequent_words.candidates(listed, held)
    words, words_then, words_now = in_both(space, before, candidates[: settings.words])
    needed = settings.categories * settings.each
    if len(words) < needed:
        return f"{len(words)} words have a vector, and {needed} are needed for {settings.categories} categories"
    category = frequent_words.categorised(words_then, settings.categories, seed)
    told = f"{len(names.names) - len(known)} of {len(names.names)} names without a vector, {len(known) - len(held)} less like names"
    told += f"; {len(words)} words" + ("" if cased else ", none with a capital, which would tell places and other names from words")
    return Material(groups, centres, frequent_words.by_category(words, words_now, category), told)


def enumerated(material: Material, settings: Enumeration, seed: int, threads: int = 1) -> Found:
    """The words, score, p and q of each cell; q (Benjamini, Hochberg) over all cells that have words enough."""
    given = material.centres, material.categories
    rows, numbers = rotations.chosen(*given, settings.each, settings.nearest)
    sigma, means = rotations.scores(*given, rows)
    p, counted = rotations.p_values(sigma, *given, settings.each, settings.nearest, settings.rotations, seed, threads)
    q, tested = np.full(p.shape, np.nan), np.isfinite(p)
    q[tested] = stats.false_discovery_control(p[tested]) if tested.any() else []
    return Found(material, rows, numbers, sigma, p, q, counted, generalised.fourtuples(means, q <= settings.alpha))


def figures(found: Found | str, settings: Enumeration) -> Iterator[Figure]:
    """``tests``: cells with words enough, of all; ``significant`` ones, of these; and the share of four-tuples of significant ones that are
    biases without a name (``indirect``), of all four-tuples.
    """
    statistics = ("tests", "significant", "indirect")
    if isinstance(found, str):
        yield from (Figure(settings.names, what, reason=found) for what in statistics)
        return
    tests, (number, indirect) = int(np.isfinite(found.p).sum()), found.fourtuples
    yield Figure(settings.names, "tests", tests, n=found.p.size, lost=found.material.told)
    yield Figure(settings.names, "significant", int((found.q <= settings.alpha).sum()), n=tests)
    reason = None if number else "no two groups have significant words in the same two categories"
    yield Figure(settings.names, "indirect", indirect / number if number else np.nan, n=number, reason=reason)


def _others(space: Space, listed: Sequence[str], names: Sequence[str], number: int, seed: int) -> Vectors:
    """Unit vectors of at most ``number`` of the words ``listed`` that are no names, drawn at random."""
    barred = {name.lower() for name in names}
    free = [word for word in listed if word.lower() not in barred]
    drawn = [free[row] for row in np.random.default_rng(seed).permutation(len(free))[:number]]
    return unit(stacked(row for row in space.rows(drawn).values() if row.any()))
