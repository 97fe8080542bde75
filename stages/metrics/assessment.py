"""The seven bias metrics of the ethical assessment of 2021 (Singh et al. 2021, Appendix F), as it compares them: reference - protected.

The paper's positive class is the hateful one, so that its TPR is the share of hateful texts that are found; ours is the favourable one,
whose benefit a Gini coefficient is about. ``positive`` says which is meant. Of the favourable one, each is a metric of groups.parquet
(``FAVOURABLE``), whose "difference to reference" is protected - reference: the same figure with the other sign. Of the unfavourable
one TPR is our TNR, PPV our NPV, statistical parity 1 - selection rate, positive class balance 1 - mean_score_rejected, and treatment
equality changes its sign; the Gini coefficient is another (of benefits 2 - b), which this module alone gives.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput
from stages.metrics import inequality
from stages.metrics.contingency import SELECTED
from stages.metrics.conventions import other_class
from stages.metrics.fairness import Sums, ratio
from stages.metrics.groupwise import rates

Numbers = NDArray[np.float64]
Positive = Literal["favourable", "unfavourable"]
FAVOURABLE = {
    "equal opportunity": "tpr",
    "gini equality": "gini",
    "normalised treatment equality": "treatment_equality",
    "overall accuracy equality": "accuracy",
    "positive predictive value": "ppv",
    "positive class balance": "mean_score_selected",
    "statistical parity": "selection_rate",
}


def assessment2021(groups: Sums, scores: Numbers, reference: int, positive: Positive = "favourable") -> dict[str, Numbers]:
    """The seven differences [groups] of counts ``groups`` [groups, 4] by the paper's names; parity 0, NaN where nobody is counted.

    ``scores`` [groups, 2] are sums of P(favourable) over the texts that are selected and over those that are not. Each is the value of
    group ``reference`` minus that of a group: above 0 the reference has more of it, which for TPR, accuracy and PPV favours the
    reference, and for the Gini coefficient (inequality within) the other. In [-1, 1], treatment equality in [-2, 2]. The paper leaves
    the "FN - FP ratio" open: (FN - FP) / (FN + FP). BadInput: no such reference.
    """
    if not 0 <= reference < len(groups):
        raise BadInput(f"assessment2021: there is no group {reference} among {len(groups)}: name one by its place from 0 on.")
    counts = groups if positive == "favourable" else other_class(groups)
    selected = counts[..., SELECTED]
    sums = scores[:, 0] if positive == "favourable" else selected - scores[:, 1]
    found = {name: value for name, (value, _) in rates(counts).items()}
    own = {
        "tpr": found["tpr"],
        "gini": inequality.gini(counts),
        "treatment_equality": inequality.treatment_equality(counts),
        "accuracy": found["accuracy"],
        "ppv": found["ppv"],
        "mean_score_selected": ratio(sums, selected),
        "selection_rate": found["selection_rate"],
    }
    return {name: own[metric][reference] - own[metric] for name, metric in FAVOURABLE.items()}
