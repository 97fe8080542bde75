"""People of known groups whose texts are labelled, scored and decided with known rates, and the truth of all that is measured of them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from stages.metrics.scoring import Rules

Numbers = NDArray[np.float64]
RULES = Rules(replicates=500, permutations=499, confidence=0.95, level=0.05, fewest=10, seed=1)
LEANING = 0.5  # the share of a score's variance that all texts of an author have in common
MEANS = ("selection_rate", "tpr", "fpr", "brier", "calibration")  # whose value of everyone is a weighted mean of the groups'
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


@dataclass(frozen=True)
class World:
    """Groups of ``people`` [groups], ``texts`` by each; ``base``, ``tpr``, ``fpr`` [groups] are their true rates.

    All texts of an author have one label. Latent scores are normal with mean m and variance 1, of which authors have LEANING in common;
    a text is selected where its latent score is above 0, so that m = Phi^-1(TPR) or Phi^-1(FPR); a score is Phi(latent score).
    """

    people: NDArray[np.int64]
    texts: int
    base: Numbers
    tpr: Numbers
    fpr: Numbers

    def draw(self, random: np.random.Generator) -> tuple[NDArray[np.int64], pd.DataFrame]:
        """The group of each text, and a frame of author_id, favourable, y_true, y_score and y_pred a text."""
        group = np.repeat(np.arange(len(self.people)), self.people)
        author = np.repeat(np.arange(len(group)), self.texts)
        label = random.random(len(group)) < self.base[group]
        centre = ndtri(np.where(label, self.tpr[group], self.fpr[group])) + np.sqrt(LEANING) * random.normal(size=len(group))
        latent = centre[author] + np.sqrt(1 - LEANING) * random.normal(size=len(author))
        columns = {"author_id": author, "favourable": label[author], "y_true": label[author].astype(float)}
        return group[author], pd.DataFrame(columns | {"y_score": ndtr(latent), "y_pred": (latent > 0).astype(int)})

    @cached_property
    def truth(self) -> dict[str, Numbers]:
        """What holds of each group [groups]: rates, AUCs, Brier score, and calibration = mean score - base rate."""
        centres = ndtri(self.tpr), ndtri(self.fpr)
        apart = ndtr((centres[0][:, None] - centres[1]) / np.sqrt(2))  # favourable texts of a row's group, others of a column's
        mean = [ndtr(centre / np.sqrt(2)) for centre in centres]
        square = [(ndtr(centre[:, None] + NODES) ** 2) @ WEIGHTS / WEIGHTS.sum() for centre in centres]
        return {
            "selection_rate": self._mixed(self.tpr, self.fpr),
            "tpr": self.tpr,
            "fpr": self.fpr,
            "subgroup_auc": np.diag(apart),
            "bpsn_auc": self._background(apart.T, self.base),
            "bnsp_auc": self._background(apart, 1 - self.base),
            "brier": self._mixed(1 - 2 * mean[0] + square[0], square[1]),
            "calibration": self._mixed(mean[0], mean[1]) - self.base,
        }

    @cached_property
    def everyone(self) -> dict[str, float]:
        """The same of all people together, of ``MEANS``."""
        weights = {"tpr": self.people * self.base, "fpr": self.people * (1 - self.base)}
        return {metric: float(np.average(self.truth[metric], weights=weights.get(metric, self.people))) for metric in MEANS}

    def _background(self, auc: Numbers, share: Numbers) -> Numbers:
        weights = self.people * share * ~np.eye(len(self.people), dtype=bool)
        return (auc * weights).sum(axis=1) / weights.sum(axis=1)

    def _mixed(self, favourable: Numbers, others: Numbers) -> Numbers:
        return self.base * favourable + (1 - self.base) * others


def holds(low: Numbers, high: Numbers, truth: Numbers | float) -> Numbers:
    """Whether each interval holds the truth, as 1 or 0; NaN where there is none. An infinite or missing upper end holds everything."""
    inside = (low <= truth + 1e-9) & ~(high < truth - 1e-9)
    return np.where(np.isnan(low), np.nan, inside)
