"""How well scores tell favourable sentences from unfavourable ones within a group and across it, with the spread over templates."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Flags = NDArray[np.bool_]
Found = tuple[float, float, float, str | None]


@dataclass(frozen=True)
class Ranks:
    """Sentences of one challenge: ``score``, ``favourable`` (their template's label), ``template`` [sentences] numbered from 0."""

    score: Vector
    favourable: Flags
    template: NDArray[np.int64]

    def aucs(self, group: Flags, confidence: float) -> dict[str, Found]:
        """Each AUC of ``group`` [sentences] with an interval or, instead, the reason why there is none.

        AUC = P(score of a favourable sentence > of an unfavourable one) + half of P(equal). subgroup_auc: within the group; bpsn_auc:
        favourable sentences of the background (all others) and unfavourable ones of the group; bnsp_auc: the other way about. All in
        [0, 1], 1 is perfect, 1/2 chance (Dixon et al. 2018, Borkan et al. 2019). The interval is the jackknife's over templates.
        """
        sides = [group & self.favourable, group & ~self.favourable]
        within = self._below(sides[0], self._ordered(sides[1]))
        below = self._below(sides[0], self._ordered(~self.favourable)) - within
        above = self._numbers(sides[1], self.favourable) - self._below(sides[1], self._ordered(self.favourable))
        above -= self._numbers(sides[1], sides[0]) - self._below(sides[1], self._ordered(sides[0]))
        pairs = {
            "subgroup_auc": (within, self._numbers(*sides)),
            "bpsn_auc": (above, self._numbers(sides[1], self.favourable & ~group)),
            "bnsp_auc": (below, self._numbers(sides[0], ~self.favourable & ~group)),
        }
        return {name: share_interval(wins, numbers, confidence) for name, (wins, numbers) in pairs.items()}

    @property
    def _templates(self) -> int:
        return int(self.template.max()) + 1

    def _ordered(self, chosen: Flags) -> list[Vector]:
        """Scores of the chosen sentences by template, in ascending order."""
        return [np.sort(self.score[chosen & (self.template == template)]) for template in range(self._templates)]

    def _below(self, chosen: Flags, ordered: list[Vector]) -> Matrix:
        """Pairs [templates, templates] of a chosen sentence (rows) and one of ``ordered`` (columns) with a lower score; ties are half."""
        found = np.zeros((self._templates, self._templates))
        for column, scores in enumerate(ordered):
            ends = [np.searchsorted(scores, self.score[chosen], side) for side in ("left", "right")]
            found[:, column] = np.bincount(self.template[chosen], sum(ends) / 2, minlength=self._templates)
        return found

    def _numbers(self, rows: Flags, columns: Flags) -> Matrix:
        counts = [np.bincount(self.template[chosen], minlength=self._templates).astype(float) for chosen in (rows, columns)]
        return np.outer(*counts)


def share_interval(wins: Matrix, numbers: Matrix, confidence: float) -> Found:
    """sum of ``wins`` / sum of ``numbers`` [templates, templates], the ends of its interval, and the reason where one is missing.

    Each template is left out in turn, as row and as column; variance (G - 1) / G sum (value - mean)^2, Student's t with G - 1.
    """
    if not numbers.sum():
        return np.nan, np.nan, np.nan, "no sentences with one of the two labels to compare"
    value = float(wins.sum() / numbers.sum())
    there = numbers.any(axis=0) | numbers.any(axis=1)
    rest = [matrix.sum() - matrix.sum(axis=0) - matrix.sum(axis=1) + np.diag(matrix) for matrix in (wins, numbers)]
    if (rest[1][there] < 0.5).any():
        return value, np.nan, np.nan, "no interval: one template alone has one of the two labels"
    left_out, number = rest[0][there] / rest[1][there], int(there.sum())
    error = np.sqrt((number - 1) / number * ((left_out - left_out.mean()) ** 2).sum())
    half = error * stats.t.ppf((1 + confidence) / 2, number - 1)
    return value, max(0.0, value - half), min(1.0, value + half), None
