"""Identity term test sets as their authors released them: sentences with a label that no identity in them should change.

Dixon et al. 2018 (doi:10.1145/3278721.3278729): 76,564 sentences with 50 terms, half of them toxic, and 30,240 with two identities at once.
"""

import functools
import re
from pathlib import Path

import pandas as pd
import pyarrow as pa

from stages.contract import yaml_file
from stages.contract.bad_input import BadInput
from stages.contract.challenges import Challenge
from stages.contract.params import Section
from stages.contract.tables import check, from_pandas

TERMS = Path(__file__).with_name("identity_terms.yaml")
LAYOUTS = ({"Text": "text", "Label": "label", "Template": "template"}, {"phrase": "text", "toxicity": "label", "template": "template"})
FAVOURABLE = {"NOT_BAD": True, "BAD": False, "nontoxic": True, "toxic": False}


class Params(Section):
    """``lang``: the language of the sentences, whose identity terms are those of ``identity_terms.yaml``."""

    lang: str = "en"


def load(source: Path, params: Params) -> pa.Table:
    """The sentences of a released CSV file; ``favourable`` where they are not toxic, one column an attribute with the term in them.

    ``emotion_word`` is the sentence without its identity terms, so that sentences alike but for these are known; ``person`` the terms.
    Grammar and repeated sentences stay as released. BadInput: missing file, columns or labels, or two terms of one attribute.
    """
    frame = _read(source)
    favourable = frame["label"].map(FAVOURABLE)
    if unknown := int(favourable.isna().sum()):
        raise BadInput(f"{source}: {unknown} of {len(frame)} labels are none of {', '.join(FAVOURABLE)}; correct them.")
    found = [_identities(text, source) for text in frame["text"]]
    table = pd.DataFrame(
        {
            "sentence_id": [f"{number:05d}" for number in range(1, len(frame) + 1)],
            "text": frame["text"],
            "lang": params.lang,
            "template": frame["template"],
            "emotion": None,
            "emotion_word": [rest for _, rest in found],
            "person": [" ".join(terms.values()) for terms, _ in found],
            "favourable": favourable.astype(bool),
            **{attribute: [terms.get(attribute) for terms, _ in found] for attribute in _terms()},
        }
    )
    if repeated := int(table["text"].duplicated().sum()):
        print(f"{source}: {repeated} of {len(table)} rows repeat a sentence and are kept, as the file was released so", flush=True)
    return check(from_pandas(table), Challenge.__metadata__[0], str(source))


def _read(source: Path) -> pd.DataFrame:
    if not source.is_file():
        raise BadInput(f"{source} is missing; put the released file there, or name the file that holds it as the challenge's source.")
    try:
        frame = pd.read_csv(source, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise BadInput(f"{source} is no CSV file in UTF-8: {' '.join(str(error).split())}.") from error
    layout = next((layout for layout in LAYOUTS if set(layout) <= set(frame.columns)), None)
    if layout is None:
        wanted = " or ".join(", ".join(layout) for layout in LAYOUTS)
        raise BadInput(f"{source}: has the columns {', '.join(frame.columns)}, and needs {wanted}.")
    return frame.rename(columns=layout)


def _identities(text: str, source: Path) -> tuple[dict[str, str], str]:
    """The identity term of each attribute in a sentence, and the sentence with a _ for each."""
    terms = [match[0].lower() for match in _pattern().finditer(text)]
    found = {_attribute_of()[term]: term for term in terms}
    if len(found) < len(set(terms)):
        raise BadInput(f"{source}: {text!r} has two identities of one attribute ({', '.join(terms)}); remove it.")
    return found, _pattern().sub("_", text)


@functools.cache
def _terms() -> dict[str, list[str]]:
    found: dict[str, list[str]] = yaml_file.read(TERMS)
    return found


@functools.cache
def _attribute_of() -> dict[str, str]:
    return {term: attribute for attribute, terms in _terms().items() for term in terms}


@functools.cache
def _pattern() -> re.Pattern[str]:
    terms = sorted(_attribute_of(), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, terms))})\b", re.IGNORECASE)
