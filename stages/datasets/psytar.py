"""PsyTAR: reviews of four antidepressants on the forum askapatient.com, the open sibling of the benchmark's AskAPatient posts.

891 reviews in English of Zoloft, Lexapro, Cymbalta and Effexor XR by patients who gave their sex and age; the forum names nobody,
so each review counts as another person's. Label: rating, 1 (dissatisfied) to 5 (satisfied); high is favourable. Licence CC BY 4.0.
Cite Zolnoori et al. 2019, "The PsyTAR dataset: From patients generated narratives to a corpus of adverse drug events and
effectiveness of psychiatric medications" (Data in Brief). File: PsyTAR_dataset.xlsx, sheet "Sample".
"""

from pathlib import Path
from typing import Literal
from zipfile import BadZipFile

import pandas as pd

from stages.contract.bad_input import BadInput
from stages.contract.params import Section
from stages.datasets.reading import decode, need, need_label, numbers, written

FILE, SHEET = "PsyTAR_dataset.xlsx", "Sample"
LABELS = ("rating",)
GENDER = {"F": "woman", "M": "man"}
FIELDS = {"comment": ["comment"], "side_effects": ["side-effect"], "both": ["side-effect", "comment"]}


class Params(Section):
    """``text``: the field of the review to read; the comment is empty in 123 of them, both fields in 5."""

    text: Literal["comment", "side_effects", "both"] = "both"


def files(_: Params) -> tuple[str, ...]:
    """What is read below ``source``."""
    return (FILE,)


def load(source: Path, label: str, params: Params) -> pd.DataFrame:
    """Documents of the folder ``source``."""
    need_label(label, LABELS, "PsyTAR")
    path = source / FILE
    frame = _sheet(path)
    fields = FIELDS[params.text]
    need(frame, ["drug_id", "rating", "gender", "age", *fields], path)
    text = frame[fields[0]].str.cat([frame[field] for field in fields[1:]], sep="\n\n").str.strip()
    documents = pd.DataFrame(
        {
            "doc_id": frame["drug_id"],
            "author_id": frame["drug_id"],
            "text": text,
            "lang": "en",
            "label": numbers(frame["rating"], path),
            "gender": decode(frame["gender"].str.strip(), GENDER, path),
            "age": numbers(frame["age"], path),
        }
    )
    return written(documents, path)


def _sheet(path: Path) -> pd.DataFrame:
    """Every cell of the sheet as a string. BadInput: no such file, no workbook, or no such sheet."""
    if not path.is_file():
        raise BadInput(f"{path} is missing; put the workbook there, or name the folder that holds it as the task's dataset.source.")
    try:
        return pd.read_excel(path, sheet_name=SHEET, dtype=str, keep_default_na=False, engine="openpyxl")
    except BadZipFile as error:
        raise BadInput(f"{path} is no Excel workbook (.xlsx); download it again.") from error
    except ValueError as error:
        raise BadInput(f"{path} has no sheet {SHEET!r}: {error}.") from error
