"""The table of describe: how labels go along with whom a text mentions and with what its author declared, before any model."""

from typing import Annotated

import pyarrow as pa

from stages.contract.tables import At

# A column of documents whose name begins so was mined from the text: it says whom a text mentions, never who wrote it.
MINED = ("mentioned_", "mentions_")
# One row a word or group of people. kind: "term", an identity term and the texts that hold it; "group", a group of a word list and
# the texts that refer to it; "category", a category of a documents' column. about: "mentioned" (found in the text) or "declared" (of
# the author). convention: crossbias, or assessment2021 (the paper's rules of tables 4 and 2; terms and groups alone). attribute: the
# word list or the column; category: the group or the column's value, "unknown" where null; term: "" but for terms.
# texts hold it, of which `favourable` have the favourable label and `authors` wrote; n and n_favourable: all texts. share: texts / n;
# share_favourable and share_unfavourable: the same among texts of either label; base_rate: favourable / texts (Wilson, by author).
# log_odds_ratio: of the favourable label, texts that hold it against all others (0 is parity, below 0 unfavourable). test: fisher,
# or score where authors wrote several texts. q_value: Benjamini and Hochberg over all rows of the table's convention.
Descriptions = Annotated[
    pa.Table,
    At(
        "data/describe/{task}.parquet",
        (
            ("convention", "string"),
            ("kind", "string"),
            ("about", "string"),
            ("attribute", "string"),
            ("category", "string"),
            ("term", "string"),
            ("texts", "int64"),
            ("authors", "int64"),
            ("favourable", "int64"),
            ("n", "int64"),
            ("n_favourable", "int64"),
            ("share", "double"),
            ("share_favourable", "double?"),
            ("share_unfavourable", "double?"),
            ("base_rate", "double?"),
            ("base_low", "double?"),
            ("base_high", "double?"),
            ("log_odds_ratio", "double?"),
            ("ci_low", "double?"),
            ("ci_high", "double?"),
            ("test", "string?"),
            ("p_value", "double?"),
            ("q_value", "double?"),
            ("reason", "string?"),
        ),
        key=("convention", "kind", "attribute", "category", "term"),
    ),
]
