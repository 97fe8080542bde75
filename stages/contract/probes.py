"""The table of probe: representational bias of a model's base after its debiaser."""

from typing import Annotated

import pyarrow as pa

from stages.contract.tables import At

# One figure a row: `probe` is the method (weat, association, ...), `test` its word sets (weat_6, gender, ...), `statistic` what is
# measured (effect_size, s, amae, ...), `vectors` what stands for a word: static (word vectors), or of an encoder the word alone, in
# templates, in sentences or in contexts of a corpus; `pooling`, `casing`: how. ci: as drawn words would vary; null: what sets of these
# sizes come to by chance; q_value: within a probe's tests of one statistic and kind of vectors; n: words (seat: sentences) behind it;
# lost: words without a vector, set by set; a null value has a reason.
Probes = Annotated[
    pa.Table,
    At(
        "data/probe/{model}.parquet",
        (
            ("probe", "string"),
            ("test", "string"),
            ("statistic", "string"),
            ("vectors", "string"),
            ("pooling", "string"),
            ("casing", "string"),
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
        key=("probe", "test", "statistic", "vectors"),
    ),
]
