"""The Swahili sibling of the psychometric health survey: 2,170 respondents in Kenya, four tasks and five personality traits.

One answer a task and respondent, written in Swahili (with Sheng, English and tribal words) by people who described themselves.
Labels: anxiety, numeracy, literacy, trust (0 to 1) and extraverted, agreeable, dependable, stable, open (1 to 7); a high score
counts as favourable, as in the English benchmark, which for anxiety is a convention and no judgement. Literacy is the formula's
score stretched to 0-1; numeracy counts eleven of the fourteen questions (MN1-8, GHNT1, 4, 6). Licence MIT (as its README says).
Cite "Benchmarking Sociolinguistic Diversity in Swahili NLP: A Taxonomy-Guided Approach" (nd-hal/swahili_psych_taxonomy).
File: SwahiliCulturalPsychData.csv, UTF-8. It has no identifiers, so a respondent is a row. Race is called race_kenya here: a design has
one rule a name, and who is privileged by race differs from country to country (98 % of those who answered are Black).
"""

from pathlib import Path

import pandas as pd

from stages.contract.params import Section
from stages.datasets.health_survey import LABELS, TASKS, How, labels_of
from stages.datasets.reading import decode, need, need_label, numbers, read_delimited, written

FILE = "SwahiliCulturalPsychData.csv"
QUESTIONS = 11
UNKNOWN = ("", "I choose not to answer", "Do not know/not sure")
GENDER = {"Male": "man", "Female": "woman", "Other": "another gender"}
RACE = {
    "Black": "Black",
    "Asian": "Asian",
    "White": "White",
    "Multiracial or biracial": "multiracial",
    "Native American or American Indian": "Native American",
}
EDUCATION = {
    "8th grade or less": "8th grade or less",
    "Attended high school": "some high school",
    "High school graduate": "high school",
    "Some college": "some college",
    "College graduate": "college graduate",
    "Some graduate school": "some graduate school",
    "Grad / professional degree": "graduate or professional degree",
}
INCOME = {
    "Less than 2,580,000 KES": "under 2,580,000 KES",
    "2,580,000 KES - 4,514,871 KES": "2,580,000 to 4,514,871 KES",
    "4,515,000 KES - 7,094,871 KES": "4,515,000 to 7,094,871 KES",
    "7,095,000 KES - 9,674,871 KES": "7,095,000 to 9,674,871 KES",
    "9,675,000 KES - 11,609,871 KES": "9,675,000 to 11,609,871 KES",
    "11,610,000 KES or more": "11,610,000 KES or more",
}
ENGLISH_FIRST = {"Yes": "English first", "No": "another language first"}
# Written in by respondents: other spellings of tribes, and "yes", which names none.
TRIBE = {"embu": "Embu", "borana": "Borana", "GABRA": "Gabra", "Muarabu": "Arab", "Arabu": "Arab", "Teso": "Iteso", "Kimbeere": "Mbeere"}
NO_TRIBE = (*UNKNOWN, "Ndio")
COLUMNS = ["D1-Age", "D2-Gender", "D3-Tribe", "D4-Race", "D5-Education", "D6-Income", "EFL"]


class Params(Section):
    """``labels``: checked against their items, published, or items (see ``health_survey``)."""

    labels: How = "checked"


def files(_: Params) -> tuple[str, ...]:
    """What is read below ``source``."""
    return (FILE,)


def load(source: Path, label: str, params: Params) -> pd.DataFrame:
    """Documents of the folder ``source``; a personality trait is read from the answer about health literacy."""
    need_label(label, LABELS, "the Swahili survey")
    path = source / FILE
    frame = read_delimited(path)
    text = f"Text_{TASKS.get(label, TASKS['literacy'])}"
    need(frame, [text, *COLUMNS], path)
    respondent = pd.Series([f"respondent{number:04d}" for number in range(1, len(frame) + 1)], dtype=str)
    tribe = frame["D3-Tribe"].str.strip()
    documents = pd.DataFrame(
        {
            "doc_id": respondent,
            "author_id": respondent,
            "text": frame[text],
            "lang": "sw",
            "label": labels_of(frame, label, path, QUESTIONS, params.labels, UNKNOWN),
            "gender": decode(frame["D2-Gender"], GENDER, path, UNKNOWN),
            "race_kenya": decode(frame["D4-Race"], RACE, path, UNKNOWN),
            "age": numbers(frame["D1-Age"], path, UNKNOWN),
            "education": decode(frame["D5-Education"], EDUCATION, path, UNKNOWN),
            "income_band": decode(frame["D6-Income"], INCOME, path, UNKNOWN),
            "tribe": tribe.where(~tribe.isin(NO_TRIBE)).replace(TRIBE),
            "first_language": decode(frame["EFL"], ENGLISH_FIRST, path, UNKNOWN),
        }
    )
    return written(documents, path)
