"""A simulated survey whose true fairness figures are known in closed form.

``people`` respondents x ``texts`` texts in English, all written by a grammar (``stages/datasets/simulated_survey.yaml``, ours,
licence as the repository). It is no evidence about any real group: its differences are planted, to see whether the benchmark
finds them. The label is a trait score in [0, 1]; at least 0.5 is favourable.
"""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field
from scipy import stats

from stages.contract import yaml_file
from stages.contract.bad_input import BadInput
from stages.contract.params import Section
from stages.contract.values import Seed

Where = dict[str, Any]


class Params(Section):
    """Which trait is asked for, how many people answer with how many texts each, and the seed of the draw."""

    trait: str
    people: int = Field(default=600, ge=10)
    texts: int = Field(default=2, ge=1)
    seed: Seed = 1


def check(source: Path, _label: str, params: Params) -> None:
    """BadInput where the survey does not ask for the trait."""
    _survey(source, params)


def load(source: Path, label: str, params: Params) -> pd.DataFrame:
    """The survey's documents. People and their demographics depend on the seed alone, so that traits can be compared."""
    survey, trait = _survey(source, params)
    if label != params.trait:
        raise BadInput(f"params.yaml: label {label!r} is not the trait that the survey asks for, {params.trait!r}.")
    random = np.random.default_rng(params.seed)
    people = pd.DataFrame(
        {name: random.choice(list(shares), params.people, p=list(shares.values())) for name, shares in _shares(survey).items()}
    ).astype({"age": float, "income": float})
    declined = random.random((params.people, people.shape[1])) < survey["unknown"]

    # From 1, as numpy seeds [seed, 0] and seed alike: label draws would then repeat the demographic ones.
    random = np.random.default_rng([params.seed, 1 + list(survey["traits"]).index(params.trait)])
    favourable = random.random(params.people) < base_rate(trait, people)
    score = np.floor((favourable + random.random(params.people)) / 2 * 10_000) / 10_000
    opposite = misspoken(survey, trait, people, favourable)
    writer = np.repeat(np.arange(params.people), params.texts)
    texts = [_text(survey, trait, people.iloc[i], favourable[i], opposite[i], random) for i in writer]
    documents = pd.DataFrame(
        {
            "doc_id": [f"person{i:05d}_text{j}" for i, j in itertools.product(range(params.people), range(params.texts))],
            "author_id": [f"person{i:05d}" for i in writer],
            "text": texts,
            "lang": "en",
            "label": score[writer],
        }
    )
    answers = people.mask(declined).iloc[writer].reset_index(drop=True)
    return pd.concat([documents, answers], axis=1)


def population(source: Path, params: Params) -> pd.DataFrame:
    """Each kind of respondent x label x decision of the ideal reader, with its probability ``mass`` (sums to 1).

    With k trait words, each saying the opposite with probability e, the ideal reader decides favourable for a favourable text
    with probability P(Binomial(k, 1 - e) > k/2), and for an unfavourable one with P(Binomial(k, e) > k/2).
    """
    survey, trait = _survey(source, params)
    shares = _shares(survey)
    kinds = pd.DataFrame(list(itertools.product(*shares.values())), columns=list(shares)).astype({"age": float, "income": float})
    mass = np.prod(np.array(list(itertools.product(*(values.values() for values in shares.values())))), axis=1)
    rate = base_rate(trait, kinds)
    parts = []
    for label, decision in itertools.product([True, False], repeat=2):
        says = misspoken(survey, trait, kinds, np.full(len(kinds), label))
        words = survey["trait_words"]
        favourable = stats.binom.sf(words // 2, words, 1 - says if label else says)
        share = mass * (rate if label else 1 - rate) * (favourable if decision else 1 - favourable)
        parts.append(kinds.assign(mass=share, favourable=label, decision=decision))
    return pd.concat(parts, ignore_index=True)


def base_rate(trait: dict[str, Any], people: pd.DataFrame) -> NDArray[np.float64]:
    """P(favourable | demographics) for each person: the trait's rate plus every addition whose conditions all hold."""
    return trait["favourable"] + _added(trait["base_rates"], people)


def misspoken(survey: dict[str, Any], trait: dict[str, Any], people: pd.DataFrame, favourable: NDArray[np.bool_]) -> NDArray[np.float64]:
    """P(a trait word says the opposite of the trait) for each person; the text bias concerns favourable people only."""
    return survey["misspoken"] + np.where(favourable, _added(trait["text_bias"], people), 0.0)


def _added(effects: list[dict[str, Any]], people: pd.DataFrame) -> NDArray[np.float64]:
    total = np.zeros(len(people))
    for effect in effects:
        total += np.where(np.logical_and.reduce([_holds(people[name], rule) for name, rule in effect["where"].items()]), effect["add"], 0.0)
    return total


def _holds(values: pd.Series, rule: Any) -> NDArray[np.bool_]:
    if isinstance(rule, dict):
        return (values > rule["over"]).to_numpy() if "over" in rule else (values < rule["under"]).to_numpy()
    return values.isin(rule).to_numpy()


def _shares(survey: dict[str, Any]) -> dict[str, dict[Any, float]]:
    return {name: _uniform(**values) if "from" in values else values for name, values in survey["attributes"].items()}


def _uniform(**bounds: int) -> dict[Any, float]:
    values = range(bounds["from"], bounds["to"] + 1)
    return dict.fromkeys(values, 1 / len(values))


def _text(
    survey: dict[str, Any], trait: dict[str, Any], person: pd.Series, favourable: bool, opposite: float, random: np.random.Generator
) -> str:
    clauses = random.choice(trait["clauses"], survey["trait_words"], replace=False)
    says_favourable = (random.random(survey["trait_words"]) >= opposite) == favourable
    words = [random.choice(trait["favourable_words" if says else "unfavourable_words"]) for says in says_favourable]
    sentences = [random.choice(trait["openers"])] + [clause.replace("{word}", word) for clause, word in zip(clauses, words, strict=True)]
    if random.random() < survey["self_description"]:
        name = random.choice(list(survey["descriptions"]))
        value = f"{person[name]:.0f}" if name in ("age", "income") else person[name]
        sentences.insert(1, survey["descriptions"][name].replace("{value}", value))
    return " ".join(sentences)


def _survey(source: Path, params: Params) -> tuple[dict[str, Any], dict[str, Any]]:
    if not source.is_file():
        raise BadInput(f"{source} is missing; it holds the grammar of the simulated survey.")
    survey = yaml_file.read(source)
    if params.trait not in survey["traits"]:
        raise BadInput(f"{source}: trait {params.trait!r} is not among {', '.join(survey['traits'])}.")
    return survey, survey["traits"][params.trait]
