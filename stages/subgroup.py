"""documents -> subgroups: who is privileged, protected or unknown on each attribute, and every set of attributes met together."""

import itertools
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field, model_validator

from stages.contract.bad_input import BadInput
from stages.contract.command import command
from stages.contract.params import Design, Name, Section, Task
from stages.contract.schemas import AttributeSets, Documents, Population, PopulationSubgroups, Subgroups
from stages.contract.tables import from_pandas

GROUPS = ("protected", "privileged", "mixed", "unknown")
UNKNOWN = -1
FIXED = {"doc_id", "author_id", "text", "lang", "fold", "label", "favourable", "mass", "decision"}


class Rule(Section):
    """Who is privileged on an attribute: the listed categories, or numbers up to or from a bound. Everyone else known is protected."""

    privileged: tuple[str, ...] | None = Field(default=None, min_length=1)
    privileged_at_most: float | None = None
    privileged_at_least: float | None = None

    @model_validator(mode="after")
    def one_way(self) -> Self:
        if sum(value is not None for value in (self.privileged, self.privileged_at_most, self.privileged_at_least)) != 1:
            raise ValueError("give exactly one of privileged, privileged_at_most, privileged_at_least")
        return self

    def holds(self, values: pd.Series) -> pd.Series:
        if self.privileged is not None:
            return values.isin(self.privileged)
        if self.privileged_at_most is not None:
            return values <= self.privileged_at_most
        return values >= self.privileged_at_least

    def sides(self) -> tuple[str, str]:
        """What the privileged and the protected side of a bound are called."""
        if self.privileged_at_most is not None:
            return f"up to {self.privileged_at_most:.10g}", f"over {self.privileged_at_most:.10g}"
        return f"{self.privileged_at_least:.10g} or more", f"below {self.privileged_at_least:.10g}"


class Params(Section):
    """The rule of each attribute, and which sets of attributes to meet together.

    ``datasets`` has rules of a data set's own, over those of ``attributes``: a survey of another country has other categories and
    another median age. ``containing`` keeps only the sets with that attribute (the NAACL 2022 paper: gender); orders go up to
    ``highest_order``.
    """

    attributes: dict[Name, Rule] = Field(default_factory=dict)
    datasets: dict[Name, dict[Name, Rule]] = Field(default_factory=dict)
    containing: Name | None = None
    highest_order: int = Field(default=5, ge=1)


def check(_: Design, params: Params) -> None:
    """BadInput where the attribute that every set is to hold has no rule."""
    ruled = {*params.attributes, *(name for rules in params.datasets.values() for name in rules)}
    if params.containing is not None and params.containing not in ruled:
        raise BadInput(f"params.yaml: subgroup.containing: {params.containing!r} is none of the attributes, {', '.join(sorted(ruled))}.")


def run(
    documents: Documents, population: Population, params: Params, task: Task | None = None
) -> tuple[Subgroups, PopulationSubgroups, AttributeSets]:
    """Code the attributes this data set has by their rules, for its documents and for the population behind them, if known.

    Of documents that say nothing of their authors there are no groups and no sets: evaluate then scores performance alone.
    """
    frame = documents.to_pandas()
    if set(frame.columns) <= FIXED:
        print("subgroup: these documents say nothing of their authors, so there are no groups", flush=True)
        return documents.select(["doc_id"]), population, AttributeSets.__metadata__[0].empty()
    rules = params.attributes | (params.datasets.get(task.dataset.use, {}) if task is not None else {})
    attributes = {name: rule for name, rule in rules.items() if name in frame}
    missing = [name for name in frame.columns if name not in FIXED and name not in attributes]
    if missing:
        print(f"subgroup: {', '.join(missing)} collected but without a rule in params.yaml, so not looked at", flush=True)
    if not attributes:
        raise BadInput(f"params.yaml: subgroup.attributes: none of {', '.join(rules) or '(no rules)'} is a column of the documents.")
    coded = code(frame, attributes)
    for name in attributes:
        if coded[name].isna().all():
            raise BadInput(
                f"attribute {name!r} is unknown for all {len(frame)} texts; take it out of subgroup.attributes or give its values."
            )
    simulated = population.to_pandas()
    planted = pd.concat([code(simulated, attributes), simulated[["mass", "favourable", "decision"]]], axis=1)
    sets = sets_of(list(attributes), params)
    status = {name: coded[name].map({"protected": 0, "privileged": 1}).fillna(UNKNOWN).to_numpy(dtype=np.int8) for name in attributes}
    author = pd.factorize(frame["author_id"])[0]
    sizes = pd.concat([_sizes(status, author, chosen) for chosen in sets], ignore_index=True)
    return from_pandas(pd.concat([frame["doc_id"], coded], axis=1)), from_pandas(_merged(planted)), from_pandas(sizes)


