"""Two small encoders of the words that the probes' tests use, on one thread, as the stage has it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.debiasers import small

TEXTS = (
    "this is that there here it about they said the word everyone knows . she he her his we met in town on monday and walked home",
    "nurse doctor baker soldier gentle strong kind brave Adam Keisha joy agony love war loud short-term home office",
)


@pytest.fixture(scope="session")
def encoders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("encoders")
    yield {kind: small.encoder(folder / kind, TEXTS, kind) for kind in ("bert", "roberta")}
    torch.set_num_threads(threads)
