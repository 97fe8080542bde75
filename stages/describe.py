"""documents -> how labels go along with whom texts mention and with what authors declared: the data's own bias, before any model"""

from collections.abc import Iterator
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field

from stages.contract.command import command
from stages.contract.descriptions import MINED, Descriptions
from stages.contract.params import Design, Name, Section
from stages.contract.schemas import Documents
from stages.contract.tables import column_names, from_pandas
from stages.mentions import published, word_lists
from stages.mentions.word_lists import WORDS, Lookup, WordList, Words
from stages.metrics.association import associate
from stages.metrics.comparisons import wilson
from stages.metrics.fairness import ratio
from stages.metrics.moments import Moments, moments
from stages.metrics.testing import benjamini_hochberg

FIXED = ("doc_id", "author_id", "text", "lang", "fold", "label", "favourable")
LANG = "en"  # of the word lists
OTHER = "other"  # the attribute of words that are in no list
Positions = NDArray[np.int64]
Found = dict[tuple[str, str, str], dict[int, None]]  # attribute, group, term ("" for the group itself): texts, in order


class Params(Section):
    """``attributes``: the word lists (``stages/mentions/words``) to count; ``terms``: further words, each counted by itself.

    ``ambiguous``: words that also mean other things ("black", "old") count beside words for people, always or never.
    ``conventions``: crossbias, whole words in any case with plurals, a text refers to every group it mentions; assessment2021, the
    paper's: terms as they are written, groups by the majority of their words, ties to none.
    """

    attributes: tuple[Name, ...] = ("gender", "religion", "ethnicity", "sexual_orientation", "disability", "age", "nationality")
    terms: tuple[str, ...] = ()
    ambiguous: Literal["in_context", "always", "never"] = "in_context"
    conventions: tuple[Literal["crossbias", "assessment2021"], ...] = Field(default=("crossbias", "assessment2021"), min_length=1)
    confidence: float = Field(default=0.95, gt=0, lt=1)


class Held(NamedTuple):
    """What is counted, and the positions of the texts that hold it."""

    convention: str
    kind: str
    about: str
    attribute: str
    category: str
    term: str
    positions: Positions


def check(_: Design, params: Params) -> None:
    """BadInput where an attribute has no word list."""
    word_lists.chosen(word_lists.read(WORDS), params.attributes, "params.yaml: describe")


def run(documents: Documents, params: Params) -> Descriptions:
    """A row of counts, shares, base rate and association for every term found, every group, and every category of every column.

    Words are looked for in English texts and compared with English texts, mined columns too, as they are null elsewhere. BadInput: an
    attribute without a word list.
    """
    frame = documents.to_pandas()
    lists = word_lists.chosen(word_lists.read(WORDS), params.attributes, "params.yaml: describe")
    english = frame[frame["lang"] == LANG].reset_index(drop=True)
    if len(english) < len(frame):
        print(f"describe: {len(frame) - len(english)} of {len(frame)} texts are not English and are not searched for words", flush=True)
    words = mentioned(english["text"].tolist(), lists, params) if len(english) else iter(())
    mined = [name for name in frame.columns if name.startswith(MINED)]
    searched = english[mined] if len(english) else pd.DataFrame()
    declared = frame.drop(columns=mined)
    rows = [*_rows(english, chain(words, categories(searched)), params), *_rows(frame, categories(declared), params)]
    found = pd.DataFrame(rows, columns=[name for name in column_names(Descriptions) if name != "q_value"])
    found["q_value"] = np.nan
    for _, part in found.groupby("convention"):
        found.loc[part.index, "q_value"] = benjamini_hochberg(part["p_value"].to_numpy(dtype=float))
    print(f"describe: {len(found)} rows", flush=True)
    return from_pandas(found)


def mentioned(texts: list[str], lists: list[WordList], params: Params) -> Iterator[Held]:
    """Terms and groups by each convention. A term stands when a text holds it or ``terms`` ask for it; a group always."""
    for convention, find in (("crossbias", _as_ours), ("assessment2021", _as_published)):
        if convention in params.conventions:
            for (attribute, group, term), positions in find(texts, lists, params).items():
                found = np.fromiter(positions, dtype=np.int64)
                yield Held(convention, "term" if term else "group", "mentioned", attribute, group, term, found)


