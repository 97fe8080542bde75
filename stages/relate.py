"""predictions of all cells -> how fairness goes along with order, base, debiaser, mitigation, selection rate and embedding bias."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pydantic import Field

from stages.contract.command import command
from stages.contract.params import Design, Section
from stages.contract.probes import Probes
from stages.contract.relations import Authors, Effects, Matched, ProbesAndOutcomes
from stages.contract.schemas import AttributeSets, Predictions, Subgroups
from stages.contract.tables import column_names, from_pandas
from stages.contract.values import Seed
from stages.metrics import correlations
from stages.metrics.effects import OUTCOMES, contrast, effects
from stages.metrics.matched import matched
from stages.metrics.matching import MATCHED, REPRESENTATION, Comparison, comparisons
from stages.metrics.panel import Panel
from stages.metrics.panels import panels_of
from stages.metrics.resampling import METRICS, Resampled, resample

Numbers = NDArray[np.float64]


class Params(Section):
    """``draws``: how often people are drawn, swapped and dealt anew; with fewer than ``fewest`` people in a group no test of a set."""

    seed: Seed = 6
    draws: int = Field(default=1000, ge=100)
    confidence: float = Field(default=0.95, gt=0, lt=1)
    fewest: int = Field(default=10, ge=1)


def run(
    documents: Authors,
    subgroups: Subgroups,
    sets: AttributeSets,
    predictions: Predictions,
    probes: Probes,
    design: Design,
    params: Params,
) -> tuple[Effects, Matched, ProbesAndOutcomes]:
    """Regression over all tasks, models and attribute sets; debiased and mitigated models beside matched baselines; probes and gaps.

    Tasks without attribute sets, whose documents say nothing of their authors, are left out; without any other there are no rows.
    """
    grouped = set(sets["task"].to_pylist())
    design = design.model_copy(update={"tasks": {name: task for name, task in design.tasks.items() if name in grouped}})
    if not design.tasks:
        return _table([], Effects), _table([], Matched), _table([], ProbesAndOutcomes)
    documents = documents.filter(pc.is_in(documents["task"], pa.array(list(design.tasks))))
    names = list(design.models)
    compared = comparisons(design.models)
    cut = [comparison for comparison in compared if comparison.kind != REPRESENTATION]
    # Behind the models of each task stand the matched baselines, in the order of `cut`.
    pairs = [(names.index(comparison.model), names.index(comparison.reference)) for comparison in compared]
    pairs += [(names.index(comparison.model), len(names) + place) for place, comparison in enumerate(cut)]
    panels = panels_of(documents, subgroups, sets, predictions, design, cut)
    tasks = _resampled(panels, design, pairs, params)
    terms = [*compared, *(comparison._replace(kind=MATCHED) for comparison in cut)]
    found = effects(list(tasks.values()), terms, pairs, len(names), params.confidence)
    figures, outcomes = _by_embedding(probes.to_pandas(), list(tasks.values()), design)
    going_along = correlations.rows(figures, outcomes, params.draws, params.confidence, params.seed)
    beside = _matched(tasks, cut, pairs, names, params)
    return _table(found, Effects), _table(beside, Matched), _table(going_along, ProbesAndOutcomes)


def _matched(
    tasks: dict[str, Resampled], cut: list[Comparison], pairs: list[tuple[int, int]], names: list[str], params: Params
) -> list[dict[str, Any]]:
    rows = []
    for task, resampled in tasks.items():
        for place, comparison in enumerate(cut, start=len(pairs) - len(cut)):
            three = (pairs[place][0], names.index(comparison.reference), pairs[place][1])
            named = {"task": task, "model": comparison.model, "baseline": comparison.reference}
            rows += [named | row for row in matched(resampled, three, place, params.confidence, params.fewest)]
    return rows


def _by_embedding(probes: pd.DataFrame, tasks: list[Resampled], design: Design) -> tuple[dict[str, Numbers], dict[str, Numbers]]:
    """Figures [embeddings] by name, mean distances [tasks, embeddings] by outcome; models of one base and debiaser share an embedding."""
    embedding, _ = pd.factorize(np.array([repr((model.base, model.debiaser)) for model in design.models.values()]))
    members = [np.flatnonzero(embedding == number) for number in range(embedding.max() + 1)]
    probes["name"] = probes["probe"] + " " + probes["test"] + " " + probes["statistic"] + " " + probes["vectors"]
    figures = probes.pivot_table(index="name", columns="model", values="value", sort=False, dropna=False)
    figures = figures.reindex(columns=[list(design.models)[own[0]] for own in members])
    outcomes = {
        outcome: np.array([[contrast(task.point[own, :, METRICS.index(outcome)].ravel()) for own in members] for task in tasks])
        for outcome in OUTCOMES
    }
    return {str(name): row.to_numpy(dtype=float) for name, row in figures.iterrows()}, outcomes


def _resampled(panels: dict[str, Panel], design: Design, pairs: list[tuple[int, int]], params: Params) -> dict[str, Resampled]:
    """Tasks of one source have their people in common and are resampled together."""
    found: dict[str, Resampled] = {}
    for number, source in enumerate(dict.fromkeys(task.dataset.source for task in design.tasks.values())):
        own = [name for name, task in design.tasks.items() if task.dataset.source == source]
        resampled = resample([panels[name] for name in own], pairs, params.draws, (params.seed, number))
        found |= dict(zip(own, resampled, strict=True))
    return {name: found[name] for name in design.tasks}


def _table(rows: list[dict[str, Any]], table: Any) -> pa.Table:
    return from_pandas(pd.DataFrame(rows).reindex(columns=column_names(table)))


if __name__ == "__main__":
    command(run)