def code(frame: pd.DataFrame, attributes: dict[str, Rule]) -> pd.DataFrame:
    """Per attribute one column of privileged / protected / null (unknown) and one, ``<attribute>_value``, of its categories.

    Numbers are no categories: they have the two sides of their bound, such as "up to 55" and "over 55".
    """
    coded: dict[str, pd.Series] = {}
    for name, rule in attributes.items():
        values = frame[name]
        numeric = pd.api.types.is_numeric_dtype(values)
        if numeric == (rule.privileged is not None) and values.notna().any():
            kind = "numbers, so use privileged_at_most or privileged_at_least" if numeric else "categories, so use privileged: [...]"
            raise BadInput(f"params.yaml: subgroup.attributes.{name}: the documents hold {kind}.")
        absent = set(rule.privileged or ()) - set(values.dropna())
        if len(frame) and rule.privileged and absent == set(rule.privileged):
            there = ", ".join(sorted(map(str, values.dropna().unique()))[:12]) or "none"
            raise BadInput(f"params.yaml: subgroup.attributes.{name}: no text has a privileged category; there are: {there}.")
        known, privileged = values.notna(), rule.holds(values)
        coded[name] = pd.Series(np.where(privileged, "privileged", "protected"), values.index, dtype=object).where(known, None)
        as_is = values if rule.privileged is not None else pd.Series(np.where(privileged, *rule.sides()), values.index, dtype=object)
        coded[f"{name}_value"] = as_is.astype(object).where(known, None)
    return pd.DataFrame(coded)


def sets_of(attributes: list[str], params: Params) -> list[tuple[str, ...]]:
    """Every set of attributes of every order, those with ``containing`` only where it is given."""
    if params.containing is not None and params.containing not in attributes:
        raise BadInput(
            f"params.yaml: subgroup.containing: {params.containing!r} is not one of this data set's attributes, {', '.join(attributes)}."
        )
    orders = range(1, min(params.highest_order, len(attributes)) + 1)
    chosen = (combination for order in orders for combination in itertools.combinations(attributes, order))
    return [combination for combination in chosen if params.containing is None or params.containing in combination]


def _sizes(status: dict[str, NDArray[np.int8]], author: NDArray[np.int64], chosen: tuple[str, ...]) -> pd.DataFrame:
    parts = [status[name] for name in chosen]
    low, high = np.minimum.reduce(parts), np.maximum.reduce(parts)
    group = np.select([low == UNKNOWN, high == 0, low == 1], [GROUPS.index("unknown"), 0, 1], GROUPS.index("mixed"))
    seen = np.zeros((len(GROUPS), author.max() + 1), dtype=bool)
    seen[group, author] = True
    return pd.DataFrame(
        {
            "attributes": "+".join(chosen),
            "order": len(chosen),
            "group": list(GROUPS),
            "texts": np.bincount(group, minlength=len(GROUPS)),
            "authors": seen.sum(axis=1),
        }
    )


def _merged(planted: pd.DataFrame) -> pd.DataFrame:
    """The population by what the metrics see: kinds of people with the same coding are one row, their masses added."""
    keys = [name for name in planted.columns if name != "mass" and not name.endswith("_value")]
    return planted.groupby(keys, as_index=False, dropna=False)["mass"].sum()


if __name__ == "__main__":
    command(run)
