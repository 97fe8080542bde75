"""Which values big predictions hold, and how often: counted once over all files."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from flows import audit_outcomes, audit_table
from flows.audit_options import Options
from flows.large_files import Part, batches
from stages.contract.bad_input import BadInput
from stages.datasets import outcomes

MOST_VALUES = 1_000_000
ROLES = ("label", "score", "decision")


@dataclass
class Survey:
    """How often each value occurs among the rows that count, by column; rows in all; rows left out by role, and the first of them."""

    counts: dict[str, Counter[str]]
    rows: int = 0
    used: int = 0
    low: float = np.inf
    high: float = -np.inf
    missing: dict[str, int] = field(default_factory=dict)
    first: dict[str, list[int]] = field(default_factory=dict)

    def add(self, other: "Survey", options: Options) -> None:
        """The rows of ``other`` after these."""
        for name, counted in other.counts.items():
            self.counts.setdefault(name, Counter()).update(counted)
            if len(self.counts[name]) > MOST_VALUES:
                raise BadInput(f"{options.file}: column {name!r} has more than {MOST_VALUES:,} different values; round or group them.")
        for role, number in other.missing.items():
            self.missing[role] = self.missing.get(role, 0) + number
            found = self.first.setdefault(role, [])
            found += [self.rows + row for row in other.first[role][: audit_outcomes.SHOWN - len(found)]]
        self.rows, self.used = self.rows + other.rows, self.used + other.used
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)

    def account(self, options: Options) -> dict[str, Any]:
        """Rows read, used and left out. BadInput: nothing is to be read, or no row can be used."""
        if options.score is None and options.decision is None:
            raise BadInput(audit_table.NO_OUTPUT)
        if not self.used:
            raise BadInput(f"{options.file}: no row has both a label and an output; check the columns and --unknown.")
        parts = [
            {"missing": role, "column": getattr(options, role), "rows": self.missing[role], "first": self.first[role]}
            for role in ROLES
            if role in self.missing
        ]
        return {"read": self.rows, "used": self.used, "left_out": parts}


def wanted(options: Options) -> list[str]:
    named = [options.label, options.score, options.decision, options.author, *options.attributes]
    return list(dict.fromkeys(name for name in named if name))


def known_values(strings: pa.Array, options: Options) -> pd.Series:
    return outcomes.known(pd.Series(strings.to_pylist(), dtype=object), ("", *options.unknown))


def scores_of(column: pa.ChunkedArray, options: Options) -> NDArray[np.float64]:
    """Scores, NaN where unknown; BadInput: see ``outcomes.scores``."""
    coded = {code.casefold() for code in options.unknown}
    plain = "nan" in coded and np.isnan(outcomes.finite(pd.Series(list(coded), dtype=object))).all()
    if plain and not pa.types.is_string(column.type):
        found = column.cast(pa.float64()).to_numpy()
    elif plain:
        found = _parsed(column)
    else:
        found = np.array([np.inf])  # not plain
    if np.isinf(found).any():
        text = pd.Series(column.cast(pa.string()).fill_null("").to_pylist(), dtype=object, name=options.score)
        found = outcomes.scores(outcomes.known(text, ("", *options.unknown)))
    return np.asarray(found, dtype=float)


def _parsed(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """Strings as numbers, or one infinity where some are none."""
    trimmed = pc.utf8_trim_whitespace(column)
    try:
        return np.asarray(pc.if_else(pc.equal(trimmed, ""), None, trimmed).cast(pa.float64()).to_numpy())
    except pa.ArrowInvalid:
        return np.array([np.inf])


def survey(part: Part, options: Options) -> Survey:
    """Count the values of a part."""
    found = Survey({})
    for batch in batches(part, wanted(options), options):
        found.add(_surveyed(batch, options), options)
    return found


def _surveyed(batch: pa.Table, options: Options) -> Survey:
    kept, found = np.ones(batch.num_rows, dtype=bool), Survey({}, batch.num_rows)
    score = None
    for role in ROLES:
        name = getattr(options, role)
        if name is None:
            continue
        if role == "score":
            score = scores_of(batch.column(name), options)
            lost = kept & np.isnan(score)
        else:
            column = pc.dictionary_encode(batch.column(name).combine_chunks())
            lost = kept & known_values(column.dictionary, options).isna().to_numpy()[column.indices.to_numpy()]
        if lost.any():
            found.missing[role] = int(lost.sum())
            found.first[role] = (np.flatnonzero(lost)[: audit_outcomes.SHOWN] + 1).tolist()
        kept &= ~lost
    found.used = int(kept.sum())
    if score is not None and found.used:
        found.low, found.high = (float(end) + 0.0 for end in (score[kept].min(), score[kept].max()))
    for name in dict.fromkeys(column for column in (options.label, options.decision, *options.attributes) if column):
        counted = pc.value_counts(batch.column(name).filter(pa.array(kept)))
        found.counts[name] = Counter(dict(zip(counted.field("values").to_pylist(), counted.field("counts").to_pylist(), strict=True)))
    return found
