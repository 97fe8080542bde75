"""What the data file of a corpus says: templates, people, words and their grammar."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any

from pydantic import Field

from stages.contract import yaml_file
from stages.contract.bad_input import BadInput
from stages.contract.params import Section, fill

Word = str | dict[str, Any]  # one text for all, or one for each grammatical form, nested as deep as the grammar needs
SLOT = re.compile(r"\{(\w+(?:\.\w+)*)\}")


class People(Section):
    """Persons who share the values ``are``; a person's own mapping holds its forms, and features in which it differs."""

    are: dict[str, str]
    persons: list[str | dict[str, str]]


class Corpus(Section):
    """Templates x persons x emotion words, and the grammar that fits them together.

    ``{person.object}`` is a person's form ``object``; ``{reflexive.gender}`` is the form of the agreement word ``reflexive`` for the
    person's gender; ``{situation.plural}`` the form ``plural`` of each word of the emotion slot ``situation``. A word without forms
    has one text for all. ``attributes`` become columns, ``features`` (number, animacy, ...) are grammar only. ``rewrites`` are
    regular expressions and their replacements, applied in order to each filled sentence: contraction, elision, a/an, vowel harmony.

    ``modifiers`` are words before the person, by attribute and value, in the order in which they stand; each person comes with any
    ``together`` or fewer of them, on attributes that the person's entry leaves open. ``favourable`` labels templates: of all or none.
    """

    about: str
    lang: str
    attributes: dict[str, list[str]] = Field(min_length=1)
    features: dict[str, list[str]] = Field(default={})
    people: list[People] = Field(min_length=1)
    modifiers: dict[str, dict[str, str]] = Field(default={})
    together: int = Field(default=1, ge=0)
    agreement: dict[str, Word] = Field(default={})
    emotions: dict[str, dict[str, list[Word]]] = Field(default={})
    templates: dict[str, str] = Field(min_length=1)
    favourable: dict[str, bool] = Field(default={})
    rewrites: list[tuple[str, str]] = Field(default=[])

    @property
    def traits(self) -> dict[str, list[str]]:
        """Attributes and features: all that a word may agree with."""
        return self.attributes | self.features


@dataclass(frozen=True)
class Person:
    """A person's word and the traits that other words agree with."""

    word: Word
    traits: dict[str, str]


def read_corpus(path: Path) -> Corpus:
    """The corpus in a YAML file; BadInput when it is missing, no YAML, or has a key that is not known or of the wrong kind."""
    if not path.is_file():
        raise BadInput(f"{path} is missing; it should hold a corpus: templates, people, words and their grammar.")
    raw = yaml_file.read(path)
    return fill(Corpus, raw, str(path))


def everyone(corpus: Corpus) -> Iterator[Person]:
    """The persons of all entries with all their modifiers, those features set apart that a person's own mapping gives."""
    for people in corpus.people:
        for person in people.persons:
            own = {} if isinstance(person, str) else {name: value for name, value in person.items() if name in corpus.traits}
            word = person if isinstance(person, str) else {form: text for form, text in person.items() if form not in own}
            yield from _modified(corpus, Person(word, people.are | own))


def _modified(corpus: Corpus, person: Person) -> Iterator[Person]:
    left_open = [name for name in corpus.modifiers if name not in person.traits]
    for number in range(min(corpus.together, len(left_open)) + 1):
        for names in combinations(left_open, number):
            for values in product(*(corpus.modifiers[name] for name in names)):
                chosen = dict(zip(names, values, strict=True))
                before = "".join(f"{corpus.modifiers[name][value]} " for name, value in chosen.items())
                yield Person(_prefixed(person.word, before), person.traits | chosen)


def _prefixed(word: Word, before: str) -> Word:
    return f"{before}{word}" if isinstance(word, str) else {form: _prefixed(inner, before) for form, inner in word.items()}


def slots_of(template: str) -> list[list[str]]:
    """The slots of a template, each its name and then the steps to its form."""
    return [slot.split(".") for slot in SLOT.findall(template)]
