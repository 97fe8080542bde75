"""Who wrote how many texts in published data: numbers of texts by writer and group, and no text."""

import os
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.calibration.writers import Whole

ROOT = Path(__file__).parents[2]
LANGUAGES = ("Portuguese", "Italian")  # the first that is there: where groups write most unequally
ESSAYS = Path("wassa", "messages_train_ready_for_WS.tsv")


def folder() -> Path:
    """Where public data lies: beside the repository, or where CROSSBIAS_SHARED says."""
    return Path(os.environ.get("CROSSBIAS_SHARED", ROOT.parent / "shared")) / "data"


def twitter(attribute: str) -> tuple[Whole, Whole] | str:
    """The group [people, 1] and the number of texts [people] of each author of the Multilingual Twitter Corpus whose group is known.

    Or why there are none.
    """
    for language in LANGUAGES:
        files = sorted((folder() / "mtc" / "indices").glob(f"{language}.*.tsv"))
        if files:
            columns = ["uid", attribute]
            frame = pd.concat([pd.read_csv(file, sep="\t", dtype=str, usecols=columns, keep_default_na=False) for file in files])
            known = frame[frame[attribute].isin(["0", "1"])].groupby("uid")[attribute].agg(["first", "size"])
            return known[["first"]].to_numpy(dtype=np.int64), known["size"].to_numpy(dtype=np.int64)
    return f"no {' or '.join(LANGUAGES)} indices of the Multilingual Twitter Corpus in shared/data/mtc"


def essays(names: tuple[str, ...]) -> tuple[Whole, Whole] | str:
    """The groups [people, attributes] and the number of texts [people] of each author of the WASSA 2022 essays; or why there are none."""
    file = folder() / ESSAYS
    if not file.is_file():
        return f"no {ESSAYS.name} in shared/data/wassa"
    found = pd.read_csv(file, sep="\t", dtype=str, usecols=["response_id", *names]).groupby("response_id")
    groups = found[list(names)].first().apply(lambda column: column.map({who: i for i, who in enumerate(column.value_counts().index)}))
    return groups.to_numpy(dtype=np.int64), found.size().to_numpy(dtype=np.int64)
