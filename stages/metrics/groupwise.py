"""Groups as they are (many values, any intersection, memberships that overlap), their counts, and every rate of a group."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from stages.contract.bad_input import BadInput
from stages.metrics import fairness
from stages.metrics.contingency import counted
from stages.metrics.fairness import PARTS, Sums, ratio

UNKNOWN = "unknown"


@dataclass(frozen=True)
class Membership:
    """Who is in which group: ``member`` [rows, groups] is True where the row belongs to the group named ``names`` [groups].

    A row may be in one group, in several (a text that mentions two), or in none. Rows are texts, or cells of a table of counts.
    """

    names: tuple[Hashable, ...]
    member: sparse.csc_array

    def rows(self, group: int) -> NDArray[np.int64]:
        """The rows in a group, in ascending order."""
        return np.sort(self.member.indices[self.member.indptr[group] : self.member.indptr[group + 1]]).astype(np.int64)


def of_values(values: Iterable[Hashable]) -> Membership:
    """One group for each distinct value, in order of appearance; missing values (None, NaN, NA) are the group ``unknown``."""
    column = pd.Series(values if isinstance(values, pd.Series) else list(values), dtype=object)
    codes, names = pd.factorize(column.where(column.notna(), UNKNOWN))
    return Membership(tuple(names), _sparse(np.arange(len(codes)), codes, (len(codes), len(names))))


def of_masks(masks: Mapping[Hashable, NDArray[np.bool_]]) -> Membership:
    """One group for each mask [rows]; masks may overlap and may leave rows out. Masks of different lengths are BadInput."""
    lengths = {len(mask) for mask in masks.values()}
    if len(lengths) != 1:
        raise BadInput(f"group masks have {len(lengths)} different lengths {sorted(lengths)}: give at least one, each with a value a row")
    return Membership(tuple(masks), sparse.csc_array(np.stack(list(masks.values()), axis=1).astype(bool)))


def cross(*memberships: Membership) -> Membership:
    """Every intersection that someone is in, of one group from each membership; its name is the tuple of their names.

    One membership alone keeps all its groups. Memberships of different numbers of rows are BadInput.
    """
    lengths = {membership.member.shape[0] for membership in memberships}
    if len(lengths) != 1:
        raise BadInput(f"memberships of {len(lengths)} different numbers of rows {sorted(lengths)} cannot be crossed: use the same rows")
    names: list[tuple[Hashable, ...]] = [(name,) for name in memberships[0].names]
    member = memberships[0].member
    for other in memberships[1:]:
        row, left, right = _pairs(member.tocsr(), other.member.tocsr())
        width = len(other.names)
        kept, column = np.unique(left * width + right, return_inverse=True)
        names = [(*names[code // width], other.names[code % width]) for code in kept]
        member = _sparse(row, column.ravel(), (member.shape[0], len(kept)))
    return Membership(tuple(names), member)


def intersections(attributes: Mapping[str, Membership], order: int) -> dict[tuple[str, ...], Membership]:
    """The groups of every set of ``order`` attributes, in the attributes' order; an order without a set is BadInput."""
    if not 1 <= order <= len(attributes):
        raise BadInput(f"no intersection of order {order} among {len(attributes)} attributes: choose 1 to {len(attributes)}")
    return {chosen: cross(*(attributes[name] for name in chosen)) for chosen in combinations(attributes, order)}


def tally(
    membership: Membership, favourable: NDArray[np.bool_], selected: NDArray[np.bool_], weights: NDArray[np.float64] | None = None
) -> Sums:
    """Counts [..., groups, 4] of texts, favourable labels, selected and rightly selected in each group.

    ``favourable`` and ``selected`` [rows] are label and decision; ``weights`` [..., rows] says how often each row counts (bootstrap
    replicates, or texts in each cell), by default once.
    """
    quantities = counted(favourable, selected)
    if weights is None:
        return np.asarray(membership.member.T @ quantities)
    # All four at once, [rows, 4 x groups], so that the replicates are read once.
    spread = sparse.hstack([membership.member * quantity[:, None] for quantity in quantities.T], format="csc")
    found = np.asarray(weights @ spread)
    return np.moveaxis(found.reshape(*found.shape[:-1], 4, -1), -2, -1)


def total(favourable: NDArray[np.bool_], selected: NDArray[np.bool_], weights: NDArray[np.float64] | None = None) -> Sums:
    """The same counts [..., 4] of everyone, each row once however many groups it is in."""
    quantities = counted(favourable, selected)
    return quantities.sum(axis=0) if weights is None else weights @ quantities


def rates(counts: Sums) -> dict[str, tuple[Sums, Sums]]:
    """Every rate of counts [..., 4] with its own denominator, both [...]; each rate is in [0, 1], and NaN where nobody is counted.

    With label y and decision d: base_rate P(y=1), selection_rate P(d=1), tpr P(d=1|y=1), fpr P(d=1|y=0), fnr P(d=0|y=1),
    tnr P(d=0|y=0), ppv P(y=1|d=1), fdr P(y=0|d=1), npv P(y=0|d=0), for P(y=1|d=0), accuracy P(d=y), error_rate P(d!=y),
    f1 = 2 TP / (2 TP + FP + FN), whose denominator counts favourable labels and selections.
    """
    return {rate: (ratio(*parts), parts[1]) for rate in PARTS for parts in [fairness.counts(counts, rate)]}


def _sparse(row: NDArray[np.int64], column: NDArray[np.int64], shape: tuple[int, int]) -> sparse.csc_array:
    return sparse.csc_array((np.ones(len(row), dtype=bool), (row, column)), shape=shape)


def _pairs(left: sparse.csr_array, right: sparse.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Each row with each pair of its groups, one from the left and one from the right: row, left group, right group."""
    row = np.repeat(np.arange(left.shape[0]), np.diff(left.indptr))
    partners = np.diff(right.indptr)[row]
    nth = np.arange(partners.sum()) - np.repeat(np.cumsum(partners) - partners, partners)
    first = np.repeat(right.indptr[row], partners)
    return np.repeat(row, partners), np.repeat(left.indices, partners).astype(np.int64), right.indices[first + nth].astype(np.int64)
