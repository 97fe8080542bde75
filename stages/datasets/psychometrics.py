"""The psychometric health survey of Abbasi et al. 2021, with the personality traits (FIPI) that its respondents gave themselves.

About 8,500 respondents in English, crowd workers who described themselves and answered four open questions in their own words.
Tasks: anxiety, numeracy, literacy, trust (scores of 0 to 1; the NAACL 2022 benchmark used 8,395 texts) and the five-item
personality inventory: extraverted, agreeable, dependable, stable, open (1 to 7; 6,805 texts). Licence MIT. Cite Abbasi, Dobolyi,
Lalor, Netemeyer, Smith and Yang 2021, "Constructing a psychometric testbed for fair natural language processing" (EMNLP).
File: Data_SurveyPlusDemographics.txt, tab separated, ISO-8859-1; a respondent is File (the fold that tests them, 1-5) and Row.

The benchmark counts the upper half of every score as the positive class, of anxiety too, where it is hardly the favourable one.
Which answer the personality tasks read was never released; the join of the released code names the literacy answer (``text``).
"""

from pathlib import Path
from typing import Literal

import pandas as pd

from stages.contract.bad_input import BadInput
from stages.contract.params import Section
from stages.contract.values import Encoding
from stages.datasets.health_survey import LABELS, TASKS, How, labels_of
from stages.datasets.reading import decode_numbers, need, need_label, numbers, read_delimited, written

FILE = "Data_SurveyPlusDemographics.txt"
QUESTIONS = 14
GENDER = {1: "man", 2: "woman"}
RACE = {
    1: "White",
    2: "Black",
    3: "Asian",
    4: "Native American",
    5: "Native Hawaiian or Pacific Islander",
    6: "multiracial",
    7: "another race",
    8: "no answer",
}
EDUCATION = {
    1: "8th grade or less",
    2: "some high school",
    3: "high school",
    4: "some college",
    5: "college graduate",
    6: "some graduate school",
    7: "graduate or professional degree",
    8: "no answer",
}
INCOME = {
    1: "under $20,000",
    2: "$20,000 to $34,999",
    3: "$35,000 to $54,999",
    4: "$55,000 to $74,999",
    5: "$75,000 to $89,999",
    6: "$90,000 or more",
    7: "does not know",
    8: "no answer",
}
UNANSWERED = ("no answer", "does not know")


class Params(Section):
    """``coding``: decoded, where whoever gave no answer is unknown; or naacl2022, the coding of the released benchmark.

    naacl2022 keeps "no answer" and "does not know" as answers, and its rules count them as privileged for education and income
    and as protected for race: list them under ``privileged`` of education and income_band. Respondents with an empty
    demographic are left out there. What is wrong with it: silence is no income of $55,000. Its join on the text, by which "None"
    multiplied respondents (8,395 became up to 9,722), is not repeated: here rows are respondents.
    ``text``: which answer a personality task reads. ``folds``: the published ones, or drawn by ingest. ``labels``: see
    ``health_survey``. ``unknown``: what stands for an empty cell. ``encoding``: say utf-8 if you converted the file.
    """

    coding: Literal["decoded", "naacl2022"] = "decoded"
    text: Literal["anxiety", "numeracy", "literacy", "trust"] = "literacy"
    folds: Literal["published", "drawn"] = "published"
    labels: How = "checked"
    unknown: tuple[str, ...] = ("", "NA")
    encoding: Encoding = "iso-8859-1"


def files(_: Params) -> tuple[str, ...]:
    """What is read below ``source``."""
    return (FILE,)


def load(source: Path, label: str, params: Params) -> pd.DataFrame:
    """Documents of the folder ``source``: one answer a respondent, with a task's score or a personality trait as its label."""
    need_label(label, LABELS, "the psychometric survey")
    path = source / FILE
    frame = read_delimited(path, "\t", params.encoding)
    if params.encoding == "iso-8859-1":
        _refuse_converted(path)
    text = f"Text_{TASKS[label if label in TASKS else params.text]}"
    need(frame, ["File", "Row", text, "D1", "D2", "D3", "D4", "D5"], path)
    respondent = "f" + frame["File"] + "_r" + frame["Row"]
    documents = pd.DataFrame(
        {
            "doc_id": respondent,
            "author_id": respondent,
            "text": frame[text].where(~frame[text].isin(params.unknown), ""),
            "lang": "en",
            "label": labels_of(frame, label, path, QUESTIONS, params.labels, params.unknown),
        }
    )
    if params.folds == "published":
        documents["fold"] = _folds(frame["File"], path)
    documents = pd.concat([documents, _demographics(frame, path, params.unknown)], axis=1)
    attributes = ["gender", "race", "age", "education", "income_band"]
    if params.coding == "naacl2022":
        documents = documents.dropna(subset=attributes)
    else:
        documents[attributes] = documents[attributes].mask(documents[attributes].isin(UNANSWERED))
    return written(documents, path)


def _refuse_converted(path: Path) -> None:
    """Any bytes are ISO-8859-1; a file that somebody converted would be read without complaint, its letters garbled."""
    content = path.read_bytes()
    try:
        converted = bool(content.decode("utf-8")) and not content.isascii()
    except UnicodeDecodeError:
        return
    if converted:
        raise BadInput(f"{path} is utf-8 and not iso-8859-1 as published: download it again, or say encoding: utf-8.")


def _demographics(frame: pd.DataFrame, path: Path, unknown: tuple[str, ...]) -> pd.DataFrame:
    code = numbers(frame["D1"], path, unknown)
    wrong = code.notna() & ~code.isin(range(1, 83))
    if wrong.any():
        raise BadInput(f"{path}: column 'D1' holds {code[wrong].iloc[0]:g}; ages 18 to 99 are coded 1 to 82.")
    return pd.DataFrame(
        {
            "gender": decode_numbers(frame["D2"], GENDER, path, unknown),
            "race": decode_numbers(frame["D3"], RACE, path, unknown),
            "age": code + 17,
            "education": decode_numbers(frame["D4"], EDUCATION, path, unknown),
            "income_band": decode_numbers(frame["D5"], INCOME, path, unknown),
        }
    )


def _folds(file: pd.Series, path: Path) -> pd.Series:
    fold = file.str.removesuffix(".0")
    wrong = ~fold.isin(list("12345"))
    if wrong.any():
        raise BadInput(
            f"{path}: column 'File' names no fold of 1 to 5 in {int(wrong.sum())} of {len(file)} rows (first: {file[wrong].iloc[0]!r}); "
            f"say folds: drawn to have ingest draw them."
        )
    return fold
