"""Scores of template sentences and who they name -> one row a term and method, one row a fit, q-values over all of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import logit

from stages.contract.bad_input import BadInput
from stages.contrasts import beta_regression, marginal, mixed, ordinary
from stages.contrasts.beta_regression import BetaFit
from stages.contrasts.clustered import Alone, Correction, clustered
from stages.contrasts.design_matrix import DesignMatrix, design_matrix, name
from stages.contrasts.estimates import Estimates, Matrix, Vector, spread, undefined

METHODS = ("beta_expected", "beta_observed", "beta_cluster", "mixed", "ols_as_published")
LIKELIHOOD_RATIOS = ("lr_any", "lr_interaction")
GOODNESS = ("precision", "log_likelihood", "pseudo_r2", *(ratio + end for ratio in LIKELIHOOD_RATIOS for end in ("", "_degrees", "_p")))
STARS = ((0.01, "***"), (0.05, "**"), (0.10, "*"))  # the paper's
LEAST_ERROR = 1e-12  # a standard error below it is rounding


@dataclass(frozen=True)
class Rules:
    """``references``: a category of each attribute to compare with; ``order``: how many attributes are met together (by default all).

    ``adjusted``: attributes with main effects only, not reported; ``precision``: attributes the precision depends on (by default
    none). ``test``: t on n - parameters degrees of freedom as in the paper, or z as in R's betareg. ``scale``: of the mixed model,
    logits of (squeezed) scores or the scores as they are; ``correction`` of clustered standard errors.
    """

    references: Mapping[str, str]
    order: int | None = None
    adjusted: tuple[str, ...] = ()
    precision: tuple[str, ...] = ()
    methods: tuple[str, ...] = METHODS
    test: Literal["t", "z"] = "t"
    scale: Literal["logit", "score"] = "logit"
    correction: Correction = "jackknife"
    confidence: float = 0.95


def contrasts(
    scores: Vector, attributes: pd.DataFrame, clusters: pd.DataFrame, rules: Rules, about: Mapping[str, str]
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The rows of ``Contrasts`` but for q-values, and the row of ``ContrastFits``, each with the labels ``about`` (corpus, model, emotion).

    ``scores`` [sentences] of any range; ``attributes`` [sentences, attributes] categorical; ``clusters`` [sentences, ways] say which
    sentences are alike: their template (with its emotion word), the name in them. BadInput: rows that do not match, scores that are no
    numbers, what ``design_matrix`` refuses.
    """
    if not len(scores) == len(attributes) == len(clusters):
        raise BadInput(f"{len(scores)} scores, {len(attributes)} rows of attributes and {len(clusters)} of clusters: give one a sentence.")
    design = design_matrix(attributes, rules.references, rules.order, rules.adjusted)
    squeezed, outside = beta_regression.squeeze(scores)
    precision = _precision(attributes, rules)
    beta: BetaFit | str = _at_the_border(scores, design) or beta_regression.fit(squeezed, design.matrix, precision)
    frames = []
    for method in rules.methods:
        if method == "mixed":
            found = _of_mixed(squeezed if rules.scale == "logit" else scores, design, clusters, rules)
        elif method == "ols_as_published":
            found = _of_ordinary(scores, design)
        else:
            found = undefined(len(design.terms), beta) if isinstance(beta, str) else _of_beta(method, beta, clusters, rules)
        on_logits = method.startswith("beta") or (method == "mixed" and rules.scale == "logit")
        frames.append(_tested(found, design, "logit" if on_logits else "score", rules).assign(method=method))
    known = {**about, "n": len(scores), "squeezed": outside}
    return pd.concat(frames, ignore_index=True).assign(**known), {**known, **_goodness(squeezed, design, precision, beta)}


def with_q_values(rows: pd.DataFrame) -> pd.DataFrame:
    """All rows with ``q_value``: Benjamini and Hochberg over every term but the intercept, one family a method, untested terms left out."""
    q_values = pd.Series(np.nan, index=rows.index)
    family = rows[(rows["term"] != "intercept") & rows["p_value"].notna()]
    for _, members in family.groupby("method"):
        q_values[members.index] = stats.false_discovery_control(members["p_value"])
    return rows.assign(q_value=q_values)


def stars(p_value: float) -> str:
    """``***`` from .01 down, ``**`` .05, ``*`` .10, else nothing (Camara et al. 2022, table 3)."""
    return next((found for level, found in STARS if p_value <= level), "")


