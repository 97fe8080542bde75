"""documents, subgroups, predictions -> scores: performance, the rates of every group, the gaps of every attribute set, with intervals."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pydantic import Field

from stages.contract.bad_input import BadInput
from stages.contract.command import command
from stages.contract.params import Section
from stages.contract.schemas import AttributeSets, Groups, PopulationSubgroups, Predictions, Scores, Subgroups
from stages.contract.tables import At, column_names, from_pandas
from stages.contract.values import Seed
from stages.metrics import collapsed, exact, thresholds
from stages.metrics.calibration_curves import calibration_curves
from stages.metrics.class_report import score_classes
from stages.metrics.contingency import tabulate, tabulate_population
from stages.metrics.estimates import estimates
from stages.metrics.group_scores import score_groups
from stages.metrics.group_tests import compare_groups
from stages.metrics.groups import Groups as AsTheyAre
from stages.metrics.groups import gather
from stages.metrics.most_extreme import most_extreme
from stages.metrics.performance import METRICS
from stages.metrics.roc_curves import roc_curves
from stages.metrics.scoring import OURS, PAIR, Cell, Row, Rules, Sets, finite, sample, score_gaps, score_performance, score_rates
from stages.metrics.shown_groups import panels
from stages.metrics.verdicts import with_tests

# The texts themselves are most of the documents' bytes, and nothing here looks at them.
Labelled = Annotated[
    pa.Table,
    At(
        "data/ingest/{task}/documents.parquet",
        (("doc_id", "string"), ("author_id", "string"), ("fold", "string"), ("favourable", "bool")),
        key=("doc_id",),
        others=("string", "double"),
        alone=True,
    ),
]
Metrics = Annotated[dict, At("data/evaluate/{task}/{model}/metrics.json")]
Roc = Annotated[pa.Table, At("data/evaluate/{task}/{model}/roc.csv")]
Calibration = Annotated[pa.Table, At("data/evaluate/{task}/{model}/calibration.csv")]


class Params(Section):
    """Bootstrap ``replicates`` and ``confidence`` of intervals, at most so many ``permutations`` of tests; gaps, under which conventions.

    A q-value up to ``level`` is a disparity; with fewer than ``fewest`` people in a gap's own denominator nothing can be told.
    Beside the verdict, ratios below ``least_ratio`` (or above one over it) and differences above ``most_difference`` are flagged.
    """

    seed: Seed = 1
    replicates: int = Field(default=10_000, ge=100)
    permutations: int = Field(default=20_000, ge=100)
    confidence: float = Field(default=0.95, gt=0, lt=1)
    level: float = Field(default=0.05, gt=0, lt=1)
    fewest: int = Field(default=10, ge=1)
    least_ratio: float | None = Field(default=0.8, gt=0, lt=1)
    most_difference: float | None = Field(default=None, gt=0)
    gaps: tuple[Literal["di", "di_star", "adi", "fv"], ...] = Field(default=("di", "di_star", "adi", "fv"), min_length=1)
    conventions: tuple[Literal["crossbias", "naacl2022"], ...] = Field(default=("crossbias", "naacl2022"), min_length=1)


def run(
    documents: Labelled,
    subgroups: Subgroups,
    population: PopulationSubgroups,
    sets: AttributeSets,
    predictions: Predictions,
    params: Params,
) -> tuple[Scores, Groups, Metrics, Roc, Calibration]:
    """Scores of one cell of the benchmark, of every group of people as it is, its few headline figures as DVC metrics, and its curves.

    Without attribute sets there is performance alone.
    """
    frame = joined(documents, subgroups, predictions)
    frame["author_id"] = pd.factorize(frame["author_id"])[0]  # numbers for names, found once
    chosen: Sets = [tuple(name.split("+")) for name in dict.fromkeys(sets.column("attributes").to_pylist())]
    rules = Rules(**params.model_dump(include={field.name for field in dataclasses.fields(Rules)}))
    with ThreadPoolExecutor(1) as beside:
        pairs = beside.submit(_score_pairs, frame, population, chosen, rules, params)
        rows, groups = _score_groups(frame, chosen, rules)
    shown = panels(frame, chosen)
    return *scored(pairs.result() + rows, groups, params), roc_curves(frame, shown), calibration_curves(frame, shown, params.confidence)


def scored(rows: list[Row], groups: pd.DataFrame, params: Params) -> tuple[pa.Table, pa.Table, dict[str, Any]]:
    """The tables and the headline, from the rows of scores and the frame of groups."""
    scores = pd.DataFrame(rows).reindex(columns=column_names(Scores))
    in_counts = exact.of_groups(groups) if len(groups) else lambda _: None
    groups = groups.reindex(columns=column_names(Groups))
    flat = collapsed.reason(scores)
    scores, groups = collapsed.marked(scores, flat), collapsed.marked(groups, flat)
    bounds = params.least_ratio, params.most_difference
    scores["flagged"] = thresholds.flagged(scores["value"], thresholds.kinds_of_gaps(scores), *bounds, exact.of_scores(scores, groups))
    groups["flagged"] = thresholds.flagged(groups["value"], thresholds.kinds_of_comparisons(groups), *bounds, in_counts)
    return from_pandas(scores), from_pandas(groups), headline(scores)


def _score_pairs(frame: pd.DataFrame, population: pa.Table, sets: Sets, rules: Rules, params: Params) -> list[Row]:
    """Performance, and rates and gaps of the protected and the privileged group of each set."""
    overall = score_performance(frame, rules) + score_classes(frame, rules)
    if not sets:
        return overall
    attributes = sorted({name for names in sets for name in names})
    table = tabulate(frame[attributes], frame["favourable"].to_numpy(), frame["y_pred"].to_numpy() == 1, frame["author_id"].to_numpy())
    return overall + score_table(sample(table, sets, rules, _planted(population, attributes, sets)), params)


def score_table(cell: Cell, params: Params) -> list[Row]:
    """Rates and gaps of the protected and the privileged group of each set."""
    rows = score_rates(cell)
    for convention in params.conventions:
        gaps = score_gaps(cell, convention, params.gaps)
        rows += with_tests(cell, gaps, params.gaps) if convention == OURS else gaps
    return rows


def _score_groups(frame: pd.DataFrame, sets: Sets, rules: Rules) -> tuple[list[Row], pd.DataFrame]:
    return compare_all(gather(frame, sets), rules) if sets else ([], pd.DataFrame(columns=column_names(Groups)))


def compare_all(groups: AsTheyAre, rules: Rules) -> tuple[list[Row], pd.DataFrame]:
    """Gaps over all groups of each set, and the scores of every group."""
    measured = estimates(groups)
    tests, rows = compare_groups(groups, measured, rules)
    scores = score_groups(groups, measured, tests, rules)
    return rows + most_extreme(scores, tests, rules), scores


def joined(documents: pa.Table, subgroups: pa.Table, predictions: pa.Table) -> pd.DataFrame:
    """One row a document with its subgroups and prediction; BadInput unless the three tables hold the same identifiers.

    Texts that a published split has for training and development are predicted by nobody, and left out.
    """
    apart = documents.filter(pc.is_in(documents["fold"], pa.array(["train", "dev"])))["doc_id"].combine_chunks()
    if len(apart):
        documents, subgroups = (table.filter(pc.invert(pc.is_in(table["doc_id"], apart))) for table in (documents, subgroups))
    frame = documents.select(["doc_id", "author_id", "favourable"]).to_pandas()
    for name, table in (("subgroups", subgroups), ("predictions", predictions)):
        if table.column("doc_id").equals(documents.column("doc_id")):  # nothing to look up
            frame = pd.concat([frame, table.drop_columns("doc_id").to_pandas()], axis=1)
            continue
        other = table.to_pandas()
        lost = len(set(frame["doc_id"]) ^ set(other["doc_id"]))
        if lost:
            raise BadInput(f"documents and {name} differ in {lost} identifiers; rerun the stages that write them (dvc repro).")
        frame = frame.merge(other, on="doc_id", validate="one_to_one")
    return frame


def headline(scores: pd.DataFrame) -> dict[str, Any]:
    """Performance, and by order the ADI furthest from 1 (as a ratio: 0.5 is as far as 2) and the largest FV; null where undefined."""
    everyone = scores[scores["group"] == "everyone"].set_index("metric")["value"]
    gaps = scores[(scores["group"] == PAIR) & (scores["convention"] == OURS)]
    found: dict[str, Any] = {metric: finite(everyone[metric]) for metric in METRICS}
    # An ADI of 0 is infinitely far from 1 and leads its order.
    distances = {"adi": lambda values: np.log(np.maximum(values, 1e-300)).abs(), "fv": lambda values: values}
    for metric, distance in distances.items():
        for order, values in gaps[gaps["metric"] == metric].groupby("order")["value"]:
            furthest = values.loc[distance(values).idxmax()] if values.notna().any() else None
            found.setdefault(metric, {})[f"order_{order}"] = finite(furthest)
    return found


def _planted(population: pa.Table, attributes: list[str], sets: Sets) -> NDArray[np.float64] | None:
    if population.num_rows == 0:
        return None
    frame = population.to_pandas()
    decided = (frame["favourable"].to_numpy(), frame["decision"].to_numpy())
    return tabulate_population(frame[attributes], *decided, frame["mass"].to_numpy()).sums(sets)


if __name__ == "__main__":
    command(run)
