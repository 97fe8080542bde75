"""The tables of challenge and respond: sentences whose predictions should not depend on whom they speak of, and the predictions."""

from typing import Annotated

import pyarrow as pa

from stages.contract.tables import At

# One row a sentence. template: what it was made from; person: the name or noun phrase in its dictionary form; emotion is null where the
# template names none; emotion_word: the word for it or, in released sets of identity terms, the sentence without them. One further
# column an attribute (gender, group, ...): the person's value, null where the words say nothing of it ("my sister" has a gender and no
# group). favourable: the label that the template gives its sentences whoever is named, null where it gives none.
Challenge = Annotated[
    pa.Table,
    At(
        "data/challenge/{challenge}.parquet",
        (
            ("sentence_id", "string"),
            ("text", "string"),
            ("lang", "string"),
            ("template", "string"),
            ("emotion", "string?"),
            ("emotion_word", "string?"),
            ("person", "string"),
            ("favourable", "bool?"),
        ),
        key=("sentence_id",),
        others=("string",),
    ),
]
# What the fitted models of a cell say of the sentences put to them, a mean over folds: y_score in the task's units, unit_score on a
# scale where the lowest label of the task is 0 and the highest 1. The columns of Challenge but for the text and its language.
Responses = Annotated[
    pa.Table,
    At(
        "data/respond/{task}/{model}.parquet",
        (
            ("challenge", "string"),
            ("sentence_id", "string"),
            ("template", "string"),
            ("emotion", "string?"),
            ("emotion_word", "string?"),
            ("person", "string"),
            ("favourable", "bool?"),
            ("y_score", "double"),
            ("unit_score", "double"),
        ),
        key=("challenge", "sentence_id"),
        others=("string",),
    ),
]
