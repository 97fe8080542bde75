"""The tables of relate: what order, debiasing and mitigation do to fairness over all cells, and whether it is more than a threshold."""

from typing import Annotated

import pyarrow as pa

from stages.contract.tables import At

# Who wrote each document, what its label decides and in which fold or part of a split it is: all that relate reads of documents.
Authors = Annotated[
    pa.Table,
    At(
        "data/ingest/{task}/documents.parquet",
        (("doc_id", "string"), ("author_id", "string"), ("fold", "string"), ("favourable", "bool")),
        key=("doc_id",),
        alone=True,
    ),
]
# One row a term of the regression of a cell's gap on order, representation, debiaser and mitigation. outcome: distance of adi, of di
# (|log|), or fv; term: "order", or "model - reference"; kind matched: the reference is the baseline at the model's selection rate;
# `representation` is a base and its family; null_low to null_high: what the term comes to when demographics are dealt anew in groups
# of these sizes; p_value: of order against that null, of two models by swapping their predictions; n: attribute sets x tasks (x models
# for order) that entered, undefined: those that could not; reason: why something is missing, or how else a baseline differs.
Effects = Annotated[
    pa.Table,
    At(
        "data/relate/effects.parquet",
        (
            ("outcome", "string"),
            ("kind", "string"),  # order | representation | debiaser | mitigation | matched
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
# A debiased or mitigated model beside its baseline, and beside that baseline cut to the model's own selection rate. metric: di, adi, fv,
# or tpr (protected - privileged); values are the gaps themselves, `difference` is that of their distances from parity (|log| of a
# ratio), model - matched: below 0 the model is fairer. q_value: among the sets of its task, model and metric.
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
            ("matched_accuracy", "double?"),
            ("reason", "string?"),
        ),
        key=("task", "model", "attributes", "metric"),
    ),
]
# How embedding bias goes along with downstream bias: rank correlation, over embeddings x tasks, of a probe's figure with an outcome
# (distance of adi, of di, or fv), each task centred. probe: "probe test statistic vectors"; n: embeddings, that is bases and their
# debiasers; p_value: with the figures dealt anew among the embeddings; q_value: among all probes of an outcome and coefficient.
ProbesAndOutcomes = Annotated[
    pa.Table,
    At(
        "data/relate/probes.parquet",
        (
            ("probe", "string"),
            ("outcome", "string"),
            ("coefficient", "string"),  # spearman | kendall
            ("value", "double?"),
            ("ci_low", "double?"),
            ("ci_high", "double?"),
            ("p_value", "double?"),
            ("q_value", "double?"),
            ("n", "int64"),
            ("reason", "string?"),
        ),
        key=("probe", "outcome", "coefficient"),
    ),
]
