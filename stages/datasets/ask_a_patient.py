"""AskAPatient: posts about drugs on askapatient.com with the patient's sex and age, as the NAACL 2022 benchmark used them.

20,000 posts in English. Nobody has released them (the set of the same name by Limsopatham and Collier 2016 has no ratings, sex or
age), so the format is an assumption, from the columns that the benchmark's code reads: ask_a_patient.csv, UTF-8 with commas,
columns text, rating (1 dissatisfied to 5 satisfied), x1 (sex, M or F), x2 (age in years) and, if there is one, id. The forum names
nobody, so each post counts as another person's. A high rating is favourable. Licence: none stated. Cite Limsopatham and Collier
2016 and Lalor et al. 2022. ``psytar`` is the open data set of the same forum.
"""

from pathlib import Path
from typing import Literal

import pandas as pd

from stages.contract.params import Section
from stages.datasets.reading import decode, need, need_label, numbers, read_delimited, written

FILE = "ask_a_patient.csv"
LABELS = ("rating",)
GENDER = {"M": "man", "F": "woman"}
UNKNOWN = ("", "NA")


class Params(Section):
    """``coding``: decoded, with age in years; or naacl2022, the coding of the released benchmark.

    naacl2022 has age_group, "up to 56" or "over 56", in place of age, and leaves out posts whose sex or age is unknown. What is wrong
    with it: the cut differs from that of the other tasks (55) without a reason, and whoever is silent is gone without a count.
    """

    coding: Literal["decoded", "naacl2022"] = "decoded"


def files(_: Params) -> tuple[str, ...]:
    """What is read below ``source``."""
    return (FILE,)


def load(source: Path, label: str, params: Params) -> pd.DataFrame:
    """Documents of the folder ``source``; the row number stands in for a missing id."""
    need_label(label, LABELS, "AskAPatient")
    path = source / FILE
    frame = read_delimited(path)
    need(frame, ["text", "rating", "x1", "x2"], path)
    row = pd.Series([f"post{number:05d}" for number in range(1, len(frame) + 1)], dtype=str)
    post, age = frame.get("id", row), numbers(frame["x2"], path, UNKNOWN)
    documents = pd.DataFrame(
        {
            "doc_id": post,
            "author_id": post,
            "text": frame["text"],
            "lang": "en",
            "label": numbers(frame["rating"], path, UNKNOWN),
            "gender": decode(frame["x1"].str.strip().str.upper(), GENDER, path, UNKNOWN),
        }
    )
    if params.coding == "naacl2022":
        documents["age_group"] = (age <= 56).map({True: "up to 56", False: "over 56"}).where(age.notna())
        documents = documents.dropna(subset=["gender", "age_group"])
    else:
        documents["age"] = age
    return written(documents, path)
