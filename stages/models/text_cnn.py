"""A convolutional network on word vectors, as the benchmark of Lalor et al. (NAACL 2022) trains it in Keras."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field, PositiveInt

from stages.contract.bad_input import BadInput
from stages.contract.params import Section
from stages.models import vectors
from stages.models.batches import Rows
from stages.models.folds import Lesson

if TYPE_CHECKING:
    from torch import Tensor

    from stages.models.convolution import Network
    from stages.models.training import Learner

BASE = "vectors"
SLOW = frozenset({"fit"})
# Letters, digits and _, and the vowel signs and other marks inside words, which \w leaves out.
LETTER = "[\\w\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u0670\u06d6-\u06ed\u0900-\u0dff\u0e00-\u0eff\u200c\u200d]"
WORD = re.compile(rf"n't(?!{LETTER})|'(?:s|m|d|re|ve|ll)(?!{LETTER})|{LETTER}+?(?=n't(?!{LETTER}))|{LETTER}+|\S")


class Params(Section):
    """Settings of the paper; ``dropout`` works in steps of 1/256, ``dense`` is the width of each dense layer.

    ``max_words``: of each text the first so many; None: all.
    """

    kernels: tuple[PositiveInt, ...] = Field(default=(1, 2, 3), min_length=1)
    filters: int = Field(default=256, ge=1)
    dense: int = Field(default=64, ge=1)
    dropout: float = Field(default=0.5, ge=0, le=0.9)
    l2: float = Field(default=0.001, ge=0)
    train_embeddings: bool = False
    max_words: int | None = Field(default=None, ge=1)
    epochs: int = Field(default=35, ge=1)
    batch: int = Field(default=32, ge=1)
    learning_rate: float = Field(default=1e-4, gt=0)


@dataclass(frozen=True)
class Inputs:
    """Texts as rows of ``table``, float32 [1 + words, dimensions]; row 0, zeros, stands for every word without a vector."""

    rows: Rows
    words: list[str]
    table: np.ndarray
    notes: dict[str, Any]


def memory(base: Path) -> float:  # noqa: ARG001  (every family's is asked with the base)
    """Bytes that one process takes at most, by measurement; the base's table is cut to the words of the texts."""
    return 0.8e9


def words_of(text: str) -> list[str]:
    """The words of a text, lower-cased and split as GloVe's were: ``Don't go!`` is do, n't, go, !; each other sign stands alone."""
    return WORD.findall(unicodedata.normalize("NFC", text).lower().replace("\u2019", "'"))


def prepare(texts: Sequence[str], base: Path, params: Params) -> Inputs:
    """Look the words of ``texts`` up in ``base``. BadInput: it holds no word vectors, or none for any of the words."""
    return looked_up(texts, base, params.max_words)


def looked_up(texts: Sequence[str], base: Path, most: int | None) -> Inputs:
    """The first ``most`` words of each text (None: all) as rows of the base's table."""
    split = [words_of(text)[:most] for text in texts]
    known = vectors.load(base, {word for words in split for word in words})
    if not known.words:
        raise BadInput(f"{base} has a vector for none of the words of {len(split)} texts; give this model a base in their language.")
    numbers = {word: row for row, word in enumerate(known.words, start=1)}
    rows = Rows.of([numbers.get(word, 0) for word in words] for words in split)
    table = np.vstack([np.zeros((1, known.matrix.shape[1]), np.float32), known.matrix])
    return Inputs(rows, known.words, table, {"words": len(rows.numbers), "words_without_vector": int((rows.numbers == 0).sum())})


def stored(inputs: Inputs, params: Params) -> int:
    """Bytes of a fitted fold."""
    return sum(tensor.nbytes for tensor in _network(inputs, params).state_dict().values())


def fit(inputs: Inputs, lesson: Lesson, params: Params) -> tuple[dict[str, "Tensor"], dict[str, Any]]:
    """Train on the lesson. A frozen table is not among the tensors; a trained one is, with its words as UTF-8 lines."""
    import torch

    from stages.models import training

    torch.manual_seed(lesson.seed)
    network = _network(inputs, params)
    optimiser = torch.optim.Adam(network.parameters(), lr=params.learning_rate, fused=True)
    course = training.Course(params.epochs, params.batch)
    history = training.train(_learner(network, inputs), optimiser, lesson, course, lambda: params.l2 * network.squared_kernels())
    tensors = {name: tensor.cpu() for name, tensor in network.state_dict().items()}
    if params.train_embeddings:
        tensors["words"] = torch.tensor(list("\n".join(inputs.words).encode()), dtype=torch.uint8)
    return tensors, history


def predict(inputs: Inputs, tensors: dict[str, "Tensor"], index: np.ndarray, params: Params) -> np.ndarray:
    """Outputs for the texts at ``index``. Words that were not among the fitted texts keep their vectors of the base."""
    from stages.models import training

    network = _network(inputs, params)
    network.load_state_dict(tensors if not params.train_embeddings else _with_rows_of(inputs, tensors))
    return training.answers(_learner(network, inputs), index, 256)


def _with_rows_of(inputs: Inputs, tensors: dict[str, "Tensor"]) -> dict[str, "Tensor"]:
    """``tensors`` with the table of these inputs' words: the trained row where there is one."""
    import torch

    trained = dict(tensors)
    words = bytes(trained.pop("words").tolist()).decode().split("\n")
    rows = {word: row for row, word in enumerate(words, start=1)}
    table = torch.from_numpy(inputs.table.copy())
    for row, word in enumerate(inputs.words, start=1):
        if word in rows:
            table[row] = tensors["table"][rows[word]]
    return trained | {"table": table}


def _network(inputs: Inputs, params: Params) -> "Network":
    import torch

    from stages.models.convolution import Network
    from stages.models.training import device

    table = torch.from_numpy(inputs.table.copy())
    network = Network(table, params.train_embeddings, params.kernels, params.filters, params.dense, params.dropout)
    return network.to(device())


def _learner(network: "Network", inputs: Inputs) -> "Learner":
    import torch

    from stages.models.training import Learner

    where = network.table.device

    def outputs(index: np.ndarray) -> "Tensor":
        numbers, held = inputs.rows.padded(index, fill=0)
        found: Tensor = network(torch.from_numpy(numbers).to(where), torch.from_numpy(held).to(where))
        return found

    return Learner(network, outputs, inputs.rows.lengths, network.output)
