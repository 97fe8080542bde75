"""Do words that leaned to a gender before debiasing still stand together after it, though they lean no more?

Gonen and Goldberg 2019, Lipstick on a Pig (doi:10.18653/v1/N19-1061): a debiaser that only turns words away from she - he leaves
everything by which they can be told apart. Which words leaned is found in the base before its debiaser.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy import stats
from sklearn.cluster import KMeans
from sklearn.svm import SVC

from stages.contract.params import Section
from stages.probes.base import Base
from stages.probes.figures import Figure, middle, p_value
from stages.probes.spaces import Space, Vectors, in_both, stacked, unit
from stages.probes.word_sets import WordSets

GENDERED = Path(__file__).parents[1] / "lexicons" / "gender_pairs.tsv"
NAME, POLES, FEWEST = "gender", ("she", "he"), 40
STATISTICS = ("direct_bias", "cluster_accuracy", "classification_accuracy", "neighbour_correlation")
Numbers = NDArray[np.float64]


class Params(Section):
    """The paper's settings: of the ``frequent`` most frequent words the ``clustered`` and the ``classified`` most feminine and most
    masculine ones, of which a fifth trains the classifier; ``neighbours`` of each. An encoder has no list of words: those of the word
    sets are taken, and of fewer than four times as many words no more than a quarter for each side.
    """

    frequent: int = Field(default=50_000, ge=100)
    clustered: int = Field(default=500, ge=10)
    classified: int = Field(default=2500, ge=10)
    neighbours: int = Field(default=100, ge=1)
    permutations: int = Field(default=1000, ge=100)
    confidence: float = Field(default=0.95, gt=0, lt=1)


@dataclass(frozen=True)
class Leaning:
    """The ``lean`` of words before debiasing [words] and ``after``, their unit vectors; ``order``: their rows, the most masculine first."""

    lean: Numbers
    after: Vectors
    order: NDArray[np.int64]

    def extreme(self, number: int) -> tuple[Vectors, Numbers, NDArray[np.bool_]]:
        """The ``number`` most masculine and most feminine words (at most a quarter each): vectors, leans, and whether feminine."""
        each = min(number, len(self.lean) // 4)
        rows = self.order[np.r_[:each, len(self.lean) - each : len(self.lean)]]
        return self.after[rows], self.lean[rows], np.arange(2 * each) >= each


def measure(base: Base, words: WordSets, params: Params, seed: int) -> Iterator[tuple[Space, Figure]]:
    """Direct bias, and what clustering, a classifier and the neighbours still tell, in each of the base's spaces."""
    for space, before in zip(base.spaces, base.before, strict=True):
        for figure in figures(space, before, candidates(space, words, params), params, seed):
            yield space, figure


def candidates(space: Space, words: WordSets, params: Params) -> list[str]:
    """Lower-case words of letters alone, without those that are gendered by definition."""
    gendered = set(GENDERED.read_text(encoding="utf-8").split())
    listed = space.frequent[: params.frequent] or words.of(words.sets)
    return [word for word in dict.fromkeys(listed) if word.isalpha() and word.islower() and word not in gendered]


def figures(space: Space, before: Space, listed: Sequence[str], params: Params, seed: int) -> Iterator[Figure]:
    """The four statistics of the listed words that both bases know."""
    held = [one.rows(POLES) for one in (before, space)]
    poles = [np.subtract(*stacked(rows[word] for word in POLES)) for rows in held if set(POLES) <= set(rows)]
    if len(poles) < 2 or not all(pole.any() for pole in poles):
        reason = f"{' or '.join(POLES)} has no vector, or both have the same, so that there is no direction"
        yield from (Figure(NAME, what, reason=reason) for what in STATISTICS)
        return
    known, then, after = in_both(space, before, listed)
    if len(known) < FEWEST:
        yield from (Figure(NAME, what, reason=f"{len(known)} words to tell apart, and {FEWEST} are needed") for what in STATISTICS)
        return
    lean = then @ unit(poles[0])
    del then
    yield direct_bias(after @ unit(poles[1]), params.confidence)
    leaning = Leaning(lean, after, np.argsort(lean, kind="stable"))
    yield cluster_accuracy(leaning, params, seed)
    yield classification_accuracy(leaning, params, seed)
    yield neighbour_correlation(leaning, params, seed)


