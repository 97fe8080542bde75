"""The groups whose curves are drawn: those of single attributes, and of pairs where they are few, that are large enough to show."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stages.metrics.lattice import lattice

# A curve of fewer texts shows chance; of more panels than this none is read.
FEWEST, PANELS = 20, 6
EVERYONE = "everyone"
Rows = NDArray[np.int64]


class Panel(NamedTuple):
    """What is drawn together: the rows [texts] of ``groups`` by name, everyone first; ``left_out``: groups of fewer than 20 texts."""

    attributes: str
    groups: dict[str, Rows]
    left_out: int


def panels(frame: pd.DataFrame, sets: list[tuple[str, ...]]) -> list[Panel]:
    """A panel of each attribute of ``sets``, then of each pair among them if that makes ``PANELS`` at most; without sets, everyone alone.

    ``frame`` has a column NAME_value of categories for each attribute; null is the category unknown.
    """
    everyone = {EVERYONE: np.arange(len(frame))}
    if not sets:
        return [Panel(EVERYONE, everyone, 0)]
    attributes = list(dict.fromkeys(name for names in sets for name in names))
    single, pairs = [(name,) for name in attributes], [names for names in sets if len(names) == 2]
    shown: list[tuple[str, ...]] = [*single, *pairs] if len([*single, *pairs]) <= PANELS else [*single]
    found = lattice(frame[[f"{name}_value" for name in attributes]].set_axis(attributes, axis=1), shown)
    made = []
    for index, names in enumerate(found.sets):
        of_row = found.group[found.cell, index] - found.starts[index]
        rows = {name: np.flatnonzero(of_row == place) for place, name in enumerate(found.names[found.of(index)])}
        # A category that is itself called everyone is not everyone.
        large = {f"{name} (category)" if name == EVERYONE else name: own for name, own in rows.items() if len(own) >= FEWEST}
        made.append(Panel("+".join(names), everyone | large, len(rows) - len(large)))
    return made
