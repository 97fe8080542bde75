"""Religion, nationality and ethnicity of named groups, and gender by named persons, from a spaCy pipeline (Singh et al. 2021, section 6.1).

Entities labelled NORP (nationalities, religious and political groups) are looked up in the word lists, those labelled PERSON among first
names. What a pipeline finds depends on it: the paper's was spaCy's for English, of unknown version. Needs the extra `ner` and a pipeline.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field

from stages.contract import installed
from stages.contract.bad_input import BadInput
from stages.contract.params import Section
from stages.mentions import names, word_lists
from stages.mentions.columns import Column, Rule, named
from stages.mentions.word_lists import Lookup, tokens

GROUPS, PERSON = "NORP", "PERSON"


class Params(Section):
    """``pipeline``: an installed package, which is never imported, or a folder.

    ``attributes``: columns ``mentioned_religion_by_entity`` and so on. ``rule`` as in look-up. Only the pipeline's entity recogniser and
    what it needs are run.
    """

    pipeline: str = "en_core_web_sm"
    attributes: tuple[Literal["religion", "nationality", "ethnicity", "gender"], ...] = Field(
        default=("religion", "nationality"), min_length=1
    )
    rule: Rule = "majority"


class Entity(NamedTuple):
    """What a pipeline marked in a text."""

    label: str
    text: str


def mine(texts: Sequence[str], params: Params) -> dict[str, Column]:
    """Columns of English texts; how many NORP entities no list knows is printed. BadInput: see ``load``."""
    return columns([*entities(load(params.pipeline), texts)], params)


def columns(found: Sequence[Sequence[Entity]], params: Params) -> dict[str, Column]:
    """Columns from the entities of each text."""
    lists = word_lists.read(word_lists.WORDS)
    lookup = Lookup.of([lists[name] for name in params.attributes if name != "gender"], ambiguous="always")
    known = names.gazetteer("gender")
    mentions = [[(entity, lookup.find(entity.text)) for entity in row if entity.label == GROUPS] for row in found]
    unknown = sum(not hits for row in mentions for _, hits in row)
    print(f"ner: {unknown} of {sum(map(len, mentions))} named groups are in no list of {', '.join(params.attributes)}", flush=True)
    mined: dict[str, Column] = {}
    for attribute in params.attributes:
        if attribute == "gender":
            groups = [
                [known[word] for one in row if one.label == PERSON for word in tokens(one.text)[:1] if word in known] for row in found
            ]
            order: Sequence[str] = names.ORDER["gender"]
        else:
            groups = [[hit.group for _, hits in row for hit in hits if hit.attribute == attribute] for row in mentions]
            order = list(lists[attribute].groups)
        mined |= named(attribute, groups, order, params.rule, "_by_entity")
    return mined


def entities(pipeline: Any, texts: Sequence[str]) -> Iterator[list[Entity]]:
    """What a pipeline marks in each text, in order."""
    for document in pipeline.pipe(texts, batch_size=256):
        yield [Entity(span.label_, span.text) for span in document.ents]


def load(pipeline: str) -> Any:
    """A spaCy pipeline without what entities do not need. BadInput: spaCy or the pipeline is not installed, or marks no entities."""
    try:
        import spacy
    except ImportError as error:
        raise BadInput(
            "stages/mentions/ner.py needs spaCy: pip install 'crossbias[ner]', and a pipeline such as en_core_web_sm."
        ) from error
    folder = _folder_of(pipeline)
    if folder is None:
        raise BadInput(f"spaCy has no pipeline {pipeline!r}: python -m spacy download en_core_web_sm, or name a folder with one.")
    try:
        loaded = spacy.load(folder, exclude=["parser", "tagger", "lemmatizer", "attribute_ruler"])
    except (OSError, ValueError) as error:
        raise BadInput(f"{folder} holds no pipeline that spaCy can load: {' '.join(str(error).split())}.") from error
    if not {"ner", "entity_ruler"} & set(loaded.pipe_names):
        raise BadInput(f"the pipeline {pipeline!r} marks no named entities; it has {', '.join(loaded.pipe_names) or 'nothing'}.")
    return loaded


def _folder_of(pipeline: str) -> Path | None:
    """The folder with a pipeline's config.cfg: in spaCy's packages it lies beside the code, which is not run."""
    package = installed.folder_of(pipeline)
    if package is None:
        return Path(pipeline) if Path(pipeline, "config.cfg").is_file() else None
    return next((file.parent for file in sorted(package.glob("*/config.cfg"))), None)
