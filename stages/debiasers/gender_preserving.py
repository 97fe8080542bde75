"""WordED: an autoencoder that takes gender out of stereotype and neutral words and keeps it in feminine and masculine ones.

Kaneko and Bollegala 2019, Gender-preserving Debiasing for Pre-trained Word Embeddings (doi:10.18653/v1/P19-1160).
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from stages.contract.bad_input import BadInput
from stages.contract.params import Section

Lexicons = Mapping[str, list[tuple[str, ...]]]


class Params(Section):
    """The settings of the authors' code but for ``epochs``, 5 there and 50 in the NAACL 2022 benchmark.

    The weights are those of the joint loss's terms. ``patience`` is how many epochs without a better development loss end the
    autoencoder's pretraining, which the authors always run in full.
    """

    epochs: int = Field(default=50, ge=1)
    learning_rate: float = Field(default=0.1, gt=0)
    dropout: float = Field(default=0.01, ge=0, lt=1)
    development_words: int = Field(default=20, ge=1)
    weight_reconstruction: float = Field(default=1.0, ge=0)
    weight_classifiers: float = Field(default=1e-4, ge=0)
    weight_stereotype: float = Field(default=1e-4, ge=0)
    weight_neutral: float = Field(default=1e-4, ge=0)
    pretraining_rate: float = Field(default=2e-4, gt=0)
    autoencoder_epochs: int = Field(default=315, ge=1)
    autoencoder_batch: int = Field(default=512, ge=1)
    autoencoder_dropout: float = Field(default=0.05, ge=0, lt=1)
    autoencoder_development: int = Field(default=5000, ge=1)
    patience: int = Field(default=10, ge=1)
    classifier_epochs: int = Field(default=15, ge=1)


def debias_vectors(words: Sequence[str], matrix: NDArray[np.float32], lexicons: Lexicons, params: Params, seed: int) -> NDArray[np.float32]:
    """The encodings E(w) of all words, float32 of the shape of ``matrix`` [words, dimensions], each value in (-1, 1).

    ``lexicons`` holds the rows of gender_pairs (feminine, masculine), gender_stereotypes and gender_neutral, lower-cased.
    BadInput: the base knows too few of their words, or the training diverges.
    """
    found = known_rows(words, lexicons, 2 * params.development_words)
    # torch is imported only now: this module is also imported to validate a design.
    from stages.debiasers.word_autoencoder import encode

    return encode(matrix, *found, params, seed)


def known_rows(words: Sequence[str], lexicons: Lexicons, least: int) -> tuple[list[list[int]], list[int], list[int]]:
    """Rows of ``words`` where the pairs (feminine, masculine), the stereotype words and the neutral words stand.

    Entries of which the base lacks a word are counted and left out; fewer than ``least`` known ones are BadInput.
    """
    rows = {word: row for row, word in enumerate(words)}
    entries = {name: lexicons.get(name, []) for name in ("gender_pairs", "gender_stereotypes", "gender_neutral")}
    entries["gender_stereotypes"] = [(word,) for row in entries["gender_stereotypes"] for word in row]
    known = {
        name: [[rows[word] for word in entry] for entry in listed if all(word in rows for word in entry)]
        for name, listed in entries.items()
    }
    for name, listed in entries.items():
        print(f"{name}: the base knows {len(known[name])} of {len(listed)}", flush=True)
        if len(known[name]) < least:
            raise BadInput(
                f"gender_preserving: the base knows {len(known[name])} of the {len(listed)} entries of {name}; the method needs {least}: "
                "take a larger vocabulary, or lists in the base's language."
            )
    return known["gender_pairs"], [row for (row,) in known["gender_stereotypes"]], [row for (row,) in known["gender_neutral"]]
