"""Standard errors where sentences of one template, or about one name, are alike: clusters in one way, in two, in any number."""

from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stages.contrasts.estimates import Matrix, Spread, Vector

Correction = Literal["jackknife", "degrees"]


def clustered(
    contributions: Matrix, informations: NDArray[np.float64], clusters: pd.DataFrame, correction: Correction = "jackknife"
) -> Spread | str:
    """The spread of estimates whose rows are alike within ``clusters``, of which each column is a way to cluster.

    ``contributions`` [rows, parameters] are the rows' scores at the estimate, ``informations`` [rows, parameters, parameters] their
    shares of the observed information H. With s of a cluster the sum of its scores,

    jackknife   V = (G - 1) / G sum u u', u = (H - H of the cluster)^-1 s: one Newton step from leaving the cluster out, exact in least
                squares (CV3: MacKinnon, Nielsen and Webb 2023). Unlike the next it is not too small with ten names a group.
    degrees     V = G / (G - 1) (n - 1) / (n - k) H^-1 (sum s s') H^-1 (CV1: Liang and Zeger 1986).

    Several ways: V of each way less that of each pair's intersections, and so on (Cameron, Gelbach and Miller 2011, eq. 2.11). Templates'
    own levels cancel in a contrast but not in an intersection, so that this may be too small or negative: a standard error is never
    below that of any one way ("max-se": MacKinnon, Nielsen and Webb 2024). t has as many degrees of freedom as the way with the
    fewest clusters, less one. Instead, why there is none: a cluster without which some coefficient could not be estimated.
    """
    single: list[Matrix] = []
    together = np.zeros(informations.shape[1:])
    unit = 1 / np.sqrt(np.abs(np.diag(informations.sum(axis=0))))  # of each parameter: what is rounding must not hang on it
    contributions, informations = contributions * unit, informations * unit * unit[:, None]
    for number in range(1, len(clusters.columns) + 1):
        for chosen in combinations(clusters.columns, number):
            codes = clusters.groupby(list(chosen), sort=False, observed=True).ngroup().to_numpy()
            part = _one_way(contributions, informations, codes, correction, " and ".join(chosen))
            if isinstance(part, str):
                return part
            together += part if number % 2 else -part
            single += [part] if number == 1 else []
    degrees = min(clusters[way].nunique() for way in clusters) - 1

    def spread(weights: Matrix) -> tuple[Vector, Vector]:
        weights = weights * unit
        variances = [np.einsum("ki,ij,kj->k", weights, found, weights) for found in (together, *single)]
        return np.sqrt(np.maximum(np.max(variances, axis=0), 0)), np.full(len(weights), float(degrees))

    return spread


def _one_way(
    contributions: Matrix, informations: NDArray[np.float64], codes: NDArray[np.int64], correction: Correction, way: str
) -> Matrix | str:
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    sums = np.add.reduceat(contributions[order], starts, axis=0)
    (rows, parameters), number = contributions.shape, len(starts)
    whole = informations.sum(axis=0)
    if number < 2:
        return f"all {rows} sentences have one {way}"
    if correction == "degrees":
        moved = np.linalg.solve(whole, sums.T).T
        return number / (number - 1) * (rows - 1) / (rows - parameters) * moved.T @ moved
    rest = whole - np.add.reduceat(informations[order], starts, axis=0)
    alone = np.linalg.matrix_rank(rest, tol=1e-9 * np.abs(whole).max()) < parameters
    if alone.any():
        return f"{alone.sum()} of {number} clusters by {way} are the only one of their group, so that its spread is unknown"
    moved = np.linalg.solve(rest, sums[..., None])[..., 0]
    return (number - 1) / number * moved.T @ moved
