"""Thresholds by group, fitted on other texts' predictions after training (Hardt, Price and Srebro 2016, by fairlearn)."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput
from stages.contract.values import Seed
from stages.mitigations.groups import Grouped, Groups


class Params(Grouped):
    """``constraints``: which rate the thresholds make alike in all groups; ``objective``: what they keep as high as that allows.

    demographic_parity: selection rates; equalized_odds: true and false positive rates. Where no pair of thresholds does it, chance
    decides between two for a part of the texts, by ``seed``; with another seed other people are selected.
    """

    constraints: Literal[
        "demographic_parity",
        "equalized_odds",
        "true_positive_rate_parity",
        "false_positive_rate_parity",
        "true_negative_rate_parity",
        "false_negative_rate_parity",
    ] = "demographic_parity"
    objective: Literal["accuracy_score", "balanced_accuracy_score"] = "accuracy_score"
    seed: Seed = 0


def decide(
    score: NDArray[np.float64],
    favourable: NDArray[np.bool_],
    unmitigated: NDArray[np.bool_],
    groups: Groups,
    fitted: NDArray[np.int64],
    applied: NDArray[np.int64],
    params: Params,
) -> NDArray[np.bool_]:
    """Decisions of the texts at ``applied`` by the thresholds that do best on those at ``fitted``: bool [texts of ``applied``].

    ``score`` [texts] speaks for ``favourable``. Only groups that have both labels among the fitted texts get a threshold; the texts of
    others keep their ``unmitigated`` decision, and a printed line counts them. BadInput: there are fewer than two such groups.
    """
    label, group = favourable.astype(np.int64), groups.number
    cells = np.bincount(2 * group[fitted] + label[fitted], minlength=2 * groups.count).reshape(-1, 2)
    usable = np.all(cells > 0, axis=1)
    if usable.sum() < 2:
        raise BadInput(
            f"mitigation: thresholds: of {groups.count} groups {usable.sum()} have both labels among the {len(fitted)} texts that "
            "thresholds are fitted on, and two or more must; name fewer mitigation.attributes."
        )
    fitted, held = fitted[usable[group[fitted]]], np.asarray(usable[group[applied]])
    if not held.all():
        print(f"thresholds: {(~held).sum()} of {len(held)} texts are of a group without both labels and keep the one cut", flush=True)
    decided = unmitigated[applied].copy()
    optimiser = _optimiser(params).fit(score[fitted, None], label[fitted], sensitive_features=group[fitted])
    told = applied[held]
    decided[held] = optimiser.predict(score[told, None], sensitive_features=group[told], random_state=_seed(params, applied)) == 1
    return decided


def _optimiser(params: Params) -> Any:
    """fairlearn's optimiser on a model that says the score as it is."""
    from fairlearn.postprocessing import ThresholdOptimizer
    from sklearn.linear_model import LinearRegression

    model = LinearRegression()
    model.coef_, model.intercept_ = np.ones(1), 0.0
    asked = {"constraints": params.constraints, "objective": params.objective}
    return ThresholdOptimizer(estimator=model, prefit=True, predict_method="predict", **asked)


def _seed(params: Params, applied: NDArray[np.int64]) -> int:
    """A seed for each part of the texts, so that no two parts share their random numbers."""
    return int(np.random.SeedSequence([params.seed, int(applied[0])]).generate_state(1)[0])
