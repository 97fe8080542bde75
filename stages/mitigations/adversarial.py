"""Adversarial removal: a network that tells groups apart by a model's representation, and a model trained to defeat it."""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from stages.contract.bad_input import BadInput
from stages.mitigations.groups import UNKNOWN, Grouped, Groups


class Params(Grouped):
    """Settings of Elazar and Goldberg 2018: one hidden layer of 300 (tanh), its gradient reversed with ``strength`` (their lambda) 1.

    ``given_label``: the adversary is told the decision too, so that a group may differ in its decisions but in nothing beyond them
    (Zhang, Lemoine and Mitchell 2018 for equalised odds). ``learning_rate`` is the adversary's own, the same in all epochs, and ours:
    it has to keep ahead of the model (a planted group that a linear probe finds in 88 % it left at 79 % with 1e-3, at 53 % with 1e-2).
    """

    strength: float = Field(default=1.0, ge=0)
    hidden: int = Field(default=300, ge=1)
    given_label: bool = False
    learning_rate: float = Field(default=1e-2, gt=0)


def lesson(groups: Groups, favourable: NDArray[np.bool_], train: NDArray[np.int64], params: Params) -> dict[str, Any]:
    """What a fold's lesson gets: the adversary, which learns from its training texts of known group.

    The epoch kept is that of lowest validation loss of the task, as without a mitigation; a low adversary's accuracy is no proof
    that another classifier finds no trace of the group (Elazar and Goldberg 2018, section 5). BadInput: only one group is known.
    """
    from stages.mitigations import gradient_reversal

    known = train[groups.known[train]]
    present, codes = np.unique(groups.number[known], return_inverse=True)
    if len(present) < 2:
        raise BadInput(f"its {len(known)} training texts of known group are of {len(present)} group; name other mitigation.attributes.")
    target = np.full(len(favourable), UNKNOWN)
    target[known] = codes
    told = favourable.astype(np.float32) if params.given_label else None
    options = (params.strength, params.hidden, params.learning_rate)
    return {"adversary": functools.partial(gradient_reversal.join, target, told, *options)}
