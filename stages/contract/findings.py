"""The tables of the re-audit: what each published number of the NAACL 2022 paper is worth, and what is known against it."""

from typing import Annotated

import pyarrow as pa

from stages.contract.tables import At

# One row a released run (dataset, task, model, debiaser) and attribute set, with the integers behind its numbers where they are
# known. `people`: how many wrote the texts, where that is fewer. opposed: DI and ADI lie on different sides of 1; fv_of_selection: the
# published FV is a gap of selection rates, not of TPR. di: selection rates without smoothing; ci, katz: its intervals;
# null_low to null_high: where the published DI falls by chance in groups of these sizes; p_order: p for the furthest of all sets of
# the run and order; q_value: within the run, q_released: over all runs, q_people: with counts cut to so many people.
Findings = Annotated[
    pa.Table,
    At(
        "data/reaudit/findings.parquet",
        (
            ("dataset", "string"),
            ("task", "string"),
            ("model", "string"),
            ("debiaser", "string"),
            ("attributes", "string"),
            ("order", "int64"),
            ("printed", "bool"),
            ("recovered", "string"),
            ("people", "int64?"),
            ("texts", "int64?"),
            ("selected", "int64?"),
            ("n_protected", "int64?"),
            ("selected_protected", "int64?"),
            ("n_privileged", "int64?"),
            ("selected_privileged", "int64?"),
            ("published_di", "double"),
            ("published_adi", "double"),
            ("published_fv", "double"),
            ("published_di_star", "double"),
            ("opposed", "bool"),
            ("fv_of_selection", "bool?"),
            ("di", "double?"),
            ("ci_low", "double?"),
            ("ci_high", "double?"),
            ("katz_low", "double?"),
            ("katz_high", "double?"),
            ("null_low", "double?"),
            ("null_high", "double?"),
            ("p_value", "double?"),
            ("p_order", "double?"),
            ("q_value", "double?"),
            ("q_released", "double?"),
            ("q_people", "double?"),
            ("outside_four_fifths", "bool?"),
            ("finding", "string"),
            ("problems", "string"),
            ("reason", "string?"),
        ),
        key=("dataset", "task", "model", "debiaser", "attributes"),
    ),
]
# What is known against released numbers, each with its proof in a sentence, and how many of the findings' rows it concerns.
KnownProblems = Annotated[
    pa.Table,
    At("data/reaudit/problems.parquet", (("problem", "string"), ("where", "string"), ("proof", "string"), ("rows", "int64"))),
]
