"""The rows of explained texts: by word, whether identity terms stand out, and a few texts whole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from stages.explanations.asking import Explained
from stages.explanations.importances import importances
from stages.explanations.leaning import Permutations, compared
from stages.explanations.words import Words

NONE_MET = "no identity term is among the explained words"


@dataclass(frozen=True)
class Study:
    """Explained texts: ``found`` [texts][methods]. ``attributes``: what each identity term speaks of; ``frequency``: texts of the task
    that hold a token; ``candidates``: how many texts there were to draw from."""

    methods: Sequence[str]
    doc_ids: Sequence[str]
    words: Sequence[Words]
    found: Sequence[Sequence[Explained]]
    attributes: Mapping[str, str]
    frequency: Mapping[str, int]
    candidates: int


def by_token(study: Study, confidence: float) -> pd.DataFrame:
    """One row a method and token."""
    tokens = [token for words in study.words for token in words.tokens]
    parts = []
    for place, method in enumerate(study.methods):
        values = np.concatenate([each[place].importance for each in study.found])
        parts.append(importances(tokens, values, confidence).assign(method=method))
    rows = pd.concat(parts, ignore_index=True)
    rows["attribute"] = rows["token"].map(study.attributes.get).astype(object)
    return rows.assign(frequency=rows["token"].map(study.frequency.__getitem__))


def leanings(study: Study, tokens: pd.DataFrame, dealt: Permutations) -> pd.DataFrame:
    """One row a method, attribute ("": all) and measure, of what ``by_token`` gives; q-values (Benjamini and Hochberg) over all rows."""
    rows: list[dict[str, Any]] = []
    for place, method in enumerate(study.methods):
        part = tokens[tokens["method"] == method]
        fits = [fit for fit in (each[place].fit for each in study.found) if fit is not None]
        about = {"method": method, "documents": len(study.found), "candidates": study.candidates}
        about["fit"] = float(np.median(fits)) if fits else None
        for attribute in ["", *sorted(part["attribute"].dropna().unique())]:
            of_others = part["attribute"].isna()
            marked = ~of_others if attribute == "" else part["attribute"] == attribute
            looked = part[marked | of_others]
            for measure, column in (("absolute", "absolute"), ("signed", "importance")):
                values = looked[column].to_numpy()
                found = compared(values, marked[looked.index].to_numpy(), looked["frequency"].to_numpy(), dealt)
                rows.append({**about, "attribute": attribute, "measure": measure, **found})
                if not marked.any():
                    rows[-1]["reason"] = NONE_MET
    table = pd.DataFrame(rows)
    table["p_value"] = table["p_value"].astype(float)
    known = table["p_value"].notna()
    table.loc[known, "q_value"] = stats.false_discovery_control(table.loc[known, "p_value"]) if known.any() else np.nan
    return table


def whole(study: Study, shown: Sequence[int]) -> pd.DataFrame:
    """The pieces of the texts at ``shown``, in order, by each method."""
    rows = []
    for place, method in enumerate(study.methods):
        for text in shown:
            words, explained = study.words[text], study.found[text][place]
            said = {"score": explained.score, "bare": explained.bare, "fit": explained.fit}
            for position, (piece, number) in enumerate(zip(words.pieces, words.number.tolist(), strict=True)):
                attribute = study.attributes.get(words.tokens[number]) if number >= 0 else None
                importance = float(explained.importance[number]) if number >= 0 else None
                about = {"method": method, "doc_id": study.doc_ids[text], "position": position, "piece": piece}
                rows.append(about | {"attribute": attribute, "importance": importance} | said)
    names = ("method", "doc_id", "position", "piece", "attribute", "importance", "score", "bare", "fit")
    return pd.DataFrame(rows, columns=names)
