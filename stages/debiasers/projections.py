"""What the debiasers that project have in common: principal directions of pairs, projections away from directions, checked classes."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput

Vectors = NDArray[np.float64]


class Affine(NamedTuple):
    """The map x -> W x + b: ``weight`` [width, width] and ``bias`` [width]."""

    weight: Vectors
    bias: Vectors

    def of(self, rows: NDArray[Any]) -> NDArray[Any]:
        """The images of ``rows`` [vectors, width], in their own precision."""
        found: NDArray[Any] = rows @ self.weight.T.astype(rows.dtype) + self.bias.astype(rows.dtype)
        return found


def unit(rows: NDArray[Any]) -> Vectors:
    """``rows`` [vectors, width] at length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True).astype(np.float64)
    return np.divide(rows, lengths, out=np.zeros(rows.shape), where=lengths > 0)


def principal(pairs: NDArray[Any], count: int) -> Vectors:
    """Orthonormal directions [count, width] along which the two of each pair differ most: PCA of pairs centred each on its middle.

    ``pairs`` is [pairs, 2, width]. A direction's sign is that of its first pair, second less first. BadInput: the pairs differ
    along fewer directions than ``count``, or fill the space.
    """
    halves = np.diff(np.asarray(pairs, dtype=np.float64), axis=1)[:, 0] / 2
    _, strengths, directions = np.linalg.svd(halves, full_matrices=False)
    spread = int((strengths > 1e-8 * max(strengths[0], 1e-30)).sum())
    if count > spread or count >= halves.shape[1]:
        raise BadInput(
            f"{len(halves)} pairs of {halves.shape[1]} dimensions differ along {spread}, and {count} shall be removed: ask fewer."
        )
    chosen: Vectors = directions[:count]
    return chosen * np.where(chosen @ halves[0] < 0, -1.0, 1.0)[:, None]


def away_from(directions: NDArray[Any]) -> Vectors:
    """The orthogonal projection [width, width] onto what is orthogonal to ``directions`` [count, width], or to a single one [width]."""
    rows = np.atleast_2d(directions)
    basis = span(rows)
    return np.eye(rows.shape[1]) - basis.T @ basis


def span(rows: NDArray[Any]) -> Vectors:
    """An orthonormal basis [rank, width] of the space that ``rows`` span; rows of zeros count for nothing."""
    _, strengths, basis = np.linalg.svd(unit(rows), full_matrices=False)
    kept: Vectors = basis[strengths > 1e-8]
    return kept


def check(method: str, vectors: NDArray[Any], classes: NDArray[Any]) -> None:
    """BadInput unless ``vectors`` [number, width] are finite, wider than 1, and ``classes`` [number] has two or more, each twice."""
    if vectors.ndim != 2 or vectors.shape[1] < 2 or len(vectors) != len(classes):
        raise BadInput(f"{method}: {vectors.shape} numbers for {len(classes)} classes; it needs a vector of 2 or more dimensions for each.")
    if not np.isfinite(vectors).all():
        raise BadInput(
            f"{method}: {int((~np.isfinite(vectors).all(axis=1)).sum())} of {len(vectors)} vectors hold a value that is not finite."
        )
    counts = np.unique(classes, return_counts=True)[1]
    if len(counts) < 2 or counts.min() < 2:
        raise BadInput(
            f"{method}: {len(counts)} classes of {counts.tolist()} examples; there must be two or more, of two or more examples."
        )
