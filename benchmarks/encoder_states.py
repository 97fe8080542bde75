"""What an encoder makes of the sentences that tell how much of gender is left in it, read in one pass for each set of weights."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoModel

from stages.debiasers.attribute_sentences import Example, Examples
from stages.debiasers.context_debias import Params
from stages.debiasers.context_losses import word_means
from stages.debiasers.context_training import Training
from stages.debiasers.gendered_sentences import vectors_of
from stages.debiasers.pretrained_encoder import load, tokenizer_of
from stages.debiasers.projections import Affine
from stages.models import projection

Rows = NDArray[Any]
READING = Params(max_tokens=64, batch=64)


class Texts(NamedTuple):
    """What every encoder reads. ``examples``: sentences with the place of their gendered or stereotype word.

    ``women``, ``men``: the same sentences about either, ``people`` whom each pair of them is about, ``frames`` what it says.
    ``masked``: sentences that hide the pronoun of a woman, then of a man (``masked_people``: of whom); ``masked_jobs``: of a
    stereotype word.
    """

    examples: Examples
    women: list[str]
    men: list[str]
    people: Rows
    frames: Rows
    masked: list[Example]
    masked_people: Rows
    masked_jobs: list[Example]


@dataclass(frozen=True)
class States:
    """What an encoder makes of ``Texts``: last hidden states [texts, width], but ``attributes`` [2, layers, width], the mean states
    of feminine and of masculine words, and ``neutral`` [sentences, layers, width], of stereotype words.
    """

    attributes: Rows
    neutral: Rows
    women: Rows
    men: Rows
    masked: Rows
    masked_jobs: Rows

    def mapped(self, found: Affine) -> "States":
        """The same after an affine map of the last hidden states, which any mean over tokens or texts follows."""
        layers = {name: np.concatenate([rows[:, :-1], found.of(rows[:, -1:])], axis=1) for name, rows in self._of_layers().items()}
        last = {name: found.of(getattr(self, name)) for name in ("women", "men", "masked", "masked_jobs")}
        return replace(self, **layers, **last)

    def _of_layers(self) -> dict[str, Rows]:
        return {"attributes": self.attributes, "neutral": self.neutral}


def states_of(folder: Path, texts: Texts, known: dict[bytes, States]) -> States:
    """The states of the encoder in ``folder``; weights whose states are ``known`` are not read again, and a projection is applied."""
    with (folder / "model.safetensors").open("rb") as opened:
        key = hashlib.file_digest(opened, "sha256").digest()
    if key not in known:
        known[key] = _read(folder, texts)
    found = projection.read(folder)
    return known[key] if found is None else known[key].mapped(Affine(*(numbers.astype(np.float64) for numbers in found)))


def _read(folder: Path, texts: Texts) -> States:
    """One pass over all texts, without the folder's projection."""
    parts = (*texts.examples, texts.masked, texts.masked_jobs)
    found = _word_states(folder, [example for part in parts for example in part])
    feminine, masculine, neutral, masked, jobs = np.split(found, np.cumsum([len(part) for part in parts])[:-1])
    women, men = np.split(vectors_of(folder, texts.women + texts.men, "mean"), 2)
    return States(np.stack([feminine.mean(axis=0), masculine.mean(axis=0)]), neutral, women, men, masked[:, -1], jobs[:, -1])


@torch.inference_mode()
def _word_states(folder: Path, examples: Sequence[Example]) -> Rows:
    """The mean state of each example's word in every layer, float32 [examples, layers, width]; the longest sentences first."""
    network = load(AutoModel, folder).eval()
    reading, parts = Training(network, network, tokenizer_of(folder), READING), []
    ordered = np.argsort([-len(example.sentence) for example in examples], kind="stable")
    for start in range(0, len(ordered), READING.batch):
        batch = reading.batch([examples[row] for row in ordered[start : start + READING.batch]])
        parts.append(word_means(reading.states(network, batch), batch.word).transpose(0, 1).numpy())
    found: Rows = np.concatenate(parts)[np.argsort(ordered)]
    return found
