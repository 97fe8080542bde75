"""What outputs promise and what is observed, bin by bin, of everyone and of groups: the points of a calibration chart."""

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from scipy import stats

from stages.metrics.comparisons import Bounded, wilson
from stages.metrics.fairness import add_up
from stages.metrics.moments import Moments, moments
from stages.metrics.shown_groups import Panel

Vector = NDArray[np.float64]
# Ten bins, or as many as leave ten texts to each.
BINS, TEXTS_EACH = 10, 10
SCHEMA = pa.schema(
    [
        ("attributes", pa.string()),
        ("group", pa.string()),
        ("bin", pa.int64()),
        ("n", pa.int64()),
        ("mean_output", pa.float64()),
        ("observed", pa.float64()),
        ("ci_low", pa.float64()),
        ("ci_high", pa.float64()),
        ("left_out", pa.int64()),
    ]
)


def calibration_curves(frame: pd.DataFrame, panels: list[Panel], confidence: float) -> pa.Table:
    """One row a bin of a group: mean output, and the mean label observed there with an interval; calibrated where the two are equal.

    ``frame`` has y_true, y_score a text, and author_id numbered from 0. Bins hold equally many texts of the group, up to ties (see
    ``bins_of``). Shares have Wilson's interval for as many independent texts as the bin's authors are worth, other means Student's
    with the texts of an author together, NaN where nothing varies. ``n`` [texts]; ``left_out``: groups of a panel with too few texts.
    """
    true, score, author = (frame[name].to_numpy() for name in ("y_true", "y_score", "author_id"))
    observed = Observed(true.astype(float), author, confidence)
    parts = []
    for panel in panels:
        for name, rows in panel.groups.items():
            bins = bins_of(score[rows])
            n = np.bincount(bins)
            values = {"mean_output": np.bincount(bins, score[rows]) / n, **observed.means(rows, bins)._asdict()}
            points = pd.DataFrame(values).rename(columns={"value": "observed", "low": "ci_low", "high": "ci_high"}).round(6)
            parts.append(points.assign(attributes=panel.attributes, group=name, bin=np.arange(len(n)), n=n, left_out=panel.left_out))
    return pa.Table.from_pandas(pd.concat(parts), schema=SCHEMA, preserve_index=False)


def bins_of(score: Vector) -> NDArray[np.int64]:
    """The bin [texts] of each score: equally many texts in each, numbered from 0, none of them empty; equal scores share theirs."""
    number = max(1, min(BINS, len(score) // TEXTS_EACH))
    _, place, times = np.unique(score, return_inverse=True, return_counts=True)
    middle = np.cumsum(times) - times / 2
    return np.unique((number * middle / len(score)).astype(np.int64), return_inverse=True)[1][place]


class Observed:
    """Mean labels [bins] with intervals; two texts of a person are as alike in a bin as among everyone."""

    def __init__(self, true: Vector, author: NDArray[np.int64], confidence: float) -> None:
        self.true, self.author, self.confidence = true, author, confidence
        self.shares = bool(np.isin(true, (0, 1)).all())
        everyone = self._moments(np.arange(len(true)), np.zeros(len(true), dtype=np.int64))
        self.alike = everyone.alike(np.array([true.var()])) if self.shares else 0.0

    def means(self, rows: NDArray[np.int64], bins: NDArray[np.int64]) -> Bounded:
        own = self._moments(rows, bins)
        if self.shares:
            return wilson(own.value(), own.worth(self.alike), self.confidence)
        variance = own.variance()
        t = stats.t.ppf((1 + self.confidence) / 2, np.maximum(own.effective() - 1, 1))
        reach = t * np.sqrt(np.where(variance > 0, variance, np.nan))
        return Bounded(own.value(), own.value() - reach, own.value() + reach)

    def _moments(self, rows: NDArray[np.int64], bins: NDArray[np.int64]) -> Moments:
        """Of the people of each bin, from ``rows`` of the frame and the bin of each."""
        number = int(bins.max()) + 1
        person, keys = pd.factorize(self.author[rows] * number + bins)
        hits, texts = (add_up(person, part, len(keys)) for part in (self.true[rows], np.ones(len(rows))))
        return moments(hits, texts, keys % number, number)
