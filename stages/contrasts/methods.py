"""Each method's estimates of a design: the paper's test, the same with clusters, a mixed model, and what the paper published."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import logit

from stages.contract.bad_input import BadInput
from stages.contrasts import beta_regression, mixed, ordinary
from stages.contrasts.beta_regression import BetaFit
from stages.contrasts.clustered import Correction, clustered
from stages.contrasts.design_matrix import DesignMatrix, design_matrix
from stages.contrasts.estimates import Estimates, Matrix, Vector, spread, undefined

Part = Literal["mean", "precision"]
METHODS = ("beta_expected", "beta_observed", "beta_cluster", "mixed", "ols_as_published")


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


def refuse(scores: Vector, attributes: pd.DataFrame, clusters: pd.DataFrame, rules: Rules) -> None:
    """BadInput where tables do not match, sentences have no cluster, or a method is unknown or lacks what it needs."""
    if not len(scores) == len(attributes) == len(clusters):
        raise BadInput(f"{len(scores)} scores, {len(attributes)} rows of attributes and {len(clusters)} of clusters: give one a sentence.")
    for way in clusters:
        if clusters[way].isna().any():
            raise BadInput(f"{clusters[way].isna().sum()} of {len(clusters)} sentences have no {way}: name it or leave them out.")
    for method in rules.methods:
        if method not in METHODS:
            raise BadInput(f"{method!r} is no method; there are {', '.join(METHODS)}.")
        if method in ("beta_cluster", "mixed") and clusters.columns.empty:
            raise BadInput(f"{method} asks which sentences are alike: give clusters, or leave it out of the methods.")


def precision_design(attributes: pd.DataFrame, rules: Rules) -> DesignMatrix | None:
    """Main effects of the attributes that the precision depends on; None where it is constant."""
    if not rules.precision:
        return None
    chosen = attributes[list(rules.precision)]
    references = {attribute: rules.references[attribute] for attribute in rules.precision if attribute in rules.references}
    adjusted = [attribute for attribute in rules.precision if attribute not in references]
    return design_matrix(chosen, references, 1 if references else None, adjusted)


def beta_fit(scores: Vector, squeezed: Vector, design: DesignMatrix, precision: Matrix | None) -> BetaFit | str:
    """The Beta regression of ``squeezed`` scores, or why there is none."""
    return _at_the_border(scores, design) or beta_regression.fit(squeezed, design.matrix, precision)


def of_beta(method: str, beta: BetaFit | str, design: DesignMatrix, clusters: pd.DataFrame, rules: Rules, of: Part = "mean") -> Estimates:
    """The paper's test with expected or observed information, or the same estimate with clusters; ``design`` is that of the part."""
    columns = len(design.terms)
    if isinstance(beta, str):
        return undefined(columns, beta)
    if method == "beta_cluster":
        whole = clustered(beta.contributions, beta.informations, clusters, rules.correction)
        if isinstance(whole, str):
            return undefined(columns, whole)
        return Estimates(getattr(beta, of), lambda weights: whole(_among(weights, beta, of)))
    covariance = getattr(beta, method.removeprefix("beta_"))
    free = len(beta.contributions) - beta.parameters if rules.test == "t" else np.inf
    every = spread(covariance, free)
    return Estimates(getattr(beta, of), lambda weights: every(_among(weights, beta, of)))


def _among(weights: Matrix, beta: BetaFit, of: Part) -> Matrix:
    """``weights`` [combinations, columns] of the mean's or the precision's coefficients, as weights of both [combinations, parameters]."""
    before = 0 if of == "mean" else len(beta.mean)
    return np.pad(weights, ((0, 0), (before, beta.parameters - before - weights.shape[1])))


def of_mixed(outcome: Vector, design: DesignMatrix, clusters: pd.DataFrame, rules: Rules) -> Estimates:
    """Random effects of every way to cluster, and of its clusters together with every set of attributes that they are met with.

    Without the latter, which let a template treat women, or Black women, in its own way, tests would hold for these templates only.
    """
    tested = [list(design.categories).index(attribute) for attribute in design.tested]
    effects: list[NDArray[np.int64]] = []
    for way in clusters:
        for number in range(max(len(term) for term in design.terms) + 1):
            for chosen in combinations(tested, number):
                columns = np.column_stack([pd.factorize(clusters[way])[0], design.codes[:, chosen]])
                found = np.unique(columns, axis=0, return_inverse=True)[1].ravel()
                effects += [] if found.max() == len(found) - 1 or any(_same(found, other) for other in effects) else [found]
    fitted = mixed.fit(logit(outcome) if rules.scale == "logit" else outcome, design.matrix, effects)
    return undefined(len(design.terms), fitted) if isinstance(fitted, str) else Estimates(fitted.coefficients, fitted.spread)


def _same(one: NDArray[np.int64], other: NDArray[np.int64]) -> bool:
    """Whether two ways to part the sentences are one: names nested in races are the same with and without them."""
    return one.max() == other.max() == np.unique(np.stack([one, other], axis=1), axis=0).shape[0] - 1


def of_ordinary(scores: Vector, design: DesignMatrix) -> Estimates:
    """The published convention: least squares on the scores as they are."""
    fitted = ordinary.fit(scores, design.matrix)
    if isinstance(fitted, str):
        return undefined(len(design.terms), fitted)
    return Estimates(fitted.coefficients, spread(fitted.covariance, fitted.degrees))


def _at_the_border(scores: Vector, design: DesignMatrix) -> str | None:
    """Why there is no logit of a group whose scores are all at one end, where only the squeeze would say how far."""
    tested = [place for place, attribute in enumerate(design.categories) if attribute in design.tested]
    codes = np.unique(design.codes[:, tested], axis=0, return_inverse=True)[1]
    ends = [np.bincount(codes, outside) == np.bincount(codes) for outside in (scores <= 0, scores >= 1)]
    number = int(ends[0].sum() + ends[1].sum())
    return (
        f"all scores of {number} of {len(ends[0])} groups are at one end of [0, 1], so that their logits have no bound" if number else None
    )
