"""Scores of template sentences and who they name -> one row a term and method, one row a fit, q-values over all of them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from stages.contrasts import beta_regression, marginal
from stages.contrasts.beta_regression import BetaFit
from stages.contrasts.design_matrix import DesignMatrix, design_matrix, name
from stages.contrasts.estimates import Estimates, Matrix, Vector
from stages.contrasts.methods import Rules, beta_fit, of_beta, of_mixed, of_ordinary, precision_design, refuse

LIKELIHOOD_RATIOS = ("lr_any", "lr_interaction")
GOODNESS = ("precision", "log_likelihood", "pseudo_r2", *(ratio + end for ratio in LIKELIHOOD_RATIOS for end in ("", "_degrees", "_p")))
OF_PRECISION = "_precision"
STARS = ((0.01, "***"), (0.05, "**"), (0.10, "*"))  # the paper's
LEAST_ERROR = 1e-12  # a standard error below it is rounding


def contrasts(
    scores: Vector, attributes: pd.DataFrame, clusters: pd.DataFrame, rules: Rules, about: Mapping[str, str]
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The rows of ``Contrasts`` but for q-values, and the row of ``ContrastFits``, each with the labels ``about`` (corpus, model, emotion).

    ``scores`` [sentences] of any range; ``attributes`` [sentences, attributes] categorical; ``clusters`` [sentences, ways] say which
    sentences are alike: their template (with its emotion word), the name in them. Where ``rules`` let the precision depend on
    attributes, each Beta method has rows of a second method, its name with ``_precision``: coefficients of log phi, without effects.
    BadInput: rows that do not match, scores that are no numbers, what ``design_matrix`` refuses.
    """
    refuse(scores, attributes, clusters, rules)
    design = design_matrix(attributes, rules.references, rules.order, rules.adjusted)
    squeezed, outside = beta_regression.squeeze(scores)
    dispersion = precision_design(attributes, rules)
    precision = None if dispersion is None else dispersion.matrix
    beta = beta_fit(scores, squeezed, design, precision)
    frames = []
    for method in rules.methods:
        if method == "ols_as_published":
            found, scale = of_ordinary(scores, design), "score"
        elif method == "mixed":
            found, scale = of_mixed(squeezed if rules.scale == "logit" else scores, design, clusters, rules), rules.scale
        else:
            found, scale = of_beta(method, beta, design, clusters, rules), "logit"
            if dispersion is not None:
                log_phi = of_beta(method, beta, dispersion, clusters, rules, "precision")
                frames.append(_coefficients(log_phi, dispersion, "log precision", rules).assign(method=method + OF_PRECISION))
        frames.append(_tested(found, design, scale, rules).assign(method=method))
    known = {**about, "n": len(scores), "squeezed": outside}
    return pd.concat(frames, ignore_index=True).assign(**known), {**known, **_goodness(squeezed, design, precision, beta)}


def with_q_values(rows: pd.DataFrame) -> pd.DataFrame:
    """All rows with q-values of coefficients and of effects on the response scale.

    Benjamini and Hochberg over every term but the intercept, one family a method for each of the two, untested terms left out.
    """
    found = rows.assign(q_value=np.nan, response_q_value=np.nan)
    for tested, adjusted in (("p_value", "q_value"), ("response_p_value", "response_q_value")):
        for _, family in rows[(rows["term"] != "intercept") & rows[tested].notna()].groupby("method"):
            found.loc[family.index, adjusted] = stats.false_discovery_control(family[tested])
    return found


def stars(p_value: float) -> str:
    """``***`` from .01 down, ``**`` .05, ``*`` .10, else nothing (Camara et al. 2022, table 3)."""
    return next((found for level, found in STARS if p_value <= level), "")


def _tested(found: Estimates, design: DesignMatrix, scale: str, rules: Rules) -> pd.DataFrame:
    places = design.places()
    effects, slopes = marginal.contrasts(design, found.coefficients, "logit" if scale == "logit" else "identity")
    coefficient = _coefficients(found, design, scale, rules)
    effect = _test(found, effects[places], slopes[places], rules).drop(columns="statistic")
    untested = coefficient["standard_error"].isna() | effect["standard_error"].isna()
    return pd.concat(
        [
            coefficient.drop(columns="reason"),
            effect.rename(columns=lambda column: f"response_{column.removeprefix('ci_')}").assign(response_effect=effects[places]),
            pd.DataFrame({"reason": _reasons(found, untested)}),
        ],
        axis=1,
    )


def _coefficients(found: Estimates, design: DesignMatrix, scale: str, rules: Rules) -> pd.DataFrame:
    places = design.places()
    tested = _test(found, found.coefficients[places], np.eye(len(design.terms))[places], rules)
    names = pd.DataFrame({"term": [name(design.terms[place]) for place in places], "scale": scale, "estimate": found.coefficients[places]})
    told = {"stars": [stars(p) for p in tested["p_value"]], "reason": _reasons(found, tested["standard_error"].isna())}
    return pd.concat([names, tested.assign(**told)], axis=1)


def _reasons(found: Estimates, untested: pd.Series) -> list[str | None]:
    return [found.reason or ("the standard error is 0" if lacks else None) for lacks in untested]


def _test(found: Estimates, value: Vector, weights: Matrix, rules: Rules) -> pd.DataFrame:
    """Standard errors (NaN for 0), tests against 0 and intervals of ``value`` [terms], whose slopes by the coefficients are ``weights``.

    Exact for a combination of coefficients; the delta method for another function of them. Degrees of freedom are NaN where infinite.
    """
    error, degrees = found.spread(weights)
    error = np.where(error < LEAST_ERROR, np.nan, error)
    half = error * stats.t.ppf((1 + rules.confidence) / 2, degrees)
    columns = {"standard_error": error, "statistic": value / error, "degrees": np.where(np.isinf(degrees), np.nan, degrees)}
    columns |= {"p_value": 2 * stats.t.sf(np.abs(value / error), degrees), "ci_low": value - half, "ci_high": value + half}
    return pd.DataFrame(columns)


def _goodness(scores: Vector, design: DesignMatrix, precision: Matrix | None, beta: BetaFit | str) -> dict[str, Any]:
    if isinstance(beta, str):
        return {**dict.fromkeys(GOODNESS), "reason": beta}
    found: dict[str, Any] = {**dict.fromkeys(GOODNESS), "log_likelihood": beta.log_likelihood, "pseudo_r2": beta.pseudo_r2, "reason": None}
    if precision is None:
        found["precision"] = float(np.exp(beta.precision[0]))
    untested = [place for place, term in enumerate(design.terms) if all(attribute not in design.tested for attribute, _ in term)]
    parts = {"any": untested, "interaction": [place for place, term in enumerate(design.terms) if len(term) < 2]}
    for part, places in parts.items():
        smaller = beta_regression.fit(scores, design.matrix[:, places], precision) if len(places) < len(design.terms) else "the same"
        if isinstance(smaller, BetaFit):
            tested = beta_regression.likelihood_ratio(beta, smaller)
            found |= dict(zip((f"lr_{part}", f"lr_{part}_degrees", f"lr_{part}_p"), tested, strict=True))
    return found
