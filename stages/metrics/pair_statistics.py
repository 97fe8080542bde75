"""How far the gaps between the protected and the privileged group of each set are from parity, in standard errors of their own authors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stages.metrics.contingency import FAVOURABLE, PRODUCTS, SELECTED, TEXTS, TRUE_SELECTED
from stages.metrics.effective_sizes import Clustered, design_effect, intraclass_correlation
from stages.metrics.fairness import Sums, ratio

# Numerator, denominator, and what is counted in both.
RATIOS = {
    "di": (SELECTED, TEXTS, SELECTED),
    "di_star": (FAVOURABLE, TEXTS, FAVOURABLE),
    "adi": (SELECTED, FAVOURABLE, TRUE_SELECTED),
    "fv": (TRUE_SELECTED, FAVOURABLE, TRUE_SELECTED),
}


@dataclass(frozen=True)
class PairStatistic:
    """The statistic of one gap, for the data and for permutations alike; larger is further from parity.

    ``everyone`` [12] are everyone's sums (``Contingency.clustered``), ``people`` [sets, 2] the authors of the protected and of the
    privileged group of each set that have a text in the denominator, ``all_people`` those of everyone.
    """

    metric: str
    everyone: NDArray[np.float64]
    people: NDArray[np.float64]
    all_people: float

    def of(self, sums: Sums) -> Sums:
        """[..., sets] of sums [..., 1 + 2 x sets, 12]; NaN where undefined.

        di, di_star, adi: |a1 / b1 - a2 / b2| of the two ratios whose quotient the gap is, over its standard error were both the pooled
        R = (a1 + a2) / (b1 + b2): that is the root of the sum over sides of d (a - 2 R h + R^2 b) / b^2, with h the texts counted in both
        a and b, and d the side's design effect. Studentised, so that the permutation test holds for equal ratios and not only for
        outcomes alike in all (Chung and Romano 2013); pooled, so that a group of which nobody is selected stands out (on the
        logarithmic scale it hardly does). Half a text at R is added to each side.
        fv: the larger of the two sides' |TPR - everyone's TPR| over its standard error, times the root of 1 / people - 1 / all people
        relative to the larger of these: a small group deviates further by chance, and so counts for more, as it does in FV itself.
        """
        sides = np.stack([sums[..., 1::2, :], sums[..., 2::2, :]], axis=-2)
        return self._violation(sides) if self.metric == "fv" else self._apart(sides)

    def _apart(self, sides: Sums) -> Sums:
        above, below, both = (sides[..., column] for column in RATIOS[self.metric])
        pooled = ratio(above.sum(axis=-1), below.sum(axis=-1))[..., None]
        a, b, h = above + pooled / 2, below + 0.5, both + np.minimum(pooled, 1) / 2
        effect = np.nan_to_num(self._effect(sides, self.people), nan=1.0)  # a side without a denominator: the half texts alone
        variance = (effect * (a - 2 * pooled * h + pooled**2 * b) / b**2).sum(axis=-1)
        apart = np.abs(np.diff(a / b, axis=-1))[..., 0]
        return np.where(np.isnan(pooled[..., 0]), np.nan, np.nan_to_num(ratio(apart, np.sqrt(np.maximum(variance, 0)))))

    def _violation(self, sides: Sums) -> Sums:
        rest = self.everyone - sides
        effects = self._effect(sides, self.people), self._effect(rest, self.all_people - self.people)
        own, others = sides[..., FAVOURABLE], rest[..., FAVOURABLE]
        share = ratio(own, self.everyone[FAVOURABLE])
        variance = self._variance(self.everyone) * (1 - share) ** 2 * (ratio(effects[0], own) + ratio(effects[1], others))
        tpr, of_all = ratio(sides[..., TRUE_SELECTED], own), ratio(self.everyone[TRUE_SELECTED], self.everyone[FAVOURABLE])
        by_chance = np.sqrt(np.maximum(ratio(np.ones_like(self.people), self.people) - 1 / max(self.all_people, 1), 0))
        relative = ratio(by_chance, by_chance.max(axis=-1, keepdims=True, initial=0))
        return (ratio(np.abs(tpr - of_all), np.sqrt(variance)) * relative).max(axis=-1)

    def _effect(self, sums: Sums, people: Sums) -> Sums:
        """The design effect of each group [...] of sums [..., 12]."""
        below = sums[..., RATIOS[self.metric][1]]
        within = self._variance(sums) * ratio(below, below - 1)
        return design_effect(self._clustered(sums), within, self._variance(self.everyone), self._alike, people)

    @property
    def _alike(self) -> Sums:
        return intraclass_correlation(self._clustered(self.everyone), self._variance(self.everyone))

    def _clustered(self, sums: Sums) -> Clustered:
        above, below, _ = RATIOS[self.metric]
        squares, products, text_squares = (sums[..., 4 + PRODUCTS.index(pair)] for pair in ((above, above), (above, below), (below, below)))
        return Clustered(sums[..., above], sums[..., below], squares, products, text_squares)

    def _variance(self, sums: Sums) -> Sums:
        """The variance [...] of one text of the denominator about the groups' own ratios: (a - 2 r h + r^2 b) / b."""
        above, below, both = (sums[..., column] for column in RATIOS[self.metric])
        value = ratio(above, below)
        return np.maximum(ratio(above - 2 * value * both + value**2 * below, below), 0)
