"""What miners find in texts that come a part at a time, as columns of all of them."""

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput
from stages.contract.params import Entry
from stages.contract.shelf import take
from stages.mentions.columns import Column


def columns(parts: Iterable[pa.Array], asked: NDArray[np.bool_], miners: Sequence[Entry]) -> dict[str, NDArray[np.object_]]:
    """The columns of all ``miners``, null of texts that are not ``asked``. BadInput: two miners have a column of the same name.

    Miners look at each text by itself, so that parts give what all texts at once would.
    """
    found: dict[str, NDArray[np.object_]] = {}
    start = 0
    for texts in parts:
        here = np.flatnonzero(asked[start : start + len(texts)])
        for name, values in mined(texts.take(pa.array(here)).to_pylist(), miners).items():
            found.setdefault(name, np.full(len(asked), None, dtype=object))[start + here] = values
        start += len(texts)
    return found


def mined(texts: list[str], miners: Sequence[Entry]) -> dict[str, Column]:
    """The columns of some texts; of none, whether the miners can be used. BadInput as ``columns``."""
    found: dict[str, Column] = {}
    for miner in miners:
        module, options = take("mentions", miner)
        for name, values in module.mine(texts, options).items():
            if name in found:
                raise BadInput(f"params.yaml: ingest.mentions: {name!r} is mined twice; take one of the two out.")
            found[name] = values
    return found
