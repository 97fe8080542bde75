"""Writers of unequal numbers of texts: the groups they are in, how alike their texts are, and the truth of all that an audit measures."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

Whole = NDArray[np.int64]
BASE, TPR, FPR = 0.4, 0.75, 0.2
TRUE_TEXTS = 40_000  # of a population in which shares are as exact as the rounding of so many texts


@dataclass(frozen=True)
class Writers:
    """``groups`` [people, attributes] is the category of each writer, ``texts`` [people] how many they write.

    ``base``, ``tpr``, ``fpr`` are true rates, one for all or [people]; ``alike`` (one or [people]) is the intraclass correlation of what
    lies behind the labels, and of what lies behind the decisions, of one writer's texts. ``noise``: the share of labels that are
    turned round. ``wavering``: the share of writers who state, in half of their texts, the groups of somebody else.

    A text's label is favourable where a normal number with mean Phi^-1(base) is above 0; it is selected where another, with mean
    Phi^-1(TPR) or Phi^-1(FPR), is; its score is Phi of that. Of both the writer has the share ``alike`` of the variance.
    """

    groups: Whole
    texts: Whole
    base: float | NDArray[np.float64] = BASE
    tpr: float | NDArray[np.float64] = TPR
    fpr: float | NDArray[np.float64] = FPR
    alike: float | NDArray[np.float64] = 0.3
    noise: float = 0.0
    wavering: float = 0.0
    names: tuple[str, ...] = ("a", "b", "c")

    def draw(self, random: np.random.Generator) -> pd.DataFrame:
        """One text a row: author_id, favourable, y_true, y_score, y_pred, and of each attribute its status and its value."""
        people = len(self.texts)
        author = np.repeat(np.arange(people), self.texts)
        base, tpr, fpr, alike = (np.broadcast_to(part, people)[author] for part in (self.base, self.tpr, self.fpr, self.alike))
        leaning = random.normal(size=(2, people))[:, author]
        behind = np.sqrt(alike) * leaning + np.sqrt(1 - alike) * random.normal(size=(2, len(author)))
        label = ndtri(base) + behind[0] > 0
        latent = ndtri(np.where(label, tpr, fpr)) + behind[1]
        stated = label ^ (random.random(len(author)) < self.noise)
        other = (random.random(people) < self.wavering)[author] & (random.random(len(author)) < 0.5)
        groups = np.where(other[:, None], self.groups[random.permutation(people)][author], self.groups[author])
        return self._frame(author, groups, stated, latent)

    def population(self) -> pd.DataFrame:
        """As many texts as make all shares exact, one a writer: the normal numbers are midpoints of equally probable parts.

        Groups are as large as their texts' share; where all groups are alike, their sizes do not matter, and they are of one size.
        """
        kinds, first, kind = np.unique(self.groups, axis=0, return_index=True, return_inverse=True)
        rates = np.stack([np.broadcast_to(part, len(self.texts))[first] for part in (self.base, self.tpr, self.fpr)], axis=1)
        shares = np.bincount(kind.ravel(), self.texts) / self.texts.sum()
        if (rates == rates[0]).all():
            shares = np.full(len(kinds), max(1 / len(kinds), 1 / 20))
        parts = []
        for group, share, (base, *selected) in zip(kinds, shares, rates, strict=True):
            for label, stated in ((True, True), (True, False), (False, False), (False, True)):
                mass = (base if label else 1 - base) * (self.noise if label != stated else 1 - self.noise)
                number = round(TRUE_TEXTS * share * mass)
                latent = ndtri(selected[0] if label else selected[1]) + ndtri((np.arange(number) + 0.5) / number) if number else []
                parts.append((np.tile(group, (number, 1)), np.full(number, stated), np.asarray(latent, dtype=float)))
        groups, stated, latent = (np.concatenate(part) for part in zip(*parts, strict=True))
        return self._frame(np.arange(len(stated)), groups, stated, latent)

    def _frame(self, author: Whole, groups: Whole, label: NDArray[np.bool_], latent: NDArray[np.float64]) -> pd.DataFrame:
        columns = {"author_id": author, "favourable": label, "y_true": label.astype(float)}
        frame = pd.DataFrame(columns | {"y_score": ndtr(latent), "y_pred": (latent > 0).astype(np.int64)})
        for name, values in zip(self.names, groups.T, strict=False):
            frame[name] = np.where(values == 0, "protected", "privileged")
            frame[f"{name}_value"] = np.char.mod(f"{name}%d", values)
        return frame
