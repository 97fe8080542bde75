"""Scores of labelled template sentences -> how each group of people they mention is judged, intersections included."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from stages.contrasts.ranks import Ranks
from stages.contrasts.swapped import Vector, mean_interval

CELL = ["challenge", "task", "model"]
OTHER_COLUMNS = {*CELL, "sentence_id", "template", "emotion", "emotion_word", "person", "favourable", "y_score", "unit_score"}


def identities(responses: pd.DataFrame, order: int, confidence: float) -> pd.DataFrame:
    """The rows of ``Identities`` of all cells: ``responses`` with a label, ``unit_score`` the higher the more favourable.

    Of a group g on a set of attributes, with x its sentences and O_x the sentences alike but for the other groups of the set,

    difference   mean over x of score(x) - mean score(O_x)
    cb_sum       sum over x of g(x) (score(x) - mean score(O_x)), g = 1 where the label is favourable, else -1
    cb_mean      the same, mean: what does not grow with the number of sentences
    mean_favourable, mean_unfavourable   mean score of its sentences by their label

    cb is CB of Singh et al. 2021 (section 6.4), whose p is the probability of the unfavourable label, and whose g is -1 where the label
    is favourable: the same number. Sets of up to ``order`` attributes; q_value: Benjamini and Hochberg over all rows of a metric.
    """
    cells = [(dict(zip(CELL, cell, strict=True)), part) for cell, part in responses.groupby(CELL, sort=False)]
    rows = [row for about, part in cells for row in _of_cell(part, about, order, confidence)]
    return _with_q_values(pd.DataFrame(rows)) if rows else pd.DataFrame()


def _of_cell(sentences: pd.DataFrame, about: dict[str, str], order: int, confidence: float) -> Iterator[dict[str, Any]]:
    attributes = [name for name in sentences if name not in OTHER_COLUMNS and sentences[name].notna().any()]
    score, favourable = sentences["unit_score"].to_numpy(float), sentences["favourable"].to_numpy(bool)
    templates = pd.factorize(sentences["template"])[0]
    ranks = Ranks(score, favourable, templates)
    for number in range(1, order + 1):
        for chosen in map(list, combinations(attributes, number)):
            named = sentences[chosen].notna().all(axis=1).to_numpy()
            groups = sentences[named].groupby(chosen, sort=True).indices if named.any() else {}
            if len(groups) < 2:
                continue
            alike = _alike(sentences, chosen, attributes)
            for group, places in groups.items():
                member = np.zeros(len(sentences), dtype=bool)
                member[np.flatnonzero(named)[places]] = True
                known = {"attributes": "+".join(chosen), "order": number, "group": ", ".join(np.atleast_1d(group))}
                known |= {"n": int(member.sum()), "templates": len(np.unique(templates[member]))}
                apart = _beside_others(score, member, named, alike)
                biases = _biases(apart, favourable, templates, member, confidence)
                means = _means(score, favourable, templates, member, confidence)
                for metric, row in (*biases, *means, *_aucs(ranks, member, confidence)):
                    yield {**about, **known, "metric": metric, **row}


def _alike(sentences: pd.DataFrame, chosen: list[str], attributes: list[str]) -> NDArray[np.int64]:
    """A number [sentences] for all that may differ but the chosen attributes and the words for them."""
    rest = ["template", "emotion_word", *(name for name in attributes if name not in chosen)]
    return sentences.groupby(rest, sort=False, dropna=False).ngroup().to_numpy()


def _beside_others(score: Vector, member: NDArray[np.bool_], named: NDArray[np.bool_], alike: NDArray[np.int64]) -> Vector:
    """score - mean score of the sentences alike about other groups [sentences]; NaN outside the group and where there is no other."""
    others, frames = named & ~member, int(alike.max()) + 1
    sums, numbers = np.bincount(alike[others], score[others], frames), np.bincount(alike[others], minlength=frames)
    with np.errstate(invalid="ignore"):
        return np.where(member, score - (sums / numbers)[alike], np.nan)


def _biases(
    apart: Vector, favourable: NDArray[np.bool_], templates: NDArray[np.int64], member: NDArray[np.bool_], confidence: float
) -> Iterator[tuple[str, dict[str, Any]]]:
    there = member & ~np.isnan(apart)
    if not there.any():
        for metric in ("difference", "cb_sum", "cb_mean"):
            yield metric, {"value": np.nan, "reason": "no sentence has a counterpart about another group"}
        return
    clusters = pd.factorize(templates[there])[0]
    signed = np.where(favourable[there], 1.0, -1.0) * apart[there]
    for metric, values in (("difference", apart[there]), ("cb_mean", signed)):
        low, high, p_value, reason = mean_interval(values, clusters, confidence, "template")
        yield metric, {"value": float(values.mean()), "ci_low": low, "ci_high": high, "p_value": p_value, "reason": reason}
        if metric == "cb_mean":
            yield "cb_sum", {"value": float(values.sum()), "ci_low": low * len(values), "ci_high": high * len(values), "reason": reason}


def _means(
    score: Vector, favourable: NDArray[np.bool_], templates: NDArray[np.int64], member: NDArray[np.bool_], confidence: float
) -> Iterator[tuple[str, dict[str, Any]]]:
    for metric, there in (("mean_favourable", member & favourable), ("mean_unfavourable", member & ~favourable)):
        if not there.any():
            yield metric, {"value": np.nan, "reason": "no sentence has this label"}
            continue
        low, high, _, reason = mean_interval(score[there], pd.factorize(templates[there])[0], confidence, "template")
        yield metric, {"value": float(score[there].mean()), "ci_low": low, "ci_high": high, "reason": reason}


def _aucs(ranks: Ranks, member: NDArray[np.bool_], confidence: float) -> Iterator[tuple[str, dict[str, Any]]]:
    for metric, found in ranks.aucs(member, confidence).items():
        yield metric, dict(zip(("value", "ci_low", "ci_high", "reason"), found, strict=True))


def _with_q_values(rows: pd.DataFrame) -> pd.DataFrame:
    q_values = pd.Series(np.nan, index=rows.index)
    for _, family in rows[rows["p_value"].notna()].groupby("metric"):
        q_values[family.index] = stats.false_discovery_control(family["p_value"])
    return rows.assign(q_value=q_values)
