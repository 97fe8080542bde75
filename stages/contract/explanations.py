"""The tables of explain: which words a cell's models lean on, and whether identity terms are among them more than other words."""

from typing import Annotated

import pyarrow as pa

from stages.contract.tables import At

# One word of one method (lime, shap) a row, over the explained documents that hold it. A document's importance of a word is in units
# of P(favourable), or of a regression's output turned so that up is favourable: positive = the word moves the model towards favourable.
# `attribute`: what an identity term speaks of (gender, religion, ...; null: no identity term). `documents`: explained documents that
# hold the word; `frequency`: documents of the whole task that do. `importance` is the mean, `absolute` the mean absolute value, each with
# an interval over documents, null (with a reason) where one document alone holds the word.
Explanations = Annotated[
    pa.Table,
    At(
        "data/explain/{task}/{model}.parquet",
        (
            ("method", "string"),
            ("token", "string"),
            ("attribute", "string?"),
            ("documents", "int64"),
            ("frequency", "int64"),
            ("importance", "double"),
            ("importance_low", "double?"),
            ("importance_high", "double?"),
            ("absolute", "double"),
            ("absolute_low", "double?"),
            ("absolute_high", "double?"),
            ("reason", "string?"),
        ),
        key=("method", "token"),
    ),
]
# Does the model lean on identity terms more than on other words as frequent? One row a method, attribute ("" = all identity terms) and
# measure (absolute: how much; signed: which way). `difference` = identity - others, means over words within bands of like frequency;
# `p_value` of a permutation of who is an identity term within bands, two-sided; `q_value` over the table. `terms`, `others`: words
# compared; `documents` were explained, of `candidates` short enough. `fit`: of the documents, the median of LIME's weighted R-squared.
Leanings = Annotated[
    pa.Table,
    At(
        "data/explain/{task}/{model}.leanings.parquet",
        (
            ("method", "string"),
            ("attribute", "string"),
            ("measure", "string"),
            ("identity", "double?"),
            ("other", "double?"),
            ("difference", "double?"),
            ("ci_low", "double?"),
            ("ci_high", "double?"),
            ("p_value", "double?"),
            ("q_value", "double?"),
            ("terms", "int64"),
            ("others", "int64"),
            ("documents", "int64"),
            ("candidates", "int64"),
            ("fit", "double?"),
            ("reason", "string?"),
        ),
        key=("method", "attribute", "measure"),
    ),
]
# A few documents whole: their pieces in order, which joined give the text back. `importance` is null where a piece is no word (spaces,
# signs); a word met twice has the same number twice, as both are taken out at once. `score`: what the model says of the text; `bare`:
# of the text without any word. `fit`: LIME's weighted R-squared (null for shap, whose numbers sum to score - bare).
LocalExplanations = Annotated[
    pa.Table,
    At(
        "data/explain/{task}/{model}.local.parquet",
        (
            ("method", "string"),
            ("doc_id", "string"),
            ("position", "int64"),
            ("piece", "string"),
            ("attribute", "string?"),
            ("importance", "double?"),
            ("score", "double"),
            ("bare", "double"),
            ("fit", "double?"),
        ),
        key=("method", "doc_id", "position"),
    ),
]
