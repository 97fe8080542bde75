"""Two sets of tweets labelled by crowds, merged as in Singh et al. 2021: is a text hateful or offensive?

38,023 tweets in English: 24,783 of Davidson et al. 2017 (ICWSM; searched by words of a lexicon of hate speech; three or more annotators:
0 hate speech 1,430, 1 offensive 19,190, 2 neither 4,163) and the 13,240 of the training part of OLID, Zampieri et al. 2019 (NAACL; three
annotators: OFF 4,400, NOT 8,840). Label: hateful, 1 (class 0 or 1, or OFF; 25,020) or 0 (13,003); the favourable decision is 0
(``favourable: low``). "Hateful" is the paper's word: most of these texts are offensive and no hate speech, and annotators took African
American English for offensive more often (Sap et al. 2019, ACL). Nothing is known of the authors, so each text counts as another
person's; in OLID names and addresses are @USER and URL. 33 texts of OLID repeat another. Licences: MIT (Davidson et al., repository) and
CC BY 4.0 (OLID, by the copy's repository); tweets belong to their authors.

Files, UTF-8: davidson/labeled_data.csv (quoted), olid/olid-training-v1.0.tsv (tab separated, unquoted).
"""

from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from stages.contract.params import Section
from stages.contract.values import Seed
from stages.datasets.reading import decode, need, need_label, read_delimited, written

DAVIDSON, OLID = "davidson/labeled_data.csv", "olid/olid-training-v1.0.tsv"
LABELS = ("hateful",)
CLASSES = {"0": "1", "1": "1", "2": "0"}
SUBTASK_A = {"OFF": "1", "NOT": "0"}


class Params(Section):
    """``split``: assessment2021, a tenth as the only test texts, stratified by label and drawn by ``seed`` (the paper's own draw is
    unknown; its sizes are these: 34,220 and 1,301 + 2,502); drawn, folds by ingest.

    ``repeated``: kept, as published; or left_out, each text once, and not at all where its labels differ.
    """

    split: Literal["assessment2021", "drawn"] = "assessment2021"
    seed: Seed = 0
    repeated: Literal["kept", "left_out"] = "kept"


def files(_: Params) -> tuple[str, ...]:
    """What is read below ``source``."""
    return DAVIDSON, OLID


def load(source: Path, label: str, params: Params) -> pd.DataFrame:
    """Documents of the folder ``source``."""
    need_label(label, LABELS, "the merged hate-speech set")
    documents = pd.concat([_davidson(source / DAVIDSON), _olid(source / OLID)], ignore_index=True)
    documents = _once(documents, source, params)
    if params.split == "assessment2021":
        documents["fold"] = _split(documents["label"], params.seed)
    return documents


def _davidson(path: Path) -> pd.DataFrame:
    frame = read_delimited(path)
    need(frame, ["class", "tweet"], path)
    return _documents("davidson-" + frame.iloc[:, 0], frame["tweet"], decode(frame["class"], CLASSES, path, unknown=()), path)


def _olid(path: Path) -> pd.DataFrame:
    frame = read_delimited(path, "\t", quoted=False)
    need(frame, ["id", "tweet", "subtask_a"], path)
    return _documents("olid-" + frame["id"], frame["tweet"], decode(frame["subtask_a"], SUBTASK_A, path, unknown=()), path)


def _documents(identifier: pd.Series, text: pd.Series, label: pd.Series, path: Path) -> pd.DataFrame:
    columns = {"doc_id": identifier, "author_id": identifier, "text": text, "lang": "en", "label": label.astype(float)}
    return written(pd.DataFrame(columns), path)


def _once(documents: pd.DataFrame, source: Path, params: Params) -> pd.DataFrame:
    repeated = documents["text"].duplicated()
    if not repeated.any():
        return documents
    of_two_labels = documents.groupby("text")["label"].transform("nunique") > 1
    print(
        f"{source}: {int(repeated.sum())} of {len(documents)} texts repeat another and are {params.repeated.replace('_', ' ')}; "
        f"{int(of_two_labels.sum())} stand there with both labels",
        flush=True,
    )
    return documents if params.repeated == "kept" else documents[~repeated & ~of_two_labels].reset_index(drop=True)


def _split(label: pd.Series, seed: int) -> np.ndarray:
    from sklearn.model_selection import train_test_split

    _, test = train_test_split(np.arange(len(label)), test_size=0.1, stratify=label, random_state=seed)
    return np.where(np.isin(np.arange(len(label)), test), "test", "train").astype(object)
