"""Balanced sampling: every epoch trains on texts drawn so that groups count alike (Han, Baldwin and Cohn 2022)."""

import functools
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from stages.mitigations.groups import Grouped, Groups


class Params(Grouped):
    """What counts alike, and how many texts an epoch draws.

    ``balance`` cells: every group x decision; within_labels: every group among the texts of a decision, whose shares stay; groups:
    every group, whose shares of decisions stay. ``drawn`` same: as many texts as there are, so that training takes as many steps as
    without sampling; down: no text twice; over: every text at least once. A group of few texts limits down and is repeated in over.
    """

    balance: Literal["cells", "within_labels", "groups"] = "cells"
    drawn: Literal["same", "down", "over"] = "same"


def lesson(groups: Groups, favourable: NDArray[np.bool_], train: NDArray[np.int64], params: Params) -> dict[str, Any]:
    """What a fold's lesson gets: the drawing of an epoch's texts from its training texts."""
    group, label = groups.number[train], favourable[train].astype(np.int64)
    numbers = numbers_of(np.bincount(2 * group + label, minlength=2 * groups.count).reshape(-1, 2), params)
    return {"draw": functools.partial(draw, train, 2 * group + label, numbers.reshape(-1))}


def numbers_of(cells: NDArray[np.int64], params: Params) -> NDArray[np.int64]:
    """How many texts of each cell to draw: int64 [groups, 2] from as many as there are; cells without texts stay so.

    A cell's share of the drawing is 1 / cells (cells), P(y) / groups of that decision (within_labels) or P(y | g) / groups (groups);
    the number of all drawn is the count of texts (same), or the least (down) or the most (over) at which a cell is drawn whole.
    """
    held = cells > 0
    if params.balance == "cells":
        share = held / held.sum()
    elif params.balance == "within_labels":
        share = held * cells.sum(0) / (cells.sum() * np.maximum(held.sum(0), 1))
    else:
        share = cells / (np.maximum(cells.sum(1, keepdims=True), 1) * held.any(1).sum())
    whole = cells[held] / share[held]
    drawn = {"same": cells.sum(), "down": whole.min(), "over": whole.max()}[params.drawn]
    return np.where(held, np.maximum(np.rint(drawn * share), 1), 0).astype(np.int64)


def draw(
    train: NDArray[np.int64], cell: NDArray[np.int64], numbers: NDArray[np.int64], generator: np.random.Generator
) -> NDArray[np.int64]:
    """Positions of an epoch's texts, ascending: of each cell so many of ``train``, none once more than another before all were taken."""
    parts = []
    for number, wanted in enumerate(numbers):
        texts = train[cell == number]
        if wanted:
            parts += [texts] * (wanted // len(texts)) + [generator.permutation(texts)[: wanted % len(texts)]]
    return np.sort(np.concatenate(parts))
