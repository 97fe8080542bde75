"""The tables of probe: representational bias of a model's base after its debiaser."""

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
# One row a cell of the enumeration, of a group of names and a category of words: `category` by the sum of its significant scores, the
# largest first, and `category_words`, nearest to its mean; `words`: those of the `nearest` words of the category, nearer to the group
# than to any other, that lean most to it; score: (X - mu) . (A - category), 0 when they lean no more than their category; p_value: the
# share of random turns of all words (of the `rotations` that left the group words enough) with as large a score; q_value: over all cells
# with words enough; a null score has a reason. Slurs may be starred.
Associations = Annotated[
    pa.Table,
    At(
        "data/probe/{model}.associations.parquet",
        (
            ("vectors", "string"),
            ("category", "int64"),
            ("category_words", "string"),
            ("category_length", "int64"),
            ("group", "int64"),
            ("words", "string?"),
            ("nearest", "int64"),
            ("score", "double?"),
            ("p_value", "double?"),
            ("q_value", "double?"),
            ("rotations", "int64"),
            ("significant", "bool"),
            ("reason", "string?"),
        ),
        key=("vectors", "category", "group"),
    ),
]
# One row a group of names that stand together, the largest first: `names` that stand for it, how many it has, and means over its names
# of what is known of their bearers: shares of women, of each race or origin, and the mean year of birth.
NameGroups = Annotated[
    pa.Table,
    At(
        "data/probe/{model}.names.parquet",
        (
            ("vectors", "string"),
            ("group", "int64"),
            ("names", "string"),
            ("length", "int64"),
            ("female", "double?"),
            ("birth_year", "double?"),
            ("white", "double?"),
            ("black", "double?"),
            ("hispanic", "double?"),
            ("asian", "double?"),
            ("other", "double?"),
        ),
        key=("vectors", "group"),
    ),
]
