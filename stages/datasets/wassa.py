"""WASSA 2022 essays: reactions to news stories, with five self-reported demographic attributes.

2,130 essays (1,860 train, 270 dev) in English by 426 people, five each, written by crowd workers after reading a news story;
empathy and distress scored 1-7 by the writers, Big Five traits 1-7, interpersonal reactivity 1-5. A high score is neither good
nor bad; we call it the favourable label as the personality tasks of the NAACL 2022 benchmark do. Base essays: Buechel et al.
2018, CC BY 4.0; demographics: WASSA 2022 shared task (Barriere et al. 2022), terms not stated by the publisher.
Files: messages_train_ready_for_WS.tsv, messages_dev_features_ready_for_WS_2022.tsv, goldstandard_dev_2022.tsv (no header).
"""

from pathlib import Path

import pandas as pd

from stages.contract.bad_input import BadInput
from stages.contract.params import Section
from stages.datasets.reading import decode_numbers, need, need_label, numbers, read_delimited

TRAIN = "messages_train_ready_for_WS.tsv"
DEV = "messages_dev_features_ready_for_WS_2022.tsv"
DEV_GOLD = "goldstandard_dev_2022.tsv"
TRAITS = ["conscientiousness", "openness", "extraversion", "agreeableness", "stability"]
REACTIVITY = ["perspective_taking", "personal_distress", "fantasy", "empathic_concern"]
LABELS = ["empathy", "distress", *TRAITS, *REACTIVITY]
# The train file misspells two of its headers; the gold file has none and this order.
TRAIN_COLUMNS = dict(
    zip(
        LABELS,
        ["empathy", "distress"]
        + [f"personality_{name}" for name in ["conscientiousness", "openess", "extraversion", "agreeableness", "stability"]]
        + [f"iri_{name}" for name in ["perspective_taking", "personal_distress", "fantasy", "empathatic_concern"]],
        strict=True,
    )
)
GOLD_COLUMNS = ["empathy", "distress", "emotion", *TRAITS, *REACTIVITY]
GENDER = {1: "man", 2: "woman", 5: "another gender"}
EDUCATION = {
    1: "less than high school",
    2: "high school",
    3: "technical or vocational",
    4: "some college",
    5: "two-year degree",
    6: "bachelor's degree",
    7: "postgraduate degree",
}
RACE = {1: "White", 2: "Hispanic", 3: "Black", 4: "Native American", 5: "Asian or Pacific Islander", 6: "another race"}
UNKNOWN = ("", "unknown")


class Params(Section):
    """The files are read as published; nothing to choose."""


def files(_: Params) -> tuple[str, ...]:
    """What is read below ``source``."""
    return TRAIN, DEV, DEV_GOLD


def load(source: Path, label: str, _: Params) -> pd.DataFrame:
    """Documents of the folder ``source`` with one of ``LABELS`` as their label."""
    need_label(label, LABELS, "WASSA")
    train = read_delimited(source / TRAIN, "\t")
    need(train, ["message_id", "response_id", "essay", TRAIN_COLUMNS[label]], source / TRAIN)
    dev = read_delimited(source / DEV, "\t")
    gold = read_delimited(source / DEV_GOLD, "\t", header=False)
    if gold.shape != (len(dev), len(GOLD_COLUMNS)):
        raise BadInput(
            f"{source / DEV_GOLD} has {gold.shape[0]} rows of {gold.shape[1]} columns; "
            f"{len(dev)} of {len(GOLD_COLUMNS)} are needed, one for each row of {DEV}."
        )
    dev[TRAIN_COLUMNS[label]] = gold[GOLD_COLUMNS.index(label)]
    return pd.concat(
        [_documents(train, label, source / TRAIN), _documents(dev, label, source / DEV)],
        ignore_index=True,
    )


def _documents(frame: pd.DataFrame, label: str, path: Path) -> pd.DataFrame:
    need(frame, ["gender", "education", "race", "age", "income"], path)

    def coded(column: str, categories: dict[int, str]) -> pd.Series:
        return decode_numbers(frame[column], categories, path, UNKNOWN)

    return pd.DataFrame(
        {
            "doc_id": frame["message_id"],
            "author_id": frame["response_id"],
            "text": frame["essay"],
            "lang": "en",
            "label": numbers(frame[TRAIN_COLUMNS[label]], path, UNKNOWN),
            "gender": coded("gender", GENDER),
            "race": coded("race", RACE),
            "age": numbers(frame["age"], path, UNKNOWN),
            "education": coded("education", EDUCATION),
            "income": numbers(frame["income"], path, UNKNOWN),
        }
    )
