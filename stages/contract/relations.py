"""The tables of relate: what order, debiasing and mitigation do to fairness over all cells, and whether it is more than a threshold."""

from typing import Annotated

import pyarrow as pa

from stages.contract.tables import At

# One row a term of the regression of a cell's gap on order, representation, debiaser and mitigation. outcome: distance of adi, of di
# (|log|), or fv; `representation` is a base and its family; null_low to null_high: what the term comes to when demographics are
# dealt anew in groups of these sizes; n: cells x attribute sets that entered, undefined: those that could not.
Effects = Annotated[
    pa.Table,
    At(
        "data/relate/effects.parquet",
        (
            ("outcome", "string"),
            ("kind", "string"),  # order | representation | debiaser | mitigation
            ("term", "string"),
            ("representation", "string?"),
            ("value", "double?"),
            ("ci_low", "double?"),
            ("ci_high", "double?"),
            ("null_mean", "double?"),
            ("null_low", "double?"),
            ("null_high", "double?"),
            ("p_value", "double?"),
            ("q_value", "double?"),
            ("n", "int64"),
            ("undefined", "int64"),
            ("reason", "string?"),
        ),
        key=("outcome", "term"),
    ),
]
# A debiased or mitigated model beside its baseline, and beside that baseline cut to the model's own selection rate. metric: di, adi, fv;
# values are the gaps themselves, `difference` is that of their distances from parity, model - matched: below 0 the model is fairer.
Matched = Annotated[
    pa.Table,
    At(
        "data/relate/matched.parquet",
        (
            ("task", "string"),
            ("model", "string"),
            ("baseline", "string"),
            ("attributes", "string"),
            ("order", "int64"),
            ("metric", "string"),
            ("value", "double?"),
            ("baseline_value", "double?"),
            ("matched_value", "double?"),
            ("difference", "double?"),
            ("ci_low", "double?"),
            ("ci_high", "double?"),
            ("p_value", "double?"),
            ("q_value", "double?"),
            ("selection_rate", "double"),
            ("baseline_selection_rate", "double"),
            ("accuracy", "double"),
            ("baseline_accuracy", "double"),
            ("matched_accuracy", "double"),
            ("reason", "string?"),
        ),
        key=("task", "model", "attributes", "metric"),
    ),
]
# How the models' embedding bias goes along with their downstream bias: rank correlation over models of a probe's figure with an
# outcome, each task's cells centred; n: models.
ProbesAndOutcomes = Annotated[
    pa.Table,
    At(
        "data/relate/probes.parquet",
        (
            ("probe", "string"),
            ("outcome", "string"),
            ("value", "double?"),
            ("ci_low", "double?"),
            ("ci_high", "double?"),
            ("p_value", "double?"),
            ("n", "int64"),
            ("reason", "string?"),
        ),
        key=("probe", "outcome"),
    ),
]
