"""SemEval-2018 task 1: tweets with the intensity of an emotion, or with valence, in English, Spanish and Arabic.

Emotion intensity (EI-reg) of anger, fear, joy or sadness and valence (V-reg: 0 most negative, 1 most positive feeling), each a score
from 0 to 1 by best-worst scaling of the tweeter's state of mind as annotators read it; both ends occur. Published split train / dev /
test: English anger 1,701 / 388 / 1,002 to fear 2,252 / 389 / 986; Spanish about 1,150 / 200 / 650, Arabic 850 / 160 / 390. Label:
intensity; a high one is neither good nor bad. Nothing is known of the writers: each tweet counts as another person's, and no
attribute divides them; what a model does to people is asked of it with template sentences. For research; tweets belong to their
authors. Cite Mohammad, Bravo-Marquez, Salameh and Kiritchenko 2018 (SemEval). Files as published: tab separated, unquoted, CRLF.
"""

import re
from pathlib import Path
from typing import Literal

import pandas as pd

from stages.contract.bad_input import BadInput
from stages.contract.params import Section
from stages.datasets.reading import need, need_label, numbers, read_delimited, written

LABELS = ("intensity",)
FOLDS = {"train": "train", "dev": "dev", "test-gold": "test"}
ID, TEXT, AFFECT, SCORE = "ID", "Tweet", "Affect Dimension", "Intensity Score"


class Params(Section):
    """``language`` and ``affect``: which of the fifteen sets of three files.

    ``cleaning: authors`` prepares them as Camara et al. (2022) did: mentions go where white space follows them, ``&amp;`` becomes &,
    white space is squeezed, and the last of the scores' three decimals is cut off (their code meant to cut the line's end).
    """

    language: Literal["En", "Es", "Ar"]
    affect: Literal["anger", "fear", "joy", "sadness", "valence"]
    cleaning: Literal["none", "authors"] = "none"


def files(params: Params) -> tuple[str, ...]:
    """What is read below ``source``."""
    kind = f"Valence-reg-{params.language}" if params.affect == "valence" else f"EI-reg-{params.language}-{params.affect}"
    return tuple(f"2018-{kind}-{part}.txt" for part in FOLDS)


def load(source: Path, label: str, params: Params) -> pd.DataFrame:
    """Documents of the folder ``source``, in the published split."""
    need_label(label, LABELS, "SemEval-2018 task 1")
    parts = zip(files(params), FOLDS.values(), strict=True)
    return pd.concat([_part(source / name, fold, params) for name, fold in parts], ignore_index=True)


def _part(path: Path, fold: str, params: Params) -> pd.DataFrame:
    frame = read_delimited(path, "\t", quoted=False)
    need(frame, [ID, TEXT, AFFECT, SCORE], path)
    other = frame[AFFECT] != params.affect
    if other.any():
        raise BadInput(
            f"{path}: column {AFFECT!r} is not {params.affect} in {int(other.sum())} of {len(frame)} rows "
            f"(first: {frame[AFFECT][other].iloc[0][:40]!r}); put the file of that affect there."
        )
    authors = params.cleaning == "authors"
    documents = pd.DataFrame(
        {
            "doc_id": frame[ID],
            "author_id": frame[ID],
            "text": frame[TEXT].map(cleaned) if authors else frame[TEXT],
            "lang": params.language.lower(),
            "fold": fold,
            "label": numbers(frame[SCORE].str[:-1] if authors else frame[SCORE], path),
        }
    )
    outside = ~documents["label"].between(0, 1) & documents["label"].notna()
    if outside.any():
        raise BadInput(f"{path}: column {SCORE!r} is outside 0 to 1 in {int(outside.sum())} of {len(frame)} rows; correct them.")
    return written(documents, path)


def cleaned(text: str) -> str:
    """A tweet as Camara et al. (2022) prepared it: a mention at its very end, which no white space follows, stays."""
    return " ".join(re.sub(r"@.*?\s", " ", text).replace("&amp;", "&").split())
