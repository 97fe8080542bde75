"""Design matrices from categorical attributes: any number of groups and of axes, the reference chosen by the user."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput

Vector = NDArray[np.float64]
Codes = NDArray[np.int64]
Term = tuple[tuple[str, str], ...]  # (attribute, category) of each attribute that takes part; () is the intercept


@dataclass(frozen=True)
class DesignMatrix:
    """Treatment contrasts of categorical attributes: a column is 1 where a row has all of its term's categories.

    ``codes`` [rows, attributes] are places in ``categories``, whose first is the reference. ``tested`` attributes are met with each
    other, the others only adjusted for.
    """

    categories: Mapping[str, tuple[str, ...]]
    codes: Codes
    terms: tuple[Term, ...]
    tested: tuple[str, ...]

    @property
    def matrix(self) -> Vector:
        """[rows, terms]."""
        return self.columns(self.codes)

    def columns(self, codes: Codes) -> Vector:
        """[rows, terms] of rows with these ``codes`` [rows, attributes], those of the data or others."""
        attributes = list(self.categories)
        found = np.ones((len(codes), len(self.terms)))
        for column, term in enumerate(self.terms):
            for attribute, category in term:
                found[:, column] *= codes[:, attributes.index(attribute)] == self.categories[attribute].index(category)
        return found

    def places(self) -> list[int]:
        """The columns of tested terms, the intercept first."""
        return [place for place, term in enumerate(self.terms) if all(attribute in self.tested for attribute, _ in term)]


def name(term: Term) -> str:
    """``race[Latino]:gender[female]``."""
    return ":".join(f"{attribute}[{category}]" for attribute, category in term) or "intercept"


def design_matrix(
    attributes: pd.DataFrame, references: Mapping[str, str], order: int | None = None, adjusted: Sequence[str] = ()
) -> DesignMatrix:
    """The design of a regression on ``attributes``, whose columns are categorical: intercept, main effects, interactions.

    The coefficient of a term is what its categories together add, on the link's scale, to what their parts say, each beside its
    reference (treatment coding): with ``race`` and ``gender`` the design is the paper's X1, X2, X1 X2 (Camara et al. 2022, eq. 1).
    ``references`` names a category of each; ``order`` is how many attributes are met together (by default all). Attributes that are
    ``adjusted`` for enter with their main effects alone, beside their first category if ``references`` names none.

    BadInput: a category missing in some rows, an attribute with one category, an unknown reference or none, and columns that say the
    same (a combination of categories that no row has).
    """
    for attribute in (*references, *adjusted):
        if attribute not in attributes:
            raise BadInput(f"{attribute!r} is no attribute of the sentences; there are {', '.join(attributes)}.")
    named = {attribute: references.get(attribute, min(attributes[attribute].dropna().astype(str), default="")) for attribute in adjusted}
    categories = {attribute: _categories(attributes[attribute], attribute, {**references, **named}) for attribute in attributes}
    tested = tuple(attribute for attribute in categories if attribute not in adjusted)
    if order is not None and not 1 <= order <= len(tested):
        raise BadInput(f"order {order} must be between 1 and the {len(tested)} attributes {', '.join(tested)}.")
    codes = np.stack([pd.Categorical(attributes[name].astype(str), found).codes for name, found in categories.items()], axis=1)
    design = DesignMatrix(categories, codes.astype(np.int64), _terms(categories, tested, order or len(tested)), tested)
    _refuse_deficiency(design)
    return design


def _categories(column: pd.Series, attribute: str, references: Mapping[str, str]) -> tuple[str, ...]:
    if column.isna().any():
        raise BadInput(f"{attribute}: {column.isna().sum()} of {len(column)} sentences have no category; leave them out or name one.")
    found = sorted(set(column.astype(str)))
    if len(found) < 2:
        raise BadInput(f"{attribute}: all {len(column)} sentences are {', '.join(found) or 'missing'}; a contrast needs two categories.")
    reference = references.get(attribute)
    if reference not in found:
        raise BadInput(f"{attribute}: the reference is {reference!r}; choose one of its categories {', '.join(found)}.")
    return reference, *(category for category in found if category != reference)


def _terms(categories: Mapping[str, tuple[str, ...]], tested: tuple[str, ...], order: int) -> tuple[Term, ...]:
    terms: list[Term] = [()]
    for number in range(1, order + 1):
        for chosen in combinations(categories, number):
            if number == 1 or set(chosen) <= set(tested):
                partial: list[Term] = [()]
                for attribute in chosen:
                    partial = [(*term, (attribute, category)) for term in partial for category in categories[attribute][1:]]
                terms += partial
    return tuple(terms)


def _refuse_deficiency(design: DesignMatrix) -> None:
    matrix = design.columns(np.unique(design.codes, axis=0))
    rank, number = np.linalg.matrix_rank(matrix), matrix.shape[1]
    if rank == number:
        return
    met = set(zip(*(np.array(found)[codes] for found, codes in zip(design.categories.values(), design.codes.T, strict=True)), strict=True))
    empty = sorted(set(product(*design.categories.values())) - met)
    raise BadInput(
        f"The {number} columns of the design have rank {rank}: no sentence is {' + '.join(empty[0])}"
        f"{f' ({len(empty)} combinations are empty)' * (len(empty) > 1)}; add sentences or lower the order of interactions."
    )
