"""Responses by template and by name -> differences between groups within each template, and each name beside the rest of its group."""

from collections.abc import Iterator, Mapping
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from scipy import stats

from stages.reporting.contrasted import CELL
from stages.reporting.wording import ROUNDING

Vector = NDArray[np.float64]
Chosen = NDArray[np.bool_]
TEXTS = ("challenge", "task", "model", "kind", "item", "people", "beside")
REALS = ("mean", "mean_beside", "difference", "ci_low", "ci_high")
COLUMNS = [
    *((name, pa.string()) for name in TEXTS),
    *((name, pa.float64()) for name in REALS),
    *((name, pa.int64()) for name in ("names", "names_beside", "sentences")),
    ("reason", pa.string()),
]
TEMPLATE, NAME = "template", "name"


def references_of(responses: pa.Table, listed: Mapping[str, tuple[str, ...]]) -> dict[str, dict[str, str]]:
    """Of each challenge, the category of each attribute to compare with: the first of those ``listed`` that it has."""
    found: dict[str, dict[str, str]] = {}
    for attribute in [attribute for attribute in listed if attribute in responses.column_names]:
        there = responses.select(["challenge", attribute]).group_by(["challenge", attribute], use_threads=False).aggregate([])
        has = {(row["challenge"], row[attribute]) for row in there.to_pylist()}
        for challenge in dict.fromkeys(there["challenge"].to_pylist()):
            known = next((category for category in listed[attribute] if (challenge, category) in has), None)
            found.setdefault(challenge, {}).update({} if known is None else {attribute: known})
    return found


def read(responses: pa.Table, fits: pd.DataFrame, references: Mapping[str, Mapping[str, str]], confidence: float) -> pa.Table:
    """One row a template (and category), one a name, of each challenge, task and model of ``fits``; sentences are those of its regression.

    The difference of a template is the mean score of people of a category, or of several attributes' categories together, less that of
    the people of reference on these attributes, with Welch's interval over names. Of a name it is its mean less that of the other names
    of its group, and has no interval. Scores are on the scale where the task's lowest label is 0 and its highest 1.
    """
    attributes = list(dict.fromkeys(attribute for known in references.values() for attribute in known))
    sums = _sums(responses, attributes) if len(fits) else {}
    rows: list[dict[str, Any]] = []
    for fit in fits.to_dict("records"):
        about = {"challenge": fit["corpus"], "task": fit["task"], "model": fit["model"]}
        own = sums.get(tuple(about.values()))
        if own is None:
            continue
        known = references[fit["corpus"]]
        named = own[(own["emotion"] == fit["emotion"]) | (fit["emotion"] == "all")].dropna(subset=list(known))
        rows += [{**about, **row} for row in (*_templates(named, known, confidence), *_names(named, list(known)))]
    return pa.Table.from_pylist(rows, schema=pa.schema(COLUMNS))


def _sums(responses: pa.Table, attributes: list[str]) -> dict[Any, pd.DataFrame]:
    """Sums of scores and numbers of sentences by template, emotion and person, of each challenge, task and model."""
    keys = ["challenge", *CELL[1:], "emotion", "template", "person", *attributes]
    table = responses.group_by(keys, use_threads=False).aggregate([("unit_score", "sum"), ("unit_score", "count")])
    return dict(iter(table.to_pandas().groupby(["challenge", *CELL[1:]], sort=False)))


def _people(named: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Each person's mean ``score`` and number of ``sentences``."""
    found = named.groupby(keys, sort=False)[["unit_score_sum", "unit_score_count"]].sum().reset_index()
    return found.assign(score=found["unit_score_sum"] / found["unit_score_count"], sentences=found["unit_score_count"])


def _templates(named: pd.DataFrame, references: Mapping[str, str], confidence: float) -> Iterator[dict[str, Any]]:
    categories = {name: [of, *sorted(set(named[name]) - {of})] for name, of in references.items()}
    for template, part in _people(named, ["template", "person", *references]).groupby("template", sort=False):
        score, sentences = part["score"].to_numpy(), part["sentences"].to_numpy()
        is_of = {(name, of): (part[name] == of).to_numpy() for name, listed in categories.items() for of in listed}
        for chosen in [some for number in range(1, len(references) + 1) for some in combinations(references, number)]:
            for met in product(*(categories[attribute][1:] for attribute in chosen)):
                beside = [references[attribute] for attribute in chosen]
                sides = [np.all([is_of[pair] for pair in zip(chosen, values, strict=True)], axis=0) for values in (met, beside)]
                about = {"kind": TEMPLATE, "item": template, "people": ", ".join(met), "beside": ", ".join(beside)}
                yield about | _difference(score, sentences, *sides) | _welch([score[side] for side in sides], confidence)


def _names(named: pd.DataFrame, attributes: list[str]) -> Iterator[dict[str, Any]]:
    for group, part in _people(named, ["person", *attributes]).groupby(attributes, sort=False):
        score, sentences = part["score"].to_numpy(), part["sentences"].to_numpy()
        for place, person in enumerate(part["person"]):
            own = np.arange(len(part)) == place
            about = {"kind": NAME, "item": person, "people": ", ".join(group), "beside": "the other names of the group"}
            alone = "no other name of the group" if len(part) == 1 else "one name"
            yield about | _difference(score, sentences, own, ~own) | {"ci_low": None, "ci_high": None, "reason": alone}


def _difference(score: Vector, sentences: NDArray[np.int64], side: Chosen, other: Chosen) -> dict[str, Any]:
    first, second = (float(score[chosen].mean()) if chosen.any() else None for chosen in (side, other))
    difference = None if first is None or second is None else first - second
    names = {"names": int(side.sum()), "names_beside": int(other.sum()), "sentences": int(sentences[side | other].sum())}
    return {"mean": first, "mean_beside": second, "difference": difference} | names


def _welch(sides: list[Vector], confidence: float) -> dict[str, Any]:
    """The interval of a difference of means of independent names whose spreads may differ (Welch 1947)."""
    if min(map(len, sides)) < 2:
        return {"ci_low": None, "ci_high": None, "reason": "fewer than two names on a side"}
    if max(map(np.ptp, sides)) < ROUNDING:
        return {"ci_low": None, "ci_high": None, "reason": "the scores of the names of a side are the same"}
    variances = np.array([side.var(ddof=1) / len(side) for side in sides])
    degrees = variances.sum() ** 2 / sum(variance**2 / (len(side) - 1) for variance, side in zip(variances, sides, strict=True))
    half = float(stats.t.ppf((1 + confidence) / 2, degrees) * np.sqrt(variances.sum()))
    difference = float(sides[0].mean() - sides[1].mean())
    return {"ci_low": difference - half, "ci_high": difference + half, "reason": None}
