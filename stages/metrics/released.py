"""What released counts tell about a released DI: its interval, its test, what chance shows, and what the number is worth in words.

A table of counts has a row an attribute set of a run: texts and selected (everyone), n_protected, selected_protected,
n_privileged, selected_privileged. Label counts were not released, so ADI has no interval and no test here: of DI* = DI / ADI only the
point is known. Counts are taken as one text an author.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from stages.contract.vocabulary import COLLAPSED
from stages.metrics import testing
from stages.metrics.fairness import ratio
from stages.metrics.intervals import Interval, log_ratio_interval

PROTECTED, PRIVILEGED = ("n_protected", "selected_protected"), ("n_privileged", "selected_privileged")
COUNTS = ("texts", "selected", *PROTECTED, *PRIVILEGED)
NOT_RECOVERED, EMPTY, SMOOTHING = "counts not recovered", "empty group", "smoothing"
FINDINGS = (EMPTY, COLLAPSED, SMOOTHING, testing.DISPARITY, testing.NO_EVIDENCE, testing.CANNOT_TELL, NOT_RECOVERED)
Numbers = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True)
class Bounds:
    """Where the words begin; see ``finding``."""

    four_fifths: tuple[float, float] = (0.8, 1.25)
    collapsed: float = 0.02
    smoothed: float = 0.1
    negligible: float = 0.01
    fewest: int = 10
    level: float = 0.05


def impact(counts: pd.DataFrame, smoothing: float = 0) -> Numbers:
    """DI = selection rate of the protected over that of the privileged group, in [0, inf), parity 1; NaN where undefined.

    ``smoothing`` a: each rate is (k + a) / (n + 2 a). The released numbers have a = 1.
    """
    rates = [ratio(*(counts[name].to_numpy(float) + add for name, add in ((k, smoothing), (n, 2 * smoothing)))) for n, k in _sides()]
    return ratio(rates[0], rates[1])


def violation(counts: pd.DataFrame) -> Numbers:
    """The released FV: |(k0 + 1) / (n0 + 2) - (K + 1) / (N + 2)|, in [0, 1], parity 0."""
    hits, texts, selected, everyone = (counts[name].to_numpy(float) for name in ("selected_protected", "n_protected", "selected", "texts"))
    return np.abs((hits + 1) / (texts + 2) - (selected + 1) / (everyone + 2))


def reason(counts: pd.Series) -> str | None:
    """Why the DI of a row is undefined, None where it is defined."""
    for (size, hits), name in zip(_sides(), ("protected", "privileged"), strict=True):
        if counts[size] == 0:
            return f"no text in the {name} group"
        if name == "privileged" and counts[hits] == 0:
            return "nobody in the privileged group is selected"
    return None


def interval(counts: pd.Series, confidence: float) -> Interval:
    """The interval of an unsmoothed DI that evaluate gives, for one text an author; NaN with its reason where DI is undefined."""
    undefined = reason(counts)
    if undefined:
        return np.nan, np.nan, undefined
    kinds = np.array([count for size, hits in _sides() for count in (counts[hits], counts[size] - counts[hits])], dtype=float)
    sides = [
        (np.array(selected, dtype=float), np.array(texts, dtype=float))
        for selected, texts in (([1, 0, 0, 0], [1, 1, 0, 0]), ([0, 0, 1, 0], [0, 0, 1, 1]))
    ]
    return log_ratio_interval((sides[0], sides[1]), kinds, confidence, nested=True)


def katz_interval(counts: pd.DataFrame, confidence: float) -> tuple[Numbers, Numbers]:
    """Katz's interval exp(log DI +- z sqrt(1/k0 - 1/n0 + 1/k1 - 1/n1)) (Katz et al. 1978); NaN where nobody of a group is selected."""
    di = impact(counts)
    known = np.isfinite(di) & (di > 0)
    k0, n0, k1, n1 = (np.where(known, counts[name], 1.0) for size, hits in _sides() for name in (hits, size))
    reach = np.exp(stats.norm.ppf((1 + confidence) / 2) * np.sqrt(1 / k0 - 1 / n0 + 1 / k1 - 1 / n1))
    return np.where(known, di / reach, np.nan), np.where(known, di * reach, np.nan)