def _as_ours(texts: list[str], lists: list[WordList], params: Params) -> Found:
    further = [WordList(about="", attribute=OTHER, groups={"": Words(words=" ".join(term.replace(" ", "_") for term in params.terms))})]
    lookup = Lookup.of(lists + further, params.ambiguous)
    groups = [(each.attribute, group, "") for each in lists for group in each.groups]
    found: Found = {key: {} for key in [*((OTHER, "", term) for term in params.terms), *groups]}
    for position, text in enumerate(texts):
        for attribute, group, term in lookup.find(text):
            found.setdefault((attribute, group, term), {})[position] = None
            if attribute != OTHER:
                found[attribute, group, ""][position] = None
    return found


def _as_published(texts: list[str], lists: list[WordList], params: Params) -> Found:
    owners = {term: (each.attribute, group) for each in lists for group, term, form, _ in each.forms() if term == form and "_" not in term}
    owners |= {term: (OTHER, "") for term in params.terms if term not in owners}
    found: Found = {}
    for term in params.terms:
        found[*owners[term], term] = {}
    for position, terms in enumerate(published.holding(texts, owners)):
        for term in sorted(terms):
            found.setdefault((*owners[term], term), {})[position] = None
    for each in lists:
        for group in each.groups:
            found[each.attribute, group, ""] = {}
        for position, most in enumerate(published.majority(texts, published.words_of(each))):
            if most is not None:
                found[each.attribute, most, ""][position] = None
    return found


def categories(frame: pd.DataFrame) -> Iterator[Held]:
    """Every category of every column of words, unknown among them: mined ones are about whom a text mentions. Numbers are left out."""
    for name in frame.columns:
        if name in FIXED or pd.api.types.is_numeric_dtype(frame[name]):
            continue
        values = frame[name].fillna("unknown")
        for category in sorted(values.unique()):
            about = "mentioned" if name.startswith(MINED) else "declared"
            yield Held("crossbias", "category", about, name, category, "", np.flatnonzero(values == category))


def _rows(frame: pd.DataFrame, found: Iterator[Held], params: Params) -> Iterator[dict[str, Any]]:
    favourable, author = frame["favourable"].to_numpy(dtype=bool), pd.factorize(frame["author_id"])[0].astype(np.int64)
    every = _moments(favourable, np.ones(len(frame)), author)
    rate = every.value()
    alike = every.alike(rate * (1 - rate))
    for each in found:
        held = np.zeros(len(frame), dtype=bool)
        held[each.positions] = True
        own = _moments(held & favourable, held, author)
        base = wilson(own.value(), own.worth(alike), params.confidence)
        association = associate(held, favourable, author, params.confidence)
        yield {
            **{name: value for name, value in each._asdict().items() if name != "positions"},
            "texts": int(own.texts[0]),
            "authors": int(own.people[0]),
            "favourable": int(own.hits[0]),
            "n": len(frame),
            "n_favourable": int(every.hits[0]),
            "share": held.mean(),
            "share_favourable": float(ratio(own.hits[0], every.hits[0])),
            "share_unfavourable": float(ratio(own.texts[0] - own.hits[0], len(frame) - every.hits[0])),
            "base_rate": base.value[0],
            "base_low": base.low[0],
            "base_high": base.high[0],
            "ci_low": association.low,
            "ci_high": association.high,
            **association._asdict(),
        }


def _moments(hits: NDArray[Any], texts: NDArray[Any], author: Positions) -> Moments:
    """Of the rate of ``hits`` among ``texts``, both 0 or 1 a text."""
    by_author = [np.bincount(author, part).astype(np.float64) for part in (hits, texts)]
    return moments(by_author[0], by_author[1], np.zeros(len(by_author[0]), dtype=np.int64), 1)


if __name__ == "__main__":
    command(run)
