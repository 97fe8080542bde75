"""What the tables that pass between stages look like, and where they lie."""

from typing import Annotated

import pyarrow as pa

from stages.contract.tables import At


def _columns(**types: str) -> tuple[tuple[str, str], ...]:
    return tuple(types.items())


# Every text with its label and the decoded demographics of its author; `favourable` is the label's decision.
Documents = Annotated[
    pa.Table,
    At(
        "data/ingest/{task}/documents.parquet",
        _columns(doc_id="string", author_id="string", text="string", lang="string", fold="string", label="double", favourable="bool"),
        key=("doc_id",),
        others=("string", "double"),
    ),
]
# The population behind simulated documents: each kind of person x label x decision of the ideal reader with its probability
# mass, in the attribute columns of Documents. No rows for real data, whose population nobody knows.
Population = Annotated[
    pa.Table,
    At(
        "data/ingest/{task}/population.parquet",
        _columns(mass="double", favourable="bool", decision="bool"),
        others=("string", "double"),
    ),
]
# One column an attribute (privileged / protected / null = unknown) and one, `<attribute>_value`, with the decoded category.
Subgroups = Annotated[
    pa.Table, At("data/subgroup/{task}/subgroups.parquet", _columns(doc_id="string"), key=("doc_id",), others=("string",))
]
PopulationSubgroups = Annotated[
    pa.Table,
    At(
        "data/subgroup/{task}/population.parquet",
        _columns(mass="double", favourable="bool", decision="bool"),
        others=("string",),
    ),
]
# Every set of attributes met together ("gender+race", order 2) with the texts and people of each of its groups.
AttributeSets = Annotated[
    pa.Table,
    At(
        "data/subgroup/{task}/sets.parquet",
        _columns(attributes="string", order="int64", group="string", texts="int64", authors="int64"),
        key=("attributes", "group"),
    ),
]
# Out-of-fold predictions. y_true: the label the model learned (0/1, or the score of a regression); y_pred: 1 = favourable.
Predictions = Annotated[
    pa.Table,
    At(
        "data/predict/{task}/{model}.parquet",
        _columns(doc_id="string", fold="string", y_true="double", y_score="double", y_pred="int64"),
        key=("doc_id",),
    ),
]
# One number a row. attributes "" and order 0 is everyone. `n` is the metric's own denominator; a null value has a reason;
# `planted` is the ideal reader's true value where the population is known; `p_value`, `q_value` and `verdict` test equality, and
# groups of these sizes show values from `null_low` to `null_high` by chance.
Scores = Annotated[
    pa.Table,
    At(
        "data/evaluate/{task}/{model}/scores.parquet",
        _columns(
            attributes="string",
            order="int64",
            group="string",
            metric="string",
            convention="string",
            value="double?",
            ci_low="double?",
            ci_high="double?",
            n="int64?",
            n_protected="int64?",
            n_privileged="int64?",
            planted="double?",
            p_value="double?",
            q_value="double?",
            verdict="string?",
            null_low="double?",
            null_high="double?",
            flagged="bool?",
            reason="string?",
        ),
        key=("attributes", "group", "metric", "convention"),
    ),
]
# Every group that people are in, as they are ("woman, Black" of gender+race): one row a metric and what it is compared with.
# `effective_people` is how many people with equally many texts each would tell as much as `people` do; `pooled` is the second estimate
# of a rate, drawn towards groups alike; `p_value` is adjusted for all groups of the set, `q_value` for all sets of the metric too.
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
            effective_people="double?",
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