def fisher_p(counts: pd.DataFrame) -> Numbers:
    """Fisher's exact two-sided p for equal selection rates of the two groups; NaN where a group is empty."""
    tables = zip(*(counts[name] for size, hits in _sides() for name in (hits, size)), strict=True)
    return np.array([stats.fisher_exact([[k0, n0 - k0], [k1, n1 - k1]])[1] if n0 and n1 else np.nan for k0, n0, k1, n1 in tables])


def null_band(counts: pd.DataFrame, draws: int, confidence: float, seed: int) -> tuple[Numbers, Numbers]:
    """Where the released, smoothed DI of groups of these sizes lies when the K positive decisions fall on any of the N texts alike.

    The central ``confidence`` of ``draws`` of (k0, k1) from the multivariate hypergeometric distribution of N, K, n0 and n1.
    """
    texts, selected, n0, n1 = (counts[name].to_numpy(np.int64) for name in ("texts", "selected", "n_protected", "n_privileged"))
    generator = np.random.default_rng(seed)
    ends = []
    for row in zip(texts, selected, n0, n1, strict=True):
        rates = [(hits + 1) / (size + 2) for hits, size in zip(_dealt(generator, draws, *row), row[2:], strict=True)]
        ends.append(np.quantile(rates[0] / rates[1], [(1 - confidence) / 2, (1 + confidence) / 2]))
    low, high = np.array(ends).reshape(-1, 2).T
    return low, high


def _dealt(generator: np.random.Generator, draws: int, texts: int, selected: int, n0: int, n1: int) -> Iterator[Whole]:
    first = generator.hypergeometric(selected, texts - selected, n0, draws)
    yield first
    yield generator.hypergeometric(selected - first, texts - selected - n0 + first, n1)


def of_furthest(p_values: pd.Series, family: list[pd.Series]) -> pd.Series:
    """p for the set furthest from parity of a family, Bonferroni: the number of sets times p, at most 1.

    How sets overlap is not released, so the sharper max T of evaluate cannot be drawn.
    """
    return (p_values * p_values.groupby(family).transform("count")).clip(upper=1)


def within(p_values: pd.Series, family: list[pd.Series]) -> pd.Series:
    """Benjamini-Hochberg q-values within each family; NaN is no member."""
    return p_values.groupby(family).transform(lambda group: testing.benjamini_hochberg(group.to_numpy(float)))


def cut_to(counts: pd.DataFrame, people: pd.Series) -> pd.DataFrame:
    """The counts scaled to so many ``people`` where these are fewer than the texts, rounded: what repeated rows leave at most."""
    share = (people.astype(float) / counts["texts"].astype(float)).clip(upper=1).fillna(1.0)
    return pd.DataFrame({name: (counts[name].astype(float) * share).round().astype(np.int64) for name in COUNTS})


def finding(row: pd.Series, bounds: Bounds) -> str:
    """What a published DI is worth, in the first words that hold.

    *empty group*: the number is smoothing alone. *collapsed model*: less than ``collapsed`` of all texts are selected, so that the
    number is about a ratio of group sizes. *smoothing*: it changes DI by more than ``smoothed``, or moves it over parity or an end of
    ``four_fifths`` by more than ``negligible``. Else evaluate's verdict on the unsmoothed DI by q_value.
    """
    if min(row["n_protected"], row["n_privileged"]) == 0:
        return EMPTY
    if row["selected"] < bounds.collapsed * row["texts"]:
        return COLLAPSED
    if smoothing_decides(row["published_di"], row["di"], bounds):
        return SMOOTHING
    people, ends = min(row["n_protected"], row["n_privileged"]), (row["ci_low"], row["ci_high"])
    return str(testing.verdicts(row["q_value"], people, bounds.fewest, bounds.level, *ends, parity=1.0))


def smoothing_decides(published: float, di: float, bounds: Bounds) -> bool:
    """Whether smoothing made the number what it is; it did where there is none without."""
    if not di > 0:
        return True
    change = abs(published / di - 1)
    moved = any((published < edge) != (di < edge) for edge in (*bounds.four_fifths, 1.0))
    return change > bounds.smoothed or (moved and change > bounds.negligible)


def _sides() -> tuple[tuple[str, str], tuple[str, str]]:
    return PROTECTED, PRIVILEGED
