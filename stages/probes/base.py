"""A base as the probes see it: in every way that gives vectors of words, after its debiaser and before."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stages.probes.encoded import Encoder
from stages.probes.spaces import Space


@dataclass(frozen=True)
class Base:
    """``before``: the same ``spaces`` of the base before its debiaser. Word vectors have no ``encoder``.

    ``sentences`` reads a corpus by its path and how it is split into sentences.
    """

    spaces: Sequence[Space]
    before: Sequence[Space]
    encoder: Encoder | None
    sentences: Callable[[str, str], list[str]]
