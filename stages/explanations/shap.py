"""Shapley values of a text's words (Lundberg and Lee 2017), by the package shap: their sum is what all words together add."""

from collections.abc import Callable

import numpy as np
from pydantic import Field

from stages.contract.params import Section


class Params(Section):
    """``samples``: how many texts are asked about beside the whole and the bare one; exact from 2^words - 2 on."""

    samples: int = Field(default=2048, ge=10)


def asked(words: int, params: Params, seed: int) -> np.ndarray:
    """Which words stay in each text to ask about, bool [texts, words]: those that Kernel SHAP asks for, whatever the answers."""
    rows: list[np.ndarray] = []

    def note(held: np.ndarray) -> np.ndarray:
        rows.append(held > 0)
        return np.zeros(len(held))

    _values(note, words, params, seed)
    return np.concatenate(rows)


def explained(held: np.ndarray, said: np.ndarray, params: Params, seed: int) -> tuple[np.ndarray, float | None]:
    """Each word's importance [words], and None for a fit: they sum to what is said of the whole text less of the bare one.

    importance = mean over all orders of adding words of (said with it - said before it). For a model that is linear in words,
    w_j (x_j - 0): a word that is taken out is the baseline. Parity: 0. Kernel SHAP weighs subsets by (M - 1) / (C(M, s) s (M - s)).
    """
    place = 0

    def answer(rows: np.ndarray) -> np.ndarray:
        nonlocal place
        place += len(rows)
        return said[place - len(rows) : place]

    return _values(answer, held.shape[1], params, seed), None


def _values(model: Callable[[np.ndarray], np.ndarray], words: int, params: Params, seed: int) -> np.ndarray:
    """The package draws from NumPy's global generator, which is left as it was."""
    from shap import KernelExplainer

    before = np.random.get_state()  # noqa: NPY002
    try:
        np.random.seed(seed)  # noqa: NPY002
        explainer = KernelExplainer(model, np.zeros((1, words)))
        found: np.ndarray = explainer.shap_values(np.ones(words), nsamples=params.samples, l1_reg=False, silent=True)
    finally:
        np.random.set_state(before)  # noqa: NPY002
    return found
