"""One cell of two revisions: identical, compared on the documents they share, or not comparable, and why."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from flows.revisions import History, Revision
from stages.contract.schemas import AttributeSets, Documents, Predictions, Scores, Subgroups
from stages.contract.vocabulary import COLLAPSED
from stages.metrics import as_published, paired
from stages.metrics.paired import NO_EVIDENCE, NOT_COMPARABLE, PERFORMANCE, Rules
from stages.metrics.scoring import Sets
from stages.metrics.shared_documents import Shared, Tables, share

IDENTICAL, OTHERWISE = "identical", "same predictions, evaluated otherwise"
COMPARED, PARTLY, ONLY = "compared", "partly comparable", {"a": "only in A", "b": "only in B"}
AT = {"documents": Documents, "subgroups": Subgroups, "sets": AttributeSets, "predictions": Predictions, "scores": Scores}
# Where one of these differs, the two do not learn or decide the same thing.
OF_TASK = ("label", "kind", "threshold", "favourable", "dataset.use", "dataset.coding")
DEFAULTS = {"kind": "classification", "threshold": 0.5, "favourable": "high"}
NAMES = {"replicates": "bootstrap count", "conventions": "convention", "permutations": "permutation count", "seed": "seed"}


@dataclass(frozen=True)
class Cell:
    """What came of a task and model: ``status``, ``reasons``, counts of documents, and what share of them each side selects."""

    task: str
    model: str
    status: str
    reasons: list[str] = field(default_factory=list)
    documents: dict[str, int] = field(default_factory=dict)
    selection: tuple[float, float] | None = None


def paths(task: str, model: str) -> dict[str, str]:
    return {name: table.__metadata__[0].path.format(task=task, model=model) for name, table in AT.items()}


def identical(a: Revision, b: Revision, task: str, model: str) -> bool:
    """Whether all bytes that a comparison would look at are the same."""
    return all(a.hashes.get(path) == b.hashes.get(path) for path in paths(task, model).values())


def compare_cell(history: History, a: Revision, b: Revision, names: tuple[str, str], rules: Rules) -> tuple[Cell, pd.DataFrame]:
    """A cell that both have and that is not identical, with a row a figure; whose bytes have been fetched."""
    tables = [{key: history.read(side, at.__metadata__[0], **_named(names)) for key, at in AT.items()} for side in (a, b)]
    scores = [side["scores"].to_pandas() for side in tables]
    of_inputs = [path for key, path in paths(*names).items() if key != "scores"]
    if all(a.hashes[path] == b.hashes[path] for path in of_inputs):
        reason = "the same predictions, evaluated otherwise: " + ", ".join(evaluation(a, b, names) or ["the evaluation's code"])
        return Cell(*names, OTHERWISE, [reason]), _with_cell(as_published.changed(scores[0], scores[1], reason), reason)
    reasons = task_reasons(a, b, names)
    if reasons:
        return _nothing(names, reasons, {}, scores)
    recoded = other_coding(a, b, names[0])
    sides = [Tables(side["documents"], side["subgroups"], side["predictions"]) for side in tables]
    shared, documents = share(sides[0], sides[1], recoded)
    if not documents["compared"]:
        return _nothing(names, [f"other data: no document in common that is the same in both ({_counted(documents)})"], documents, scores)
    sets = _sets(tables, set(shared.status.columns))
    conventions = tuple(name for name in dict.fromkeys(scores[0]["convention"]) if name in set(scores[1]["convention"]))
    rows = paired.compare(shared, sets, conventions, rules)
    flat = collapsed(shared)
    if flat:
        of_gaps = rows["family"] != PERFORMANCE
        rows.loc[of_gaps, ["p_value", "ci_low", "ci_high"]] = None
        rows.loc[of_gaps, ["verdict", "reason"]] = [NOT_COMPARABLE, flat]
    why = _Why({"+".join(chosen) for chosen in sets}, conventions, recoded)
    rows = as_published.beside(rows, scores[0], scores[1], why)
    partly = [*_partly(documents), *(f"other coding of {name}" for name in sorted(recoded)), *([flat] if flat else [])]
    cell = Cell(*names, PARTLY if partly else COMPARED, partly, documents, (shared.selected[0].mean(), shared.selected[1].mean()))
    return cell, rows


def evaluation(a: Revision, b: Revision, names: tuple[str, str]) -> list[str]:
    """By which settings, or code, two revisions evaluate a cell otherwise."""
    stage = f"evaluate@{names[0]}-{names[1]}"
    one, other = (side.params.get(stage, {}).get("evaluate", {}) for side in (a, b))
    found = [
        f"other {NAMES.get(key, key)} (evaluate.{key} {one.get(key, 'default')} → {other.get(key, 'default')})"
        for key in sorted({*one, *other})
        if one.get(key) != other.get(key)
    ]
    code = [
        {path: md5 for path, md5 in side.deps.get(stage, {}).items() if path.startswith("stages/evaluate") or path == "stages/metrics"}
        for side in (a, b)
    ]
    return found + (["other code of the evaluation"] if code[0] != code[1] else [])


def task_reasons(a: Revision, b: Revision, names: tuple[str, str]) -> list[str]:
    """In what the task itself differs."""
    one, other = (_task(side, names) for side in (a, b))
    differ = [key for key in OF_TASK if at(one, key) != at(other, key)]
    return [f"task changed: {key} {at(one, key)} → {at(other, key)}" for key in differ]


def other_coding(a: Revision, b: Revision, task: str) -> set[str]:
    """The attributes whose rule of who is privileged differs."""
    rules = []
    for side in (a, b):
        recorded = side.params.get(f"subgroup@{task}", {})
        section, use = recorded.get("subgroup", {}), at(recorded, f"tasks.{task}.dataset") or {}
        rules.append(section.get("attributes", {}) | section.get("datasets", {}).get(use.get("use"), {}))
    return {name for name in rules[0] if name in rules[1] and rules[0][name] != rules[1][name]}


@dataclass(frozen=True)
class _Why:
    """Why a published figure was not compared."""

    sets: set[str]
    conventions: tuple[str, ...]
    recoded: set[str]

    def __call__(self, figure: pd.Series) -> tuple[str, str]:
        where = "" if figure["in_a"] and figure["in_b"] else f"only in {'A' if figure['in_a'] else 'B'}"
        if figure["convention"] not in self.conventions:
            return NOT_COMPARABLE, f"other convention: {figure['convention']} {where}"
        own = sorted(self.recoded & set(figure["attributes"].split("+")))
        if own:
            return NOT_COMPARABLE, f"other coding of {' and '.join(own)}"
        if where:
            what = "the metric is" if figure["attributes"] in self.sets or not figure["attributes"] else "the attribute set is"
            return NOT_COMPARABLE, f"{what} {where}"
        return NO_EVIDENCE, as_published.NOT_TESTED


def _nothing(
    names: tuple[str, str], reasons: list[str], documents: dict[str, int], scores: list[pd.DataFrame]
) -> tuple[Cell, pd.DataFrame]:
    reason = "; ".join(reasons)
    rows = as_published.beside(pd.DataFrame(), scores[0], scores[1], lambda _: (NOT_COMPARABLE, reason))
    return Cell(*names, NOT_COMPARABLE, reasons, documents), rows


def whole_cell(reason: str) -> pd.DataFrame:
    """The one row of a cell of which no figure can be compared."""
    place = {"attributes": "", "order": 0, "group": "everyone", "metric": "every figure", "convention": "", "family": "cell"}
    return pd.DataFrame([place | {"verdict": NOT_COMPARABLE, "reason": reason}])


def _with_cell(rows: pd.DataFrame, reason: str) -> pd.DataFrame:
    return pd.concat([whole_cell(reason), rows], ignore_index=True) if len(rows) else whole_cell(reason)


def _sets(tables: list[dict[str, Any]], known: set[str]) -> Sets:
    """The attribute sets of both whose attributes are coded alike."""
    one, other = (list(dict.fromkeys(side["sets"]["attributes"].to_pylist())) for side in tables)
    return [chosen for chosen in (tuple(name.split("+")) for name in one if name in set(other)) if set(chosen) <= known]


def collapsed(shared: Shared) -> str | None:
    lost = [f"{side} selects {'every' if chosen.all() else 'no'} text" for side, chosen in zip("AB", shared.selected, strict=True)]
    lost = [told for told, chosen in zip(lost, shared.selected, strict=True) if chosen.all() or not chosen.any()]
    return f"{COLLAPSED}: {' and '.join(lost)}, so that gaps say nothing" if lost else None


def _partly(documents: dict[str, int]) -> list[str]:
    told = _counted(documents)
    return [f"other data: {told}"] if told else []


def _counted(documents: dict[str, int]) -> str:
    words = {"only_a": "only in A", "only_b": "only in B"}
    words |= {f"changed_{what}": f"with another {what}" for what in ("text", "author", "label")} | {
        "changed_demographics": "with other demographics"
    }
    return ", ".join(f"{documents[key]:,} documents {how}" for key, how in words.items() if documents[key])


def _task(side: Revision, names: tuple[str, str]) -> dict[str, Any]:
    recorded = side.params.get(f"predict@{names[0]}-{names[1]}", {}) | side.params.get(f"ingest@{names[0]}", {})
    return DEFAULTS | (recorded.get(f"tasks.{names[0]}") or side.design["tasks"][names[0]])


def at(params: Mapping[str, Any], key: str) -> Any:
    """The value at a key as DVC records it, whole, or else part by part."""
    if key in params:
        return params[key]
    first, _, rest = key.partition(".")
    inside = params.get(first)
    return at(inside, rest) if rest and isinstance(inside, Mapping) else None


def _named(names: tuple[str, str]) -> dict[str, str]:
    return dict(zip(("task", "model"), names, strict=True))
