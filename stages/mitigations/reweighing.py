"""Reweighing: texts weigh in training what makes group and decision independent (Kamiran and Calders 2012)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.mitigations.groups import Grouped, Groups


class Params(Grouped):
    """Weights have no settings but the groups."""


def lesson(groups: Groups, favourable: NDArray[np.bool_], train: NDArray[np.int64], params: Params) -> dict[str, Any]:  # noqa: ARG001
    """What a fold's lesson gets: the weights of its training texts; 1 for all others."""
    weights = np.ones(len(favourable), dtype=np.float32)
    weights[train] = weights_of(groups.number[train], favourable[train])
    return {"weights": weights}


def weights_of(group: NDArray[np.int64], favourable: NDArray[np.bool_]) -> NDArray[np.float64]:
    """What each text weighs: w(g, y) = P(g) P(y) / P(g, y), then scaled to a mean of 1.

    Parity: exactly 1 for every text where group and decision are independent in the counts. A group met with one decision only
    keeps it: there is no text of the empty cell to weigh, and scaling makes up for what the cell would have weighed.
    Kamiran and Calders 2012, Data preprocessing techniques for classification without discrimination, section 5.2.
    """
    label = favourable.astype(np.int64)
    cell = np.bincount(2 * group + label, minlength=2 * (group.max() + 1)).reshape(-1, 2)
    # Products of counts are whole numbers, so that independence gives 1 and not nearly 1.
    weights = (cell.sum(1)[group] * cell.sum(0)[label]) / (cell[group, label] * len(group))
    return weights / weights.mean()
