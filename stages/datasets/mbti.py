"""PANDORA: Reddit comments with the Myers-Briggs type, gender and age that their authors stated about themselves.

17.6 million comments of 10,295 users, 9,067 with a type; the NAACL 2022 benchmark used 7,406 texts of 1,584 users in English. Labels:
introverted, intuitive, thinking, perceiving, each 1 or 0. Neither pole is good or bad; 1 counts as favourable, as in the benchmark.
To be had on request under an agreement only (psy.takelab.fer.hr); it may not be passed on. Cite Gjurković, Karan, Vukojević, Bošnjak
and Šnajder 2021, "PANDORA Talks: Personality and Demographics on Reddit" (SocialNLP).
Files: author_profiles.csv (author, gender, age, the four labels) and all_comments_since_2015.csv (author, body, lang), UTF-8.
"""

from collections import Counter
from pathlib import Path
from typing import Literal

import pandas as pd
from pydantic import Field

from stages.contract.bad_input import BadInput
from stages.contract.params import Section
from stages.datasets.reading import decode, decode_numbers, need, need_label, numbers, read_delimited, read_in_parts

PROFILES, COMMENTS = "author_profiles.csv", "all_comments_since_2015.csv"
LABELS = ("introverted", "intuitive", "thinking", "perceiving")
UNKNOWN = ("", "NA", "nan")
GONE = ("", "[deleted]", "[removed]")
ROWS = 500_000


class Params(Section):
    """``texts``: so many English comments of each user, the first in the file (the benchmark has 4.7 a user; how they were chosen is
    not known). ``genders``: what the codes of the gender column mean. ``known_only`` leaves out users whose gender or age is unknown.

    ``coding``: decoded, with age in years; or naacl2022, the coding of the released benchmark: ``known_only``, and age_group, "under 55"
    or "55 or over", in place of age. What is wrong with it: nobody of 55 or over is a woman, so its group of older women is empty and
    every published score about it is smoothing.
    """

    texts: int = Field(default=5, ge=1)
    genders: dict[str, str] = Field(default={"m": "man", "f": "woman"})
    known_only: bool = False
    coding: Literal["decoded", "naacl2022"] = "decoded"


def files(_: Params) -> tuple[str, ...]:
    """What is read below ``source``."""
    return PROFILES, COMMENTS


def load(source: Path, label: str, params: Params) -> pd.DataFrame:
    """Documents of the folder ``source``: comments joined to their authors' profiles by the author's name."""
    need_label(label, LABELS, "PANDORA")
    authors = _authors(source / PROFILES, label, params)
    comments = _comments(source / COMMENTS, set(authors["author_id"]), params.texts)
    if comments.empty:
        raise BadInput(f"{source / COMMENTS}: no English comment is by an author of {PROFILES} whose label {label!r} is known.")
    documents = comments.merge(authors, on="author_id", how="left", validate="many_to_one")
    documents.insert(3, "lang", "en")
    return documents


def _authors(path: Path, label: str, params: Params) -> pd.DataFrame:
    frame = read_delimited(path)
    need(frame, ["author", "gender", "age", label], path)
    repeated = frame["author"].duplicated()
    if repeated.any():
        raise BadInput(f"{path}: {int(repeated.sum())} authors are described twice (first: {frame['author'][repeated].iloc[0]!r}).")
    pole = decode_numbers(frame[label], {0: "0", 1: "1"}, path, UNKNOWN)
    age = numbers(frame["age"], path, UNKNOWN)
    gender = decode(frame["gender"], params.genders, path, UNKNOWN)
    authors = pd.DataFrame({"author_id": frame["author"], "label": pole.astype(float), "gender": gender})
    kept = pole.notna()
    if params.known_only or params.coding == "naacl2022":
        kept &= gender.notna() & age.notna()
    if params.coding == "naacl2022":
        authors["age_group"] = (age < 55).map({True: "under 55", False: "55 or over"}).where(age.notna())
    else:
        authors["age"] = age
    return authors[kept]


def _comments(path: Path, authors: set[str], most: int) -> pd.DataFrame:
    """The first ``most`` English comments of each author, in the file's order; the file is read in parts."""
    kept = [pd.DataFrame({"doc_id": [], "author_id": [], "text": []}, dtype=str)]
    seen: Counter[str] = Counter()
    for part in read_in_parts(path, ["author", "body", "lang"], ROWS):
        usable = part[part["author"].isin(authors) & (part["lang"] == "en") & ~part["body"].str.strip().isin(GONE)]
        number = usable.groupby("author").cumcount() + 1 + usable["author"].map(lambda author: seen[author]).astype(int)
        first = usable[number <= most]
        identifier = first["author"] + "_" + number[number <= most].astype(str)
        kept.append(pd.DataFrame({"doc_id": identifier, "author_id": first["author"], "text": first["body"]}))
        seen.update(usable["author"])
    return pd.concat(kept, ignore_index=True)
