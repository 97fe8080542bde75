"""Mistakes in a corpus, each refused in one sentence that names the file, the key, how many, and what to do."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from stages.challenges.corpus import SLOT, Corpus, Word, everyone, slots_of
from stages.contract.bad_input import BadInput
from stages.contract.challenges import Challenge
from stages.contract.tables import column_names


def check_corpus(corpus: Corpus, path: Path) -> None:
    """BadInput at the first mistake: an empty group or word list, a slot unfilled or unused, a form that is not there, ..."""
    for check in (_attributes, _modifiers, _people, _groups, _words, _templates, _labels, _slots, _forms, _rewrites):
        check(corpus, path)


def _attributes(corpus: Corpus, path: Path) -> None:
    for name, values in corpus.attributes.items():
        if name in {*column_names(Challenge), *corpus.features}:
            raise BadInput(f"{path}: attributes: {name!r} is the name of another column or of a feature; call it differently.")
        if len(set(values)) < 2:
            raise BadInput(f"{path}: attributes.{name} has {len(set(values))} value(s); a comparison needs two or more.")


def _modifiers(corpus: Corpus, path: Path) -> None:
    for name, words in corpus.modifiers.items():
        for value, word in words.items():
            if value not in corpus.attributes.get(name, ()):
                known = "; ".join(f"{attribute}: {', '.join(values)}" for attribute, values in corpus.attributes.items())
                raise BadInput(f"{path}: modifiers.{name}: {value} is none of the declared attributes ({known}).")
            if not word.strip():
                raise BadInput(f"{path}: modifiers.{name}.{value} is empty; give it a word, or remove it.")


def _people(corpus: Corpus, path: Path) -> None:
    for number, people in enumerate(corpus.people):
        where = f"{path}: people.{number} ({', '.join(people.are.values())})"
        if not people.persons:
            raise BadInput(f"{where} holds 0 persons; name some, or remove the entry.")
        own = [item for person in people.persons if isinstance(person, dict) for item in person.items() if item[0] in corpus.traits]
        for name, value in [*people.are.items(), *own]:
            if value not in corpus.traits.get(name, ()):
                known = "; ".join(f"{trait}: {', '.join(values)}" for trait, values in corpus.traits.items())
                raise BadInput(f"{where}: {name}: {value} is none of the declared attributes and features ({known}).")
        if differing := [name for name, _ in own if name in corpus.attributes]:
            raise BadInput(f"{where}: {len(differing)} person(s) with a {differing[0]} of their own; give them an entry by themselves.")


def _groups(corpus: Corpus, path: Path) -> None:
    persons = Counter(item for person in everyone(corpus) for item in person.traits.items())
    for name, values in corpus.attributes.items():
        for value in values:
            if not persons[name, value]:
                raise BadInput(f"{path}: the group {name}: {value} is empty (0 persons); name its people, or remove the value.")


def _words(corpus: Corpus, path: Path) -> None:
    for slot, emotions in corpus.emotions.items():
        if not emotions:
            raise BadInput(f"{path}: the slot emotions.{slot} has 0 emotions; give it a word list for each, or remove it.")
        for emotion, words in emotions.items():
            if not words:
                raise BadInput(f"{path}: the word list emotions.{slot}.{emotion} has length 0; give it words, or remove it.")


def _templates(corpus: Corpus, path: Path) -> None:
    known = ["person", *corpus.agreement, *corpus.emotions]
    for name, template in corpus.templates.items():
        where = f"{path}: templates.{name}: {template!r}"
        slots = [slot for slot, *_ in slots_of(template)]
        if unfilled := [slot for slot in slots if slot not in known]:
            raise BadInput(f"{where}: nothing fills the slot {unfilled[0]!r}; there are {', '.join(known)}.")
        if re.search(r"[{}]", SLOT.sub("", template)):
            raise BadInput(f"{where}: a brace opens or closes no slot; slots are {{name}} or {{name.form}}.")
        if "person" not in slots:
            raise BadInput(f"{where} has no slot {{person}}, so that it would be the same for everyone.")
        if len(emotions := set(slots) & set(corpus.emotions)) > 1:
            raise BadInput(f"{where} has {len(emotions)} emotion slots; a sentence is about one emotion at most.")


def _labels(corpus: Corpus, path: Path) -> None:
    if unknown := [name for name in corpus.favourable if name not in corpus.templates]:
        raise BadInput(f"{path}: favourable: {len(unknown)} label(s) of templates that are not there, first {unknown[0]!r}; correct them.")
    missing = [name for name in corpus.templates if name not in corpus.favourable]
    if corpus.favourable and missing:
        count = f"{len(missing)} of {len(corpus.templates)}"
        raise BadInput(f"{path}: favourable: {count} templates have no label, first {missing[0]!r}; label all of them or none.")


def _slots(corpus: Corpus, path: Path) -> None:
    known = Counter(["person", *corpus.agreement, *corpus.emotions])
    if shared := [slot for slot, times in known.items() if times > 1]:
        raise BadInput(f"{path}: {known[shared[0]]} slots are called {shared[0]!r}; rename one.")
    used = {slot for template in corpus.templates.values() for slot, *_ in slots_of(template)}
    if unused := [slot for slot in known if slot not in used]:
        raise BadInput(f"{path}: {len(unused)} of {len(known)} slots stand in no template: {', '.join(unused)}; use or remove them.")


def _forms(corpus: Corpus, path: Path) -> None:
    """Every form that a template asks for belongs to some word, and every form that a word has is asked for."""
    values = {value for trait in corpus.traits.values() for value in trait}
    words: dict[str, list[Word]] = {"person": [person.word for person in everyone(corpus)]}
    words |= {name: [word] for name, word in corpus.agreement.items()}
    words |= {slot: [word for words in emotions.values() for word in words] for slot, emotions in corpus.emotions.items()}
    for slot, of_slot in words.items():
        asked = {step for text in corpus.templates.values() for name, *steps in slots_of(text) if name == slot for step in steps}
        forms = {form for word in of_slot for form in _forms_of(word)}
        if unknown := sorted(asked - forms - set(corpus.traits)):
            there = ", ".join([*sorted(forms), *corpus.traits])
            raise BadInput(f"{path}: {len(unknown)} unknown form(s), first {{{slot}.{unknown[0]}}}; forms and traits are {there}.")
        if unasked := sorted(forms - asked - values):
            raise BadInput(
                f"{path}: {len(unasked)} form(s) of {slot} that no template asks for and that are no value of a trait: "
                f"{', '.join(unasked)}; correct or remove them."
            )


def _rewrites(corpus: Corpus, path: Path) -> None:
    for number, (pattern, replacement) in enumerate(corpus.rewrites):
        try:
            re.sub(pattern, replacement, "")
        except re.error as error:
            raise BadInput(f"{path}: rewrites.{number}: {pattern!r} -> {replacement!r} cannot be used: {error}.") from error


def _forms_of(word: Word) -> Iterator[str]:
    if isinstance(word, dict):
        for form, inner in word.items():
            yield str(form)
            yield from _forms_of(inner)
