"""What a term does to the score itself: average marginal contrasts and their slopes for the delta method."""

from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from stages.contrasts.design_matrix import DesignMatrix, Term

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Link = Literal["logit", "identity"]


def contrasts(design: DesignMatrix, coefficients: Vector, link: Link) -> tuple[Vector, Matrix]:
    """Each term's contrast of mean scores [terms], in (-1, 1) on the logit link, parity 0, and its slopes [terms, coefficients].

    All sentences are given the term's categories, or the references of some or all of its attributes, and keep their other attributes:
    sum over subsets S of the term's attributes of (-1)^(attributes - |S|) mean over sentences of the mean score with S at the term's
    categories, the others at the reference. So a main effect is a difference averaged over everything else, unlike its coefficient,
    which stands beside the reference of everything else, and an interaction a difference of differences (Ai and Norton 2003). The
    intercept's is the mean score with every tested attribute at its reference.
    """
    cells, counts = np.unique(design.codes, axis=0, return_counts=True)
    effects, slopes = np.zeros(len(design.terms)), np.zeros((len(design.terms), len(coefficients)))
    for place, term in enumerate(design.terms):
        for sign, codes in _settings(design, term, cells):
            matrix = design.columns(codes)
            linear = matrix @ coefficients
            mean = expit(linear) if link == "logit" else linear
            slope = mean * (1 - mean) if link == "logit" else np.ones(len(mean))
            effects[place] += sign * np.average(mean, weights=counts)
            slopes[place] += sign * np.average(slope[:, None] * matrix, weights=counts, axis=0)
    return effects, slopes


def _settings(design: DesignMatrix, term: Term, cells: NDArray[np.int64]) -> list[tuple[int, NDArray[np.int64]]]:
    attributes = list(design.categories)
    found = []
    for number in range(len(term) + 1):
        for chosen in combinations(term, number):
            codes = cells.copy()
            for attribute in design.tested if not term else [attribute for attribute, _ in term]:
                codes[:, attributes.index(attribute)] = 0
            for attribute, category in chosen:
                codes[:, attributes.index(attribute)] = design.categories[attribute].index(category)
            found.append(((-1) ** (len(term) - number), codes))
    return found
