"""The scales of the health survey (Abbasi et al. 2021) that its English and Swahili data sets share, scored from their items."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stages.contract.bad_input import BadInput
from stages.datasets.reading import need, numbers

# What a label is called in the files: Label_Anxiety beside Text_Anxiety.
TASKS = {"anxiety": "Anxiety", "numeracy": "Numeracy", "literacy": "SubjectiveLit", "trust": "TrustPhys"}
TRAITS = {"extraverted": "FIPI_1", "agreeable": "FIPI_2", "dependable": "FIPI_3", "stable": "FIPI_4", "open": "FIPI_5"}
LABELS = (*TASKS, *TRAITS)
ITEMS = {
    "anxiety": [f"Emo1_{number}" for number in (5, 8, 9, 10, 11, 12)],
    "literacy": ["Q1", "Q2", "Q3", "Q4", "FQ1", "FQ2", "FQ3", "ComQ1", "ComQ2", "ComQ3"],
    "trust": [f"BMC1_{number}" for number in range(1, 6)],
}
ROUNDED = 1e-3  # the publishers round some scores to four digits
How = Literal["checked", "published", "items"]


def labels_of(frame: pd.DataFrame, label: str, path: Path, questions: int, how: How, unknown: Sequence[str]) -> pd.Series:
    """The scores of ``label``, null where unknown: 0 to 1 for a task, 1 to 7 for a personality trait.

    ``how``: ``published`` takes the column as it stands; ``items`` scores the answers; ``checked`` takes the column where its
    items, if the file has them, give it, and in full precision, so that equal answers never fall on two sides of a median.
    Numeracy has no published key: its column must be a count of right answers to so many ``questions``. Raises BadInput.
    """
    if label in TRAITS:
        return _trait(frame, label, path, unknown)
    column, items = f"Label_{TASKS[label]}", ITEMS.get(label, [])
    if how == "items" or (column not in frame and items):
        if not items:
            raise BadInput(f"params.yaml: labels: items cannot be had for {label}, as no key of right answers was published.")
        return score(frame, label, path, unknown)
    need(frame, [column], path)
    published = numbers(frame[column], path, unknown)
    if how == "published":
        return published
    if not items:
        return _counted(published, questions, path)
    if set(items) <= set(frame.columns):
        return _agreed(published, score(frame, label, path, unknown), path)
    print(f"{path}: the items of {label} are not in the file, so {column} is taken unchecked", flush=True)
    return published


def score(frame: pd.DataFrame, label: str, path: Path, unknown: Sequence[str] = ("",)) -> pd.Series:
    """The score that a respondent's answers give by the publisher's formula, null where an answer is unknown.

    anxiety: sum of six feelings (1-7) / 42. trust: (6 - BMC1_1 + BMC1_2 + ... + BMC1_5) / 25.
    literacy: ((Q1+..+Q4)/20 + (FQ1+FQ2+FQ3)/6 + (12 - ComQ1 - ComQ2 - ComQ3)/12) / 3. Source: Data_ReadMe.txt of the survey.
    """
    need(frame, ITEMS[label], path)
    answers = pd.DataFrame({item: numbers(frame[item], path, unknown) for item in ITEMS[label]}).to_numpy()
    if label == "anxiety":
        values = answers.sum(axis=1) / 42
    elif label == "trust":
        values = (6 - answers[:, 0] + answers[:, 1:].sum(axis=1)) / 25
    else:
        general, help_needed, asking = answers[:, :4].sum(axis=1), answers[:, 4:7].sum(axis=1), answers[:, 7:].sum(axis=1)
        values = (3 * general + 10 * help_needed + 5 * (12 - asking)) / 180
    return pd.Series(values, frame.index, name=f"Label_{TASKS[label]}")


def _trait(frame: pd.DataFrame, label: str, path: Path, unknown: Sequence[str]) -> pd.Series:
    need(frame, [TRAITS[label]], path)
    values = numbers(frame[TRAITS[label]], path, unknown)
    wrong = values.notna() & ~values.isin(range(1, 8))
    if wrong.any():
        raise BadInput(f"{path}: column {TRAITS[label]!r} holds {values[wrong].iloc[0]:g}; a trait is answered from 1 to 7.")
    return values


def _counted(published: pd.Series, questions: int, path: Path) -> pd.Series:
    right = (published * questions).round()
    _refuse((published - right / questions).abs() > ROUNDED, published, right / questions, f"a share of {questions} questions", path)
    return right / questions


def _agreed(published: pd.Series, scored: pd.Series, path: Path) -> pd.Series:
    """Scores on the published scale: the formula's own, or, where the publisher stretched them to 0-1, a straight line of it."""
    both = published.notna() & scored.notna()
    intercept, slope = 0.0, 1.0
    if ((published - scored).abs()[both] > ROUNDED).mean() > 0.5:
        intercept, slope = _line(scored[both].to_numpy(), published[both].to_numpy())
        print(f"{path}: {published.name} is {intercept:.4f} + {slope:.4f} x the score that its formula gives", flush=True)
    expected = intercept + slope * scored
    _refuse(both & ((published - expected).abs() > ROUNDED), published, expected, "what its items give", path)
    return expected.where(both, published)


def _line(scored: NDArray[np.float64], published: NDArray[np.float64]) -> tuple[float, float]:
    """The line through two common scores, low and high; single wrong rows do not move it."""
    low, high = np.quantile(scored, [0.1, 0.9], method="nearest")
    if low == high:
        return 0.0, 1.0
    at_low, at_high = (float(np.median(published[scored == value])) for value in (low, high))
    slope = (at_high - at_low) / (high - low)
    return at_low - slope * low, slope


def _refuse(wrong: pd.Series, published: pd.Series, expected: pd.Series, what: str, path: Path) -> None:
    if wrong.any():
        first = wrong.idxmax()
        raise BadInput(
            f"{path}: column {published.name!r} is not {what} in {int(wrong.sum())} of {len(wrong)} rows (first: {published[first]:.4f} "
            f"and not {expected[first]:.4f}); correct them, or say labels: published to take the column as it stands."
        )
