"""The table of probe: representational bias of a model's base after its debiaser."""

from typing import Annotated

import pyarrow as pa

from stages.contract.tables import At

# One figure a row: `probe` is the method (weat, association, ...), `test` its word sets (weat_6, gender, ...), `statistic` what is
# measured (effect_size, s, amae, ...); n: words or pairs behind it; a null value has a reason.
Probes = Annotated[
    pa.Table,
    At(
        "data/probe/{model}.parquet",
        (
            ("probe", "string"),
            ("test", "string"),
            ("statistic", "string"),
            ("value", "double?"),
            ("ci_low", "double?"),
            ("ci_high", "double?"),
            ("null_low", "double?"),
            ("null_high", "double?"),
            ("p_value", "double?"),
            ("q_value", "double?"),
            ("n", "int64?"),
            ("lost", "string?"),
            ("reason", "string?"),
        ),
        key=("probe", "test", "statistic"),
    ),
]
