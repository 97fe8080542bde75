"""How far gaps are from parity, in the data and in resamples that all tasks and models share: people drawn, swapped, dealt anew."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stages.metrics.contingency import SELECTED, TEXTS
from stages.metrics.fairness import Sums, counts, gaps, ratio
from stages.metrics.panel import Panel, by_model

Numbers = NDArray[np.float64]
METRICS = ("di", "adi", "fv", "tpr")
RATIOS = 2  # the first two
CHUNK_BYTES = 64_000_000
HALF = np.array([1, 0.5, 0.5, 0.5])  # a text, half of it favourable and selected


class Resampled(NamedTuple):
    """Group sums of one task [models, groups, 4] and distances: ``point`` [models, sets, metrics], ``drawn`` and ``dealt`` of each draw.

    ``point`` is NaN of a collapsed model, whose decisions tell no groups apart: what rests on it is undefined.

    ``swapped`` [draws, pairs, sets, metrics]: by how much the distances of a pair's two models differ once they have swapped their
    decisions on half of the people.
    """

    panel: Panel
    sums: Sums
    point: Numbers
    drawn: Numbers
    swapped: Numbers
    dealt: Numbers


def values(sums: Sums) -> Numbers:
    """di, adi, fv as in ``fairness.gaps`` and tpr = TPR_protected - TPR_privileged [..., sets, 4] from group sums [..., groups, 4]."""
    protected, privileged = sums[..., 1::2, :], sums[..., 2::2, :]
    found = gaps(protected, privileged, sums[..., :1, :], "crossbias")
    tpr = [ratio(*counts(group, "tpr")) for group in (protected, privileged)]
    return np.stack([found["di"], found["adi"], found["fv"], tpr[0] - tpr[1]], axis=-1)


def distances(sums: Sums) -> Numbers:
    """|log di|, |log adi|, fv, |tpr| [..., sets, 4]: 0 at parity, the larger the further, NaN where undefined.

    A ratio of 0 has no logarithm: where nobody protected is selected, half a text is added to the counts of both groups.
    """
    found = values(sums)
    ratios = found[..., :RATIOS]
    if (ratios == 0).any():
        ratios = np.where(ratios == 0, values(sums + HALF)[..., :RATIOS], ratios)
    return np.abs(np.concatenate([np.log(ratios), found[..., RATIOS:]], axis=-1))


def collapsed(sums: Sums) -> NDArray[np.bool_]:
    """Which models [models] select every text, or none, from group sums [models, groups, 4], everyone first."""
    everyone = sums[:, 0]
    return (everyone[:, SELECTED] == 0) | (everyone[:, SELECTED] == everyone[:, TEXTS])


def resample(panels: list[Panel], pairs: list[tuple[int, int]], draws: int, seed: int | tuple[int, int]) -> list[Resampled]:
    """The tasks of one source of people, resampled together: who is drawn, swapped or moved is so in all tasks and models.

    drawn: the bootstrap, authors with replacement. swapped: the two models of each pair exchange all decisions on an author's texts
    with probability 1/2. dealt: the size-matched null, demographics dealt anew among people; for fv and tpr among those with a
    favourable text, so that a group's own denominator stays. Each takes ``draws`` and its own stream of random numbers.
    """
    authors = len(panels[0].people)
    streams = np.random.SeedSequence(seed).spawn(3)
    drawn: list[list[Numbers]] = [[] for _ in panels]
    swapped: list[list[Numbers]] = [[] for _ in panels]
    for times in weights(authors, draws, np.random.default_rng(streams[0])):
        for place, panel in enumerate(panels):
            drawn[place].append(distances(panel.drawn(times[:, panel.owner])))
    for sides in coins(authors, draws, np.random.default_rng(streams[1])):
        for place, panel in enumerate(panels):
            swapped[place].append(_exchanged(panel, sides[:, panel.owner], pairs))
    dealt = _dealt(panels, authors, draws, np.random.default_rng(streams[2]))
    found = []
    for panel, parts, swaps, deals in zip(panels, drawn, swapped, dealt, strict=True):
        point = panel.point()
        observed = np.where(collapsed(point)[:, None, None], np.nan, distances(point))
        found.append(Resampled(panel, point, observed, np.concatenate(parts), np.concatenate(swaps), deals))
    return found


def _exchanged(panel: Panel, coins: Numbers, pairs: list[tuple[int, int]]) -> Numbers:
    if not pairs:
        return np.zeros((len(coins), 0, len(panel.sets), len(METRICS)))
    one, other = panel.swapped(coins, pairs)
    return distances(one) - distances(other)


def _dealt(panels: list[Panel], authors: int, draws: int, random: np.random.Generator) -> list[Numbers]:
    """The distances [draws, models, sets, metrics] of each task under the size-matched null."""
    sums: list[list[tuple[Numbers, Numbers]]] = [[] for _ in panels]
    for _ in range(draws):
        line = random.permutation(authors)
        for of_task, panel in zip(sums, panels, strict=True):
            of_task.append(panel.dealt(line))
    found = []
    for of_task in sums:
        everyone, favourable = (distances(by_model(np.stack(part))) for part in zip(*of_task, strict=True))
        found.append(np.concatenate([everyone[..., :RATIOS], favourable[..., RATIOS:]], axis=-1))
    return found


def weights(authors: int, draws: int, random: np.random.Generator, most: int | None = None) -> Iterator[Numbers]:
    """How often each author is drawn [chunk, authors], at most ``most`` draws a chunk."""
    for number in _chunks(authors, draws, most):
        yield np.stack([np.bincount(random.integers(0, authors, authors), minlength=authors) for _ in range(number)]).astype(float)


def coins(authors: int, draws: int, random: np.random.Generator, most: int | None = None) -> Iterator[Numbers]:
    """Whether each author's two sides are exchanged [chunk, authors], at most ``most`` draws a chunk."""
    for number in _chunks(authors, draws, most):
        yield random.integers(0, 2, (number, authors)).astype(float)


def _chunks(authors: int, draws: int, most: int | None) -> list[int]:
    step = min(max(1, CHUNK_BYTES // (8 * authors)), most or draws)
    return [min(step, draws - start) for start in range(0, draws, step)]