def direct_bias(cosines: Numbers, confidence: float) -> Figure:
    """Mean |cos(w, she - he)| after debiasing, in [0, 1]; 0: no word leans (Bolukbasi et al. 2016, their c = 1)."""
    value, number = float(np.abs(cosines).mean()), len(cosines)
    reach = float(stats.norm.isf((1 - confidence) / 2) * np.std(np.abs(cosines), ddof=1) / np.sqrt(number))
    return Figure(NAME, "direct_bias", value, (value - reach, value + reach), n=number)


def cluster_accuracy(leaning: Leaning, params: Params, seed: int) -> Figure:
    """The share of words that two clusters (k-means) put with their own gender, in [1/2, 1]; what chance gives is the null.

    Given the clusters' sizes, as many words of each gender fall into one by chance as a hypergeometric distribution says.
    """
    vectors, _, feminine = leaning.extreme(params.clustered)
    cluster = KMeans(2, n_init=10, random_state=seed).fit_predict(vectors) == 1
    half, number = len(feminine) // 2, int(cluster.sum())
    possible = np.arange(max(0, number - half), min(half, number) + 1)
    chances = stats.hypergeom.pmf(possible, 2 * half, half, number)
    agreeing = np.maximum(2 * possible + half - number, half + number - 2 * possible)
    observed = max(int((cluster == feminine).sum()), int((cluster != feminine).sum()))
    order = np.argsort(agreeing)
    ends = np.searchsorted(np.cumsum(chances[order]), [(1 - params.confidence) / 2, (1 + params.confidence) / 2])
    low, high = agreeing[order][np.minimum(ends, len(order) - 1)] / (2 * half)
    p = float(chances[agreeing >= observed].sum())
    ci = _wilson(observed, 2 * half, params.confidence)
    return Figure(NAME, "cluster_accuracy", observed / (2 * half), ci, (float(low), float(high)), min(p, 1.0), 2 * half)


def classification_accuracy(leaning: Leaning, params: Params, seed: int) -> Figure:
    """The share of words whose gender a support vector machine (RBF kernel), fitted on a fifth of them, tells of the rest; chance: 1/2."""
    vectors, _, feminine = leaning.extreme(params.classified)
    generator, half = np.random.default_rng(seed), len(feminine) // 2
    first = np.concatenate([side * half + generator.permutation(half)[: half // 5] for side in (0, 1)])
    rest = np.setdiff1d(np.arange(2 * half), first)
    told = SVC().fit(vectors[first], feminine[first]).predict(vectors[rest])
    right, number = int((told == feminine[rest]).sum()), len(rest)
    low, high = stats.binom.interval(params.confidence, number, 0.5)
    p = float(stats.binom.sf(right - 1, number, 0.5))
    ci = _wilson(right, number, params.confidence)
    return Figure(NAME, "classification_accuracy", right / number, ci, (low / number, high / number), p, number)


def neighbour_correlation(leaning: Leaning, params: Params, seed: int) -> Figure:
    """Pearson's correlation over words of the lean before with the share of feminine ones among the nearest words after; 0: nothing left.

    The interval draws words anew, the null deals leans anew among the words.
    """
    vectors, lean, feminine = leaning.extreme(params.clustered)
    number, nearest = len(lean), min(params.neighbours, len(lean) // 5)
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -np.inf)
    rows = np.argpartition(-cosines, nearest, axis=1)[:, :nearest]
    shares, generator = feminine[rows].mean(axis=1), np.random.default_rng(seed)
    value = _pearson(shares, lean)
    if np.isnan(value):
        return Figure(NAME, "neighbour_correlation", n=number, reason="every word has as many feminine neighbours as every other")
    drawn = (generator.integers(number, size=number) for _ in range(params.permutations))
    ci = middle(np.array([_pearson(shares[again], lean[again]) for again in drawn]), params.confidence)
    dealt = (generator.permutation(number) for _ in range(params.permutations))
    null = np.array([_pearson(feminine[again][rows].mean(axis=1), lean[again]) for again in dealt])
    return Figure(NAME, "neighbour_correlation", value, ci, middle(null, params.confidence), p_value(null, value), number)


def _pearson(one: Numbers, other: Numbers) -> float:
    one, other = one - one.mean(), other - other.mean()
    return float(one @ other / np.sqrt((one @ one) * (other @ other))) if one.any() and other.any() else np.nan


def _wilson(hits: int, number: int, confidence: float) -> tuple[float, float]:
    found = stats.binomtest(hits, number).proportion_ci(confidence, method="wilson")
    return float(found.low), float(found.high)
