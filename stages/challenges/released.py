"""Equity Evaluation Corpora as their authors released them: CSV files, mistakes included."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from stages.contract.bad_input import BadInput

COLUMNS = {"sentence": "text", "template": "template", "person": "person", "emotion": "emotion", "emotion word": "emotion_word"}


def read_released(path: Path, lang: str, attributes: Mapping[str, str]) -> pd.DataFrame:
    """The rows of ``Challenge`` in the layout of Kiritchenko and Mohammad (2018) and of Camara et al. (2022).

    The first column is the identifier, headers are read in lower case, and blank is null. ``attributes`` maps each attribute to its
    column. Repeated sentences stay and their number is printed. Raises BadInput at a missing file, column or sentence.
    """
    if not path.is_file():
        raise BadInput(f"{path} is missing; put the released corpus there, or name the file that holds it as the challenge's source.")
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise BadInput(f"{path} is no CSV file in UTF-8: {' '.join(str(error).split())}.") from error
    frame.columns = frame.columns.str.lower()
    columns = COLUMNS | {column: name for name, column in attributes.items()}
    for column in columns:
        if column not in frame:
            raise BadInput(f"{path}: column {column!r} is missing; it has {', '.join(frame.columns)}.")
    table = frame[list(columns)].rename(columns=columns)
    table = table.mask(table == "")
    table.insert(0, "sentence_id", frame.iloc[:, 0])
    table["lang"] = lang
    table["favourable"] = None
    if empty := int(table["text"].isna().sum()):
        raise BadInput(f"{path}: column 'sentence' is empty in {empty} of {len(table)} rows; write the sentences, or remove the rows.")
    for name in attributes:
        if len(values := table[name].dropna().unique()) < 2:
            raise BadInput(f"{path}: column {attributes[name]!r} has {len(values)} value(s); a comparison needs two or more.")
    if repeated := int(table["text"].duplicated().sum()):
        print(f"{path}: {repeated} of {len(table)} rows repeat a sentence and are kept, as the file was released so", flush=True)
    return table
