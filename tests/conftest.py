"""Shared by all tests: small real tables, the public data beside the repository, and an environment that never phones home."""

import os
from pathlib import Path

import hypothesis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from stages.reporting import figures, forest, paper_figure

os.environ |= {"DVC_NO_ANALYTICS": "1", "PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1", "HF_HUB_OFFLINE": "1"}
os.environ |= {"TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1"}  # tiny networks are slower on more threads

ROOT = Path(__file__).parents[1]

# The same examples on every machine, however slow: a red test is a wrong program and not bad luck.
hypothesis.settings.register_profile("house", deadline=None, derandomize=True)
hypothesis.settings.load_profile("house")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, so that of two workers none waits for the other at the end."""
    longest = ("test_pipeline.py", "test_docs.py")
    items.sort(key=lambda item: longest.index(item.path.name) if item.path.name in longest else len(longest))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of public data and golden figures; tests that need it skip where it is absent."""
    folder = Path(os.environ.get("CROSSBIAS_SHARED", ROOT.parent / "shared"))
    if not (folder / "golden").is_dir():
        pytest.skip(f"no public data at {folder.name}: set CROSSBIAS_SHARED to the folder that holds data/ and golden/")
    return folder


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages without figures: to draw them takes most of an audit's time, and other tests do."""
    for module, draw in ((figures, "gaps"), (forest, "draw"), (paper_figure, "draw")):
        monkeypatch.setattr(module, draw, lambda *_: "")


def make_documents(texts: list[str], favourable: list[bool], folds: int = 2, **attributes: list) -> pa.Table:
    """Documents of one author each, folds dealt in turn."""
    number = len(texts)
    frame = pd.DataFrame(
        {
            "doc_id": [f"d{i:04d}" for i in range(number)],
            "author_id": [f"a{i:04d}" for i in range(number)],
            "text": texts,
            "lang": "en",
            "fold": [str(i % folds) for i in range(number)],
            "label": np.asarray(favourable, dtype=float),
            "favourable": np.asarray(favourable, dtype=bool),
        }
    )
    for name, values in attributes.items():
        frame[name] = values
    return pa.Table.from_pandas(frame, preserve_index=False)
