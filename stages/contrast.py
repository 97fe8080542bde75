"""responses of every cell -> what it does to the scores who is named: one regression of each challenge, task and model"""

import functools
import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Literal

import pandas as pd
import pyarrow as pa
from pydantic import Field

from stages.contract.bad_input import BadInput
from stages.contract.challenges import Responses
from stages.contract.command import command
from stages.contract.contrasts import ContrastFits, Contrasts
from stages.contract.params import Design, Name, Section
from stages.contract.tables import column_names, from_pandas
from stages.contrasts.methods import METHODS, Rules
from stages.contrasts.rows import contrasts, with_q_values

Method = Literal["beta_expected", "beta_observed", "beta_cluster", "mixed", "ols_as_published"]


class Params(Section):
    """``references``: of each attribute to look at, the categories to compare with; a challenge has one of them.

    ``methods`` and ``test``: see ``stages.contrasts.methods``. ``processes``: how many regressions are fitted at once.
    """

    references: dict[Name, tuple[str, ...]] = Field(default={"gender": ("male",), "group": ("white", "Anglo", "European")}, min_length=1)
    methods: tuple[Method, ...] = METHODS  # type: ignore[assignment]
    test: Literal["t", "z"] = "t"
    confidence: float = Field(default=0.95, gt=0, lt=1)
    processes: int = Field(default=1, ge=1)


def run(responses: Responses, design: Design, params: Params) -> tuple[Contrasts, ContrastFits]:
    """The terms of each regression and how well it fits; the q-values of a method are over all challenges, tasks and models.

    A task about one emotion (``affect``) is asked of the sentences about it, any other of all. Sentences that leave an attribute open
    ("my sister" has no group) are left out, as in Camara et al. 2022. BadInput: a challenge has no category to compare with.
    """
    chosen = list(_questions(responses.to_pandas(), design))
    with ProcessPoolExecutor(params.processes, multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(functools.partial(_fit, params=params), chosen)) if chosen else []
    if not found:
        return _empty(Contrasts), _empty(ContrastFits)
    terms = with_q_values(pd.concat([rows for rows, _ in found], ignore_index=True))
    return from_pandas(terms[column_names(Contrasts)]), from_pandas(pd.DataFrame([fit for _, fit in found])[column_names(ContrastFits)])


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
    rules = Rules(references, methods=params.methods, test=params.test, confidence=params.confidence)
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


def _empty(table: Any) -> pa.Table:
    empty: pa.Table = table.__metadata__[0].empty()
    return empty


if __name__ == "__main__":
    command(run)
