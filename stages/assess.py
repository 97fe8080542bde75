"""all that was measured -> one assessment, arranged by the seven requirements of ALTAI, a model card and a table of impact ratios"""

from collections.abc import Iterator
from typing import Annotated, Any

import pandas as pd
import pyarrow as pa
from pydantic import Field

from stages.contract.command import command
from stages.contract.descriptions import Descriptions
from stages.contract.design import settings
from stages.contract.explanations import Explanations, Leanings
from stages.contract.params import Design, Name, Section
from stages.contract.probes import Probes
from stages.contract.relations import Authors
from stages.contract.schemas import AttributeSets, Groups, Predictions, Scores, Subgroups
from stages.contract.swaps import Identities, SwapEffects
from stages.contract.tables import At, from_pandas
from stages.metrics.impact_ratios import COLUMNS, impact_ratios
from stages.reporting import assessment, assessment_made, results, tables
from stages.reporting.assessment_card import card
from stages.reporting.assessment_made import Sizes
from stages.reporting.assessment_measured import Measured
from stages.reporting.assessment_published import published

Page = Annotated[str, At("data/assess/index.html")]
Markdown = Annotated[str, At("data/assess/index.md")]
ModelCard = Annotated[str, At("data/assess/model_card.md")]
ImpactRatios = Annotated[pa.Table, At("data/assess/impact_ratios.csv")]

SHOWN = ("ingest", "subgroup", "finetune", "describe", "swap", "contrast", "explain", "evaluate")
REPORT = "../report/index.html"
BESIDE = ("index.md", "model_card.md", "impact_ratios.csv")


class Params(Section):
    """The page's ``title``; ``sex`` and ``race``: of each the attribute that impact ratios go by, the first that a task has.

    ``leave_out_small``: categories under 2 % of the data have no impact ratio, as 6 RCNY 5-301(d) lets an auditor decide.
    ``footprint``: what `crossbias footprint` said of an earlier run, in a sentence; it differs from run to run.
    """

    title: str = "Ethical assessment"
    sex: tuple[Name, ...] = Field(default=("sex", "gender", "mentioned_gender"), min_length=1)
    race: tuple[Name, ...] = Field(default=("race", "ethnicity", "mentioned_ethnicity"), min_length=1)
    leave_out_small: bool = False
    footprint: str | None = None


def run(  # noqa: PLR0917 - a stage's signature is its declaration
    authors: Authors,
    subgroups: Subgroups,
    predictions: Predictions,
    scores: Scores,
    groups: Groups,
    sets: AttributeSets,
    descriptions: Descriptions,
    effects: SwapEffects,
    identities: Identities,
    tokens: Explanations,
    leanings: Leanings,
    figures: Probes,
    design: Design,
    params: Params,
) -> tuple[Page, Markdown, ModelCard, ImpactRatios]:
    """The assessment of the design's cells. What was not asked for stands on the page as not measured, with the reason."""
    sections: dict[str, Any] = {stage: settings(design, stage) for stage in SHOWN}
    rules = sections["evaluate"]
    found = results.read(scores, sets, list(design.tasks), list(design.models))
    ratios = impact(authors, subgroups, predictions, params, rules.confidence)
    measured = Measured(found, groups, ratios, descriptions, effects, identities, tokens, leanings, figures)
    parts = assessment_made.parts(design, found, _sizes(authors, predictions), sections, params.footprint) | measured.parts(rules)
    theirs = published(measured, [name for name, task in design.tasks.items() if task.dataset.use == "hate_speech"])
    page, text = assessment.render(parts, params.title, assessment_made.about(design, found), REPORT, theirs, BESIDE)
    model_card = card(parts, params.title, [tables.rules(sections["subgroup"])], assessment_made.rules(rules))
    return page, text, model_card, from_pandas(ratios)


def _sizes(authors: pa.Table, predictions: pa.Table) -> dict[str, Sizes]:
    """Of each task its texts, those that a model decided on, and their authors."""
    whole = authors.select(["task", "doc_id", "author_id"]).to_pandas()
    decided = whole.merge(predictions.select(["task", "doc_id"]).to_pandas().drop_duplicates(), on=["task", "doc_id"]).groupby("task")
    people = decided["author_id"].nunique()
    return {task: Sizes(int(texts), int(decided.size()[task]), int(people[task])) for task, texts in whole["task"].value_counts().items()}


def impact(authors: pa.Table, subgroups: pa.Table, predictions: pa.Table, params: Params, confidence: float) -> pd.DataFrame:
    """The impact ratios of every cell whose task knows sex or race."""
    values, who = subgroups.to_pandas(), authors.to_pandas().drop(columns="favourable")
    cells = [pd.DataFrame(columns=["task", "model", *COLUMNS])]
    for (task, model), decided in predictions.to_pandas().groupby(["task", "model"], sort=False):
        known = values[values["task"] == task].dropna(axis="columns", how="all")
        chosen = list(_chosen(known, params))
        if chosen:
            frame = decided[["doc_id", "y_pred"]].merge(known[["doc_id", *chosen]], on="doc_id", validate="one_to_one")
            frame = frame.merge(who.loc[who["task"] == task, ["doc_id", "author_id"]], on="doc_id", validate="one_to_one")
            named = frame[chosen].rename(columns=lambda name: name.removesuffix("_value"))
            people = pd.factorize(frame["author_id"])[0]
            own = impact_ratios(named, frame["y_pred"].to_numpy() == 1, people, confidence, params.leave_out_small)
            cells.append(own.assign(task=task, model=model))
    return pd.concat(cells, ignore_index=True) if len(cells) > 1 else cells[0]


def _chosen(values: pd.DataFrame, params: Params) -> Iterator[str]:
    """The columns of categories that stand for sex and for race, where there are any."""
    for names in (params.sex, params.race):
        yield from [f"{name}_value" for name in names if f"{name}_value" in values][:1]


if __name__ == "__main__":
    command(run)
