"""Support vector machines on sparse rows: kernels computed once each, fits by libsvm, and predictions from what is stored."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil

from stages.contract.bad_input import BadInput
from stages.models import grid
from stages.models.folds import Lesson
from stages.models.grid import Setting

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

KERNELS = ("rbf", "poly", "sigmoid", "linear")
DEGREE = 3


@dataclass(frozen=True)
class Products:
    """Inner products of rows with rows, float64 [left, right], and each side's squared lengths."""

    inner: np.ndarray
    left: np.ndarray
    right: np.ndarray

    @classmethod
    def of(cls, left: "csr_matrix", right: "csr_matrix") -> "Products":
        squared = [np.asarray(rows.multiply(rows).sum(axis=1)).ravel() for rows in (left, right)]
        return cls((left @ right.T).toarray(), *squared)

    @classmethod
    def among(cls, rows: "csr_matrix") -> "Products":
        """With the diagonal as squared lengths: the very numbers that libsvm computes, so that its fits are the same to the last step."""
        inner = (rows @ rows.T).toarray()
        return cls(inner, inner.diagonal().copy(), inner.diagonal().copy())

    def part(self, left: np.ndarray, right: np.ndarray) -> "Products":
        return Products(self.inner[np.ix_(left, right)], self.left[left], self.right[right])

    def kernel(self, name: str, gamma: float) -> np.ndarray:
        """exp(-gamma |x - z|^2), (gamma x.z)^3, tanh(gamma x.z) or x.z, as scikit-learn has them with coef0 = 0."""
        if name == "rbf":
            return np.exp(-gamma * (self.left[:, None] + self.right[None, :] - 2 * self.inner))
        if name == "poly":
            return (gamma * self.inner) ** DEGREE
        return np.tanh(gamma * self.inner) if name == "sigmoid" else self.inner


def check_room(texts: int) -> None:
    """BadInput unless memory has room for the kernels of so many texts."""
    needed, free = 4 * 8 * texts**2, psutil.virtual_memory().available
    if needed > free:
        raise BadInput(f"the kernels of {texts} texts take {needed / 1e9:.1f} GB and {free / 1e9:.1f} are free; take another family.")


def tried(candidates: list[Setting], products: Products, lesson: Lesson, epsilon: float) -> list[np.ndarray]:
    """Each candidate's decision values or outputs for the validation texts after a fit on the training texts.

    ``products`` are those among the training texts and then the validation texts. A kernel is computed once for all values of C.
    """
    train, both = grid.learned(lesson)
    first, last = np.arange(len(train)), np.arange(len(train), len(both))
    inside, across = products.part(first, first), products.part(last, first)
    found: dict[int, np.ndarray] = {}
    for shape in dict.fromkeys((setting["kernel"], setting["gamma"]) for setting in candidates):
        within, between = inside.kernel(*shape), across.kernel(*shape)
        for number, setting in enumerate(candidates):
            if (setting["kernel"], setting["gamma"]) == shape:
                machine = fitted(within, lesson, train, setting["C"], epsilon)
                found[number] = between[:, machine.support_] @ machine.dual_coef_[0] + machine.intercept_[0]
    return [found[number] for number in range(len(candidates))]


def fitted(kernel: np.ndarray, lesson: Lesson, index: np.ndarray, cost: float, epsilon: float) -> Any:
    """libsvm's machine on a kernel [texts, texts] of the texts at ``index``: epsilon-SVR of labels, or SVC of decisions."""
    from sklearn.svm import SVC, SVR

    machine = SVR(kernel="precomputed", C=cost, epsilon=epsilon) if lesson.kind == "regression" else SVC(kernel="precomputed", C=cost)
    wanted = lesson.labels[index] if lesson.kind == "regression" else lesson.targets[index] > 0.5
    return machine.fit(kernel, wanted, sample_weight=grid.weights_of(lesson, index))


def steepness(found: np.ndarray, decided: np.ndarray) -> float:
    """The a > 0 with which P(favourable) = 1 / (1 + exp(-a f)) is likeliest for decision values f, between .001 and 1000.

    Platt's (1999) fit with his smoothed targets, (N+ + 1) / (N+ + 2) and 1 / (N- + 2), but no offset: P passes 1/2 where f passes 0, so
    that decisions stay the machine's own (the temperature of Guo et al. 2017, ICML).
    """
    from scipy.optimize import brentq

    favourable = decided > 0.5
    count = favourable.sum()
    wanted = np.where(favourable, (count + 1) / (count + 2), 1 / (len(found) - count + 2))

    def slope(logarithm: float) -> float:
        """The derivative by a of the likelihood's negative logarithm, which only grows."""
        return float(found @ ((1 + np.tanh(np.exp(logarithm) * found / 2)) / 2 - wanted))

    low, high = np.log(0.001), np.log(1000.0)
    if slope(low) >= 0:
        return 0.001
    return 1000.0 if slope(high) <= 0 else float(np.exp(brentq(slope, low, high)))
