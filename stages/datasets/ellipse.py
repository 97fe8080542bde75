"""ELLIPSE: essays of English learners in US schools, scored by trained raters, with what their schools know of the writers.

2,571 essays (the test part that its publishers released for use) in English, one a student of grades 8 to 12; seven scores of 1
to 5 in half points: overall, cohesion, syntax, vocabulary, phraseology, grammar, conventions. A high score is favourable. Gender,
race and ethnicity, economic status and grade are the schools' records and not the students' words. Licence CC BY-NC-SA 4.0. Cite
Crossley, Tian, Baffour, Franklin, Kim, Morris, Benner, Picou and Boser 2023, "The English Language Learner Insight, Proficiency
and Skills Evaluation (ELLIPSE) Corpus". File: ELLIPSE_Final_github_test.csv, UTF-8.
"""

from pathlib import Path

import pandas as pd

from stages.contract.params import Section
from stages.datasets.reading import decode, need, need_label, numbers, read_delimited, written

FILE = "ELLIPSE_Final_github_test.csv"
LABELS = ("overall", "cohesion", "syntax", "vocabulary", "phraseology", "grammar", "conventions")
UNKNOWN = ("", "NA")
GENDER = {"Male": "male", "Female": "female"}  # students, not all of them grown up
RACE = {
    "White": "White",
    "Hispanic/Latino": "Hispanic",
    "Black/African American": "Black",
    "Asian/Pacific Islander": "Asian or Pacific Islander",
    "American Indian/Alaskan Native": "Native American",
    "Two or more races/Other": "multiracial or another race",
}
STATUS = {"Economically disadvantaged": "economically disadvantaged", "Not economically disadvantaged": "not economically disadvantaged"}


class Params(Section):
    """The file is read as published; nothing to choose."""


def files(_: Params) -> tuple[str, ...]:
    """What is read below ``source``."""
    return (FILE,)


def load(source: Path, label: str, _: Params) -> pd.DataFrame:
    """Documents of the folder ``source`` with one of ``LABELS`` as their label."""
    need_label(label, LABELS, "ELLIPSE")
    path = source / FILE
    frame = read_delimited(path)
    need(frame, ["text_id_kaggle", "full_text", "gender", "race_ethnicity", "SES", "grade", label.capitalize()], path)
    documents = pd.DataFrame(
        {
            "doc_id": frame["text_id_kaggle"],
            "author_id": frame["text_id_kaggle"],
            "text": frame["full_text"],
            "lang": "en",
            "label": numbers(frame[label.capitalize()], path, UNKNOWN),
            "gender": decode(frame["gender"], GENDER, path, UNKNOWN),
            "race": decode(frame["race_ethnicity"], RACE, path, UNKNOWN),
            "economic_status": decode(frame["SES"], STATUS, path, UNKNOWN),
            "grade": numbers(frame["grade"], path, UNKNOWN),
        }
    )
    return written(documents, path)