def _precision(attributes: pd.DataFrame, rules: Rules) -> Matrix | None:
    if not rules.precision:
        return None
    chosen = attributes[list(rules.precision)]
    references = {attribute: rules.references[attribute] for attribute in rules.precision if attribute in rules.references}
    adjusted = [attribute for attribute in rules.precision if attribute not in references]
    return design_matrix(chosen, references, 1 if references else None, adjusted).matrix


def _at_the_border(scores: Vector, design: DesignMatrix) -> str | None:
    """Why there is no logit of a group whose scores are all at one end, where only the squeeze would say how far."""
    _, codes = np.unique(design.codes, axis=0, return_inverse=True)
    ends = [np.bincount(codes, outside) == np.bincount(codes) for outside in (scores <= 0, scores >= 1)]
    number = int(ends[0].sum() + ends[1].sum())
    return (
        f"all scores of {number} of {len(ends[0])} groups are at one end of [0, 1], so that their logits have no bound" if number else None
    )


def _of_beta(method: str, beta: BetaFit, clusters: pd.DataFrame, rules: Rules) -> Estimates:
    columns = len(beta.mean)
    if method == "beta_cluster":
        try:
            whole = clustered(beta.contributions, beta.informations, clusters, rules.correction)
        except Alone as alone:
            return undefined(columns, str(alone))
        rest = len(beta.precision)
        return Estimates(beta.mean, lambda weights: whole(np.pad(weights, ((0, 0), (0, rest)))))
    covariance = getattr(beta, method.removeprefix("beta_"))[:columns, :columns]
    return Estimates(beta.mean, spread(covariance, len(beta.contributions) - beta.parameters if rules.test == "t" else np.inf))


def _of_mixed(outcome: Vector, design: DesignMatrix, clusters: pd.DataFrame, rules: Rules) -> Estimates:
    """Random effects of every way to cluster and, where its clusters hold several groups, of cluster and group together.

    Without the latter, which let a template treat groups in its own way, tests would hold for these templates only.
    """
    groups = np.unique(design.codes, axis=0, return_inverse=True)[1]
    effects = []
    for way in clusters:
        own = pd.factorize(clusters[way])[0]
        both = np.unique(np.stack([own, groups], axis=1), axis=0, return_inverse=True)[1].ravel()
        effects.append(own)
        effects += [both] if own.max() < both.max() < len(groups) - 1 else []
    fitted = mixed.fit(logit(outcome) if rules.scale == "logit" else outcome, design.matrix, effects)
    return undefined(len(design.terms), fitted) if isinstance(fitted, str) else Estimates(fitted.coefficients, fitted.spread)


def _of_ordinary(scores: Vector, design: DesignMatrix) -> Estimates:
    fitted = ordinary.fit(scores, design.matrix)
    if isinstance(fitted, str):
        return undefined(len(design.terms), fitted)
    return Estimates(fitted.coefficients, spread(fitted.covariance, fitted.degrees))


def _tested(found: Estimates, design: DesignMatrix, scale: str, rules: Rules) -> pd.DataFrame:
    places = design.places()
    error, degrees = (part[places] for part in found.spread(np.eye(len(design.terms))))
    effects, slopes = marginal.contrasts(design, found.coefficients, "logit" if scale == "logit" else "identity")
    effect_error, effect_degrees = found.spread(slopes[places])
    error = np.where(error < LEAST_ERROR, np.nan, error)
    effect_error = np.where(effect_error < LEAST_ERROR, np.nan, effect_error)
    estimate, effect = found.coefficients[places], effects[places]
    p_values = 2 * stats.t.sf(np.abs(estimate / error), degrees)
    half, effect_half = (
        of * stats.t.ppf((1 + rules.confidence) / 2, freedom) for of, freedom in ((error, degrees), (effect_error, effect_degrees))
    )
    return pd.DataFrame(
        {
            "term": [name(design.terms[place]) for place in places],
            "scale": scale,
            "estimate": estimate,
            "standard_error": error,
            "statistic": estimate / error,
            "degrees": np.where(np.isinf(degrees), np.nan, degrees),
            "p_value": p_values,
            "stars": [stars(p) for p in p_values],
            "ci_low": estimate - half,
            "ci_high": estimate + half,
            "response_effect": effect,
            "response_low": effect - effect_half,
            "response_high": effect + effect_half,
            "reason": [found.reason or ("the standard error is 0" if np.isnan(of) else None) for of in error],
        }
    )


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
