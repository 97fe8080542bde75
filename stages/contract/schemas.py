"""What the tables that pass between stages look like, and where they lie."""

from typing import Annotated

import pyarrow as pa

from stages.contract.tables import At, _columns

# Every group that people are in, as they are ("woman, Black" of gender+race): one row a metric and what it is compared with.
# `pooled` is the second estimate of a rate, drawn towards groups alike; `p_value` is adjusted for all groups of the set,
# `q_value` for all sets of the metric too.
Groups = Annotated[
    pa.Table,
    At(
        "data/evaluate/{task}/{model}/groups.parquet",
        _columns(
            attributes="string",
            order="int64",
            group="string",
            metric="string",
            comparison="string",
            value="double?",
            ci_low="double?",
            ci_high="double?",
            n="int64",
            people="int64",
            pooled="double?",
            pooled_low="double?",
            pooled_high="double?",
            p_value="double?",
            q_value="double?",
            verdict="string?",
            flagged="bool?",
            reason="string?",
        ),
        key=("attributes", "group", "metric", "comparison"),
    ),
]
