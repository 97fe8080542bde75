"""A support vector machine on TF-IDF of words and pairs of words, its settings chosen on the validation texts (Camara et al. 2022)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field, PositiveFloat, PositiveInt, model_validator

from stages.contract.bad_input import BadInput
from stages.contract.params import Section
from stages.models import grid, support_vectors
from stages.models.batches import cut
from stages.models.folds import Lesson
from stages.models.support_vectors import KERNELS, Products

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import TfidfVectorizer
    from torch import Tensor

BASE = "text"
SLOW = frozenset({"fit"})


class Params(Section):
    """The authors' settings; of ``C``, ``gamma`` and ``kernel`` every combination is tried. ``epsilon`` is in units of the label.

    TF-IDF is learned from the training texts alone, the machine that is kept from training and validation texts.
    """

    ngrams: tuple[PositiveInt, PositiveInt] = (1, 2)
    min_df: int = Field(default=2, ge=1)
    max_features: int = Field(default=200_000, ge=1)
    C: tuple[PositiveFloat, ...] = Field(default=(0.1, 1, 10, 100), min_length=1)
    gamma: tuple[PositiveFloat, ...] = Field(default=(1, 0.1, 0.01, 0.001), min_length=1)
    kernel: tuple[Literal["rbf", "poly", "sigmoid", "linear"], ...] = Field(default=("rbf", "poly", "sigmoid"), min_length=1)
    epsilon: float = Field(default=0.1, ge=0)

    @model_validator(mode="after")
    def _shortest_first(self) -> "Params":
        if self.ngrams[0] > self.ngrams[1]:
            raise ValueError(f"ngrams goes from the shortest to the longest, and is {self.ngrams[0]} to {self.ngrams[1]}")
        return self


@dataclass(frozen=True)
class Inputs:
    """The texts themselves."""

    texts: list[str]
    notes: dict[str, Any]


def memory(base: Path) -> float:  # noqa: ARG001  (every family's is asked with the base)
    """Bytes that one process takes at most with a few thousand texts."""
    return 1.0e9


def prepare(texts: Sequence[str], base: Path, params: Params) -> Inputs:  # noqa: ARG001  (nothing is pretrained)
    """Texts are looked at by ``fit`` first, as their words' weights depend on which of them train."""
    return Inputs(list(texts), {})


def stored(inputs: Inputs, params: Params) -> int:  # noqa: ARG001
    """Bytes of a fitted fold at most: every word and pair of every text as a support vector's entry, and as an entry of the vocabulary."""
    return sum(24 * len(text.split()) + 2 * len(text.encode()) for text in inputs.texts)


def fit(inputs: Inputs, lesson: Lesson, params: Params) -> tuple[dict[str, "Tensor"], dict[str, Any]]:
    """Choose the settings, fit on training and validation texts, and keep the support vectors. BadInput: no word is met twice."""
    import torch

    train, both = grid.learned(lesson)
    support_vectors.check_room(len(both))
    vectorizer = _vectorizer(params)
    try:
        vectorizer.fit([inputs.texts[place] for place in train])
    except ValueError as error:
        raise BadInput(f"no word is in {params.min_df} or more of {len(train)} training texts; lower min_df.") from error
    rows = vectorizer.transform([inputs.texts[place] for place in both])
    rows.sort_indices()
    products = Products.among(rows)
    candidates = grid.settings(C=params.C, gamma=params.gamma, kernel=params.kernel)
    outputs = support_vectors.tried(candidates, products, lesson, params.epsilon) if len(lesson.validation) else []
    best, history = grid.best(candidates, outputs, lesson)
    chosen = candidates[best]
    machine = support_vectors.fitted(products.kernel(chosen["kernel"], chosen["gamma"]), lesson, both, chosen["C"], params.epsilon)
    scale = 1 / lesson.deviation
    if lesson.kind == "classification" and outputs:
        scale = support_vectors.steepness(outputs[best], lesson.targets[lesson.validation])
        history["steepness"] = round(scale, 6)
    arrays = _words(vectorizer) | _machine(machine, rows[machine.support_], chosen, lesson.mean, scale)
    return {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}, history


def _words(vectorizer: "TfidfVectorizer") -> dict[str, np.ndarray]:
    """The vocabulary as UTF-8 lines, and how rare each of its words and pairs is."""
    words = "\n".join(vectorizer.get_feature_names_out()).encode()
    return {"vocabulary": np.frombuffer(words, dtype=np.uint8), "idf": vectorizer.idf_}


def _machine(machine: Any, support: "csr_matrix", chosen: grid.Setting, mean: float, scale: float) -> dict[str, np.ndarray]:
    """The support vectors with their coefficients, so that outputs are (the machine's - ``mean``) x ``scale``."""
    return {
        "support_values": support.data,
        "support_columns": support.indices,
        "support_starts": support.indptr,
        "coefficients": machine.dual_coef_[0] * scale,
        "intercept": (machine.intercept_ - mean) * scale,
        "gamma": np.array(chosen["gamma"], dtype=np.float64),
        "kernel": np.array(KERNELS.index(chosen["kernel"])),
    }


def predict(inputs: Inputs, tensors: dict[str, "Tensor"], index: np.ndarray, params: Params) -> np.ndarray:
    """The stored machine's outputs, or logits, for the texts at ``index``: the sum of coefficients x kernel, plus the intercept."""
    from scipy.sparse import csr_matrix

    held = {name: tensor.numpy() for name, tensor in tensors.items()}
    vectorizer = _vectorizer(params, held["vocabulary"].tobytes().decode().split("\n"))
    vectorizer.idf_ = held["idf"]
    shape = (len(held["coefficients"]), len(held["idf"]))
    support = csr_matrix((held["support_values"], held["support_columns"], held["support_starts"]), shape)
    found = np.empty(len(index))
    for places in cut(np.arange(len(index)), 1024):
        rows = vectorizer.transform([inputs.texts[place] for place in index[places]])
        kernel = Products.of(rows, support).kernel(KERNELS[int(held["kernel"])], float(held["gamma"]))
        found[places] = kernel @ held["coefficients"] + held["intercept"]
    return found


def _vectorizer(params: Params, vocabulary: list[str] | None = None) -> "TfidfVectorizer":
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(ngram_range=params.ngrams, min_df=params.min_df, max_features=params.max_features, vocabulary=vocabulary)
