"""Are neutral words as near to the words of one group of people as to those of another? For gender, religion, ethnicity, names.

AMAE and ARMSE of Singh et al. 2021 with relative norm distance, mean average cosine, embedding coherence and RIPA beside them.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from stages.contract.params import Section
from stages.probes import distances
from stages.probes.base import Base
from stages.probes.figures import Figure, middle, p_value
from stages.probes.spaces import Space, Vectors, gathered, stacked, unit
from stages.probes.word_sets import Groups, WordSets

Numbers = NDArray[np.float64]
# Of two groups rnd is signed; of ect the lower is the worse; mac compares no groups.
STATISTICS: dict[str, Callable[[Numbers, Numbers], Numbers]] = {
    "amae": lambda nearness, _: distances.amae(nearness),
    "armse": lambda nearness, _: distances.armse(nearness),
    "ect": lambda nearness, _: distances.ect(nearness),
    "mac": lambda nearness, _: distances.mac(nearness),
    "rnd": distances.rnd,
}
OVER_GROUPS = ("amae", "armse", "ect", "mac")


class Params(Section):
    """``replicates`` of the bootstrap over neutral words, and of the null: terms dealt anew among the groups."""

    replicates: int = Field(default=1000, ge=100)
    confidence: float = Field(default=0.95, gt=0, lt=1)


def measure(base: Base, words: WordSets, params: Params, seed: int) -> Iterator[tuple[Space, Figure]]:
    """The figures of each set of groups, in each of the base's spaces."""
    for space in base.spaces:
        for name, group in words.groups.items():
            for figure in figures(name, group, space, words, params, seed):
                yield space, figure


def figures(name: str, group: Groups, space: Space, words: WordSets, params: Params, seed: int) -> Iterator[Figure]:
    """AMAE, ARMSE, ECT and MAC over all groups, RND of each pair of them, and RIPA where words are paired."""
    named = {part: words.sets[part] for part in group.of} | {"neutral": tuple(words.of(group.neutral))}
    sets, lost = gathered(space, named)
    few = [part for part, rows in sets.items() if len(rows) < 2]
    if few:
        reason = f"fewer than two words of {' and '.join(few)} have a vector"
        yield from (Figure(name, what, lost=lost, reason=reason) for what in OVER_GROUPS)
        return
    yield from compared(name, OVER_GROUPS, sets["neutral"], [sets[part] for part in group.of], params, seed, lost)
    for one, other in combinations(group.of, 2):
        yield from compared(f"{name}: {one}, {other}", ("rnd",), sets["neutral"], [sets[one], sets[other]], params, seed, lost)
    if group.paired:
        yield paired(name, sets["neutral"], pairs(space, named, group), params, seed, lost)


def compared(
    name: str, statistics: tuple[str, ...], words: Vectors, groups: list[Vectors], params: Params, seed: int, lost: str | None
) -> Iterator[Figure]:
    """Statistics of words [words, dimensions] and groups [terms, dimensions] with bootstrap intervals over words, and the null.

    In the null terms say nothing of their group. p: the share of deals with as large a value (ECT: as small; RND: as far from 0).
    """
    generator = np.random.default_rng(seed)
    terms, sizes = unit(np.concatenate(groups)), np.array([len(group) for group in groups])
    cosines, among = unit(words) @ terms.T, terms @ terms.T
    shares = np.repeat(np.diag(1 / sizes), sizes, axis=0)
    dealt = shares[np.array([generator.permutation(len(terms)) for _ in range(params.replicates)])]
    drawn = (cosines @ shares)[generator.integers(len(words), size=(params.replicates, len(words)))]
    lengths = [np.sqrt(np.einsum("...tg,...tg->...g", among @ part, part)) for part in (shares, dealt)]
    for what in statistics:
        statistic = STATISTICS[what]
        value = float(statistic(cosines @ shares, lengths[0]))
        if np.isnan(value):
            yield Figure(name, what, n=len(words), lost=lost, reason="all words are equally near to a group, so that they have no order")
            continue
        ci = middle(statistic(drawn, lengths[0]), params.confidence)
        if what == "mac":
            yield Figure(name, what, value, ci, n=len(words), lost=lost)
            continue
        null = statistic(cosines @ dealt, lengths[1])
        further = {"ect": (-null, -value), "rnd": (np.abs(null), abs(value))}.get(what, (null, value))
        yield Figure(name, what, value, ci, middle(null, params.confidence), p_value(*further), len(words), lost)


def paired(name: str, neutral: Vectors, both: tuple[Vectors, Vectors], params: Params, seed: int, lost: str | None) -> Figure:
    """The mean over neutral words of |mean over pairs of RIPA|, 0 at parity; the null turns pairs around at random."""
    first, second = both
    if not len(first):
        return Figure(name, "ripa", lost=lost, reason="no pair of words has two vectors that differ")
    generator, each = np.random.default_rng(seed), distances.ripa(neutral, first, second)
    leans = np.abs(each.mean(axis=1))
    turned = generator.choice([-1.0, 1.0], size=(len(first), params.replicates))
    null = np.abs(each @ turned / len(first)).mean(axis=0)
    ci = middle(leans[generator.integers(len(neutral), size=(params.replicates, len(neutral)))].mean(axis=1), params.confidence)
    value = float(leans.mean())
    return Figure(name, "ripa", value, ci, middle(null, params.confidence), p_value(null, value), len(neutral), lost)


def pairs(space: Space, named: Mapping[str, tuple[str, ...]], group: Groups) -> tuple[Vectors, Vectors]:
    """The vectors of the pairs (of the first two groups) both of whose words have one, and not the same."""
    one, other = (named[part] for part in group.of[:2])
    known = space.rows({*one, *other})
    kept = [pair for pair in zip(one, other, strict=True) if set(pair) <= set(known) and (known[pair[0]] != known[pair[1]]).any()]
    return stacked(known[word] for word, _ in kept), stacked(known[word] for _, word in kept)
