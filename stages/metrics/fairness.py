"""Rates of groups and gaps between them, from group sums [..., 4]: texts, favourable labels, selected, rightly selected.

Every function takes whole arrays of replicates and gives NaN where a denominator is zero; `reason_for` says which one.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.metrics.contingency import FAVOURABLE, SELECTED, TEXTS

Sums = NDArray[np.float64]
RATES = ("base_rate", "selection_rate", "tpr", "fpr")
# Every rate's numerator and denominator, as multiples of texts, favourable labels, selected and rightly selected.
PARTS = {
    "base_rate": ((0, 1, 0, 0), (1, 0, 0, 0)),
    "selection_rate": ((0, 0, 1, 0), (1, 0, 0, 0)),
    "tpr": ((0, 0, 0, 1), (0, 1, 0, 0)),
    "fpr": ((0, 0, 1, -1), (1, -1, 0, 0)),
    "fnr": ((0, 1, 0, -1), (0, 1, 0, 0)),
    "tnr": ((1, -1, -1, 1), (1, -1, 0, 0)),
    "ppv": ((0, 0, 0, 1), (0, 0, 1, 0)),
    "npv": ((1, -1, -1, 1), (1, 0, -1, 0)),
    "for": ((0, 1, 0, -1), (1, 0, -1, 0)),
    "fdr": ((0, 0, 1, -1), (0, 0, 1, 0)),
    "accuracy": ((1, -1, -1, 2), (1, 0, 0, 0)),
    "error_rate": ((0, 1, 1, -2), (1, 0, 0, 0)),
    "f1": ((0, 0, 0, 2), (0, 1, 1, 0)),
}


def ratio(numerator: Sums, denominator: Sums) -> Sums:
    """numerator / denominator, NaN where the denominator is zero (0/0 and x/0 alike: neither is a measurement)."""
    return np.divide(
        numerator, denominator, out=np.full(np.broadcast(numerator, denominator).shape, np.nan), where=np.asarray(denominator) > 0
    )


def add_up(place: NDArray[np.int64], values: NDArray[Any], places: int) -> Sums:
    """Sums [places] of ``values`` by their ``place``."""
    return np.bincount(place, values, places).astype(float, copy=False)


def counts(sums: Sums, rate: str) -> tuple[Sums, Sums]:
    """Numerator and denominator of a rate of ``PARTS``."""
    above, below = (np.asarray(part, dtype=float) for part in PARTS[rate])
    return sums @ above, sums @ below


def rates(sums: Sums) -> dict[str, tuple[Sums, Sums]]:
    """Each rate in [0, 1] with its own denominator: P(y=1), P(decision=1), TPR = P(decision=1 | y=1), FPR = P(decision=1 | y=0)."""
    return {rate: (ratio(*counts(sums, rate)), counts(sums, rate)[1]) for rate in RATES}


def gaps(protected: Sums, privileged: Sums, everyone: Sums, convention: str) -> dict[str, Sums]:
    """The paper's gaps between the group protected on every attribute of a set and the group privileged on all of them.

    crossbias, as the NAACL 2022 paper describes them (Knowl 4 and 5 of its summary):
      di = P(decision=1 | protected) / P(decision=1 | privileged), in [0, inf), parity 1;
      di_star, the same ratio of the labels; adi = di / di_star, parity 1 (a perfect classifier has adi = 1 whatever its di);
      fv = max over the two groups of |TPR_group - TPR_everyone|, in [0, 1], parity 0.
    naacl2022, as the released notebook computes them: every rate is (k + 1) / (n + 2), and fv = |selection rate of the
      protected group - selection rate of everyone|.
    """
    if convention == "naacl2022":
        selection = [(group[..., SELECTED] + 1) / (group[..., TEXTS] + 2) for group in (protected, privileged, everyone)]
        label = [(group[..., FAVOURABLE] + 1) / (group[..., TEXTS] + 2) for group in (protected, privileged)]
        di, di_star = selection[0] / selection[1], label[0] / label[1]
        return {"di": di, "di_star": di_star, "adi": di / di_star, "fv": np.abs(selection[0] - selection[2])}
    (di, di_star), tpr = _impacts(protected, privileged), [rates(group)["tpr"][0] for group in (protected, privileged, everyone)]
    fv = np.maximum(np.abs(tpr[0] - tpr[2]), np.abs(tpr[1] - tpr[2]))
    return {"di": di, "di_star": di_star, "adi": ratio(di, di_star), "fv": fv}


def _impacts(protected: Sums, privileged: Sums) -> tuple[Sums, Sums]:
    of_protected, of_privileged = rates(protected), rates(privileged)
    di, di_star = (ratio(of_protected[name][0], of_privileged[name][0]) for name in ("selection_rate", "base_rate"))
    return di, di_star


def reason_for(metric: str, protected: Sums, privileged: Sums) -> str:
    """Why a gap is undefined: the first empty denominator, in words."""
    for name, group in (("protected", protected), ("privileged", privileged)):
        if group[TEXTS] == 0:
            return f"no text in the {name} group"
        if metric == "fv" and group[FAVOURABLE] == 0:
            return f"no favourable label in the {name} group"
    if metric in ("di", "adi") and privileged[SELECTED] == 0:
        return "nobody in the privileged group is selected"
    if metric in ("di_star", "adi") and privileged[FAVOURABLE] == 0:
        return "no favourable label in the privileged group"
    if metric == "adi" and protected[FAVOURABLE] == 0:
        return "no favourable label in the protected group"
    raise AssertionError(f"{metric} is defined here")
