"""responses of every cell -> what it does to the scores who is named: regressions, swaps of texts, groups in labelled sentences"""

import functools
import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Annotated, Any, Literal, Self

import pandas as pd
import pyarrow as pa
from pydantic import Field, model_validator

from stages.contract.bad_input import BadInput
from stages.contract.challenges import Responses
from stages.contract.command import command
from stages.contract.contrasts import ContrastFits, Contrasts
from stages.contract.params import Design, Name, Section
from stages.contract.swaps import Identities, SwapEffects, SwapResponses
from stages.contract.tables import column_names, from_pandas
from stages.contract.workers import end_with_parent
from stages.contrasts.identities import identities
from stages.contrasts.methods import METHODS, Rules
from stages.contrasts.rows import contrasts, with_q_values
from stages.contrasts.swapped import swap_effects

Method = Literal["beta_expected", "beta_observed", "beta_cluster", "mixed", "ols_as_published"]
Categories = Annotated[tuple[str, ...], Field(min_length=1)]


class Params(Section):
    """``references``: of each attribute to look at, the categories to compare with; a challenge has one of them.

    ``methods`` and ``test``: see ``stages.contrasts.methods``. ``precision``: those of the attributes on which the precision of the
    Beta regressions depends too (by default none: it is constant), as scores may spread more in one group than in another.
    ``processes``: how many regressions are fitted at once.
    ``order``: how many attributes of labelled sentences are met together.
    """

    references: dict[Name, Categories] = Field(default={"gender": ("male",), "group": ("white", "Anglo", "European")}, min_length=1)
    methods: Annotated[tuple[Method, ...], Field(min_length=1)] = METHODS  # type: ignore[assignment]
    precision: tuple[Name, ...] = ()
    test: Literal["t", "z"] = "t"
    confidence: float = Field(default=0.95, gt=0, lt=1)
    processes: int = Field(default=1, ge=1)
    order: int = Field(default=2, ge=1)

    @model_validator(mode="after")
    def _precision_of_attributes(self) -> Self:
        unknown = [name for name in self.precision if name not in self.references]
        if unknown:
            raise ValueError(f"precision: {', '.join(unknown)}: list some of {', '.join(self.references)}")
        return self


def run(
    responses: Responses, swaps: SwapResponses, design: Design, params: Params
) -> tuple[Contrasts, ContrastFits, SwapEffects, Identities]:
    """The terms of each regression and how well it fits, the effects of swaps, and the groups that labelled sentences mention.

    Challenges whose templates have labels are for the groups, all others for the regressions.
    The q-values of a method are over all challenges, tasks and models.
    A task about one emotion (``affect``) is asked of the sentences about it, any other of all. Sentences that leave an attribute open
    ("my sister" has no group) are left out, as in Camara et al. 2022. BadInput: a challenge has no category to compare with.
    """
    said = responses.to_pandas()
    labelled = said["favourable"].notna()
    aside = (
        _table(swap_effects(swaps.to_pandas(), params.confidence), SwapEffects),
        _table(identities(_upwards(said[labelled], design), params.order, params.confidence), Identities),
    )
    chosen = list(_questions(said[~labelled], design))
    with ProcessPoolExecutor(params.processes, multiprocessing.get_context("spawn"), end_with_parent) as pool:
        found = list(pool.map(functools.partial(_fit, params=params), chosen)) if chosen else []
    if not found:
        return _empty(Contrasts), _empty(ContrastFits), *aside
    terms = with_q_values(pd.concat([rows for rows, _ in found], ignore_index=True))
    fits = pd.DataFrame([fit for _, fit in found])
    return from_pandas(terms[column_names(Contrasts)]), from_pandas(fits[column_names(ContrastFits)]), *aside


def _upwards(sentences: pd.DataFrame, design: Design) -> pd.DataFrame:
    """Sentences with scores turned so that the higher ones are the more favourable."""
    down = [name for name, task in design.tasks.items() if task.kind == "regression" and task.favourable == "low"]
    score = sentences["unit_score"]
    return sentences.assign(unit_score=score.where(~sentences["task"].isin(down), 1 - score))


def _questions(responses: pd.DataFrame, design: Design) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """What each regression is about, and its sentences."""
    for (challenge, task, model), part in responses.groupby(["challenge", "task", "model"], sort=False):
        affect = str(design.tasks[task].dataset.options.get("affect"))
        of_affect = part[part["emotion"] == affect]
        about = {"corpus": challenge, "task": task, "model": model, "emotion": "all" if of_affect.empty else affect}
        yield about, part if of_affect.empty else of_affect


def _fit(question: tuple[dict[str, str], pd.DataFrame], params: Params) -> tuple[pd.DataFrame, dict[str, Any]]:
    about, sentences = question
    references = {name: _reference(name, listed, sentences, about["corpus"]) for name, listed in params.references.items()}
    named = sentences.dropna(subset=list(references))
    clusters = pd.DataFrame({"template": named["template"] + " " + named["emotion_word"].fillna(""), "person": named["person"]})
    rules = Rules(references, precision=params.precision, methods=params.methods, test=params.test, confidence=params.confidence)
    return contrasts(named["unit_score"].to_numpy(), named[list(references)], clusters, rules, about)


def _reference(name: str, listed: tuple[str, ...], sentences: pd.DataFrame, challenge: str) -> str:
    there = set(sentences[name].dropna()) if name in sentences else set()
    found = [category for category in listed if category in there]
    if len(found) != 1:
        has = ", ".join(sorted(there)) or "none"
        raise BadInput(
            f"params.yaml: contrast.references.{name}: {challenge} must have one of {', '.join(listed)} to compare with, and has {has}."
        )
    return found[0]


def _table(rows: pd.DataFrame, table: Any) -> pa.Table:
    return _empty(table) if rows.empty else from_pandas(rows.reindex(columns=column_names(table)))


def _empty(table: Any) -> pa.Table:
    empty: pa.Table = table.__metadata__[0].empty()
    return empty


if __name__ == "__main__":
    command(run)
