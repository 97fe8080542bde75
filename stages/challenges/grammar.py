"""Sentences from a corpus: every template with every person and, where it names an emotion, every word for it."""

import re
from collections.abc import Iterator
from pathlib import Path

from stages.challenges.corpus import SLOT, Corpus, Person, Word, everyone, slots_of
from stages.contract.bad_input import BadInput

Row = dict[str, str | bool | None]


def sentences(corpus: Corpus, path: Path) -> list[Row]:
    """The rows of ``Challenge``: sum over templates of persons x emotion words (1 where a template names no emotion).

    ``sentence_id`` is made of what the sentence is made of, so that it stays when templates, people or words are added. Raises
    BadInput at a form that a word or person lacks, and when two sentences are the same.
    """
    rows = []
    for template in corpus.templates:
        for person in everyone(corpus):
            for slot, emotion, word in _emotion_words(corpus, template):
                words = {**corpus.agreement, "person": person.word, slot: word}
                rows.append(_row(corpus, template, person, emotion, word) | {"text": _text(corpus, template, words, person, path)})
    _refuse_repeated(rows, path)
    return rows


def _emotion_words(corpus: Corpus, template: str) -> Iterator[tuple[str, str | None, Word]]:
    """The emotion slot of a template with each of its emotions and words; once without any where it has no such slot."""
    slot = next((slot for slot, *_ in slots_of(corpus.templates[template]) if slot in corpus.emotions), "")
    if not slot:
        yield "", None, ""
    for emotion, words in corpus.emotions.get(slot, {}).items():
        for word in words:
            yield slot, emotion, word


def _row(corpus: Corpus, template: str, person: Person, emotion: str | None, word: Word) -> Row:
    attributes = {name: person.traits.get(name) for name in corpus.attributes}
    parts = [template, *([emotion, _label(word)] if emotion else []), *attributes.values(), _label(person.word)]
    return {
        "sentence_id": "/".join(part for part in parts if part),
        "lang": corpus.lang,
        "template": template,
        "emotion": emotion,
        "emotion_word": _label(word) if emotion else None,
        "person": _label(person.word),
        "favourable": corpus.favourable.get(template),
        **attributes,
    }


def _label(word: Word) -> str:
    """The word's dictionary form: its first."""
    return word if isinstance(word, str) else _label(next(iter(word.values())))


def _text(corpus: Corpus, template: str, words: dict[str, Word], person: Person, path: Path) -> str:
    """The template with its slots filled, rewritten, and begun with a capital where the script has capitals."""
    where = f"{path}: templates.{template}"

    def form(slot: re.Match[str]) -> str:
        name, *steps = slot[1].split(".")
        word = words[name]
        for step in steps:
            if isinstance(word, str):
                return word
            if step in corpus.traits and step not in person.traits:
                raise BadInput(f"{where}: {slot[0]} agrees with a {step} that {_label(person.word)!r} does not have; give it one.")
            wanted = person.traits.get(step, step)
            if wanted not in word:
                raise BadInput(f"{where}: {slot[0]} needs the form {wanted!r} of {_label(word)!r}; it has {', '.join(word)}.")
            word = word[wanted]
        if not isinstance(word, str):
            raise BadInput(f"{where}: {slot[0]} does not say which form of {_label(word)!r}; say one of {', '.join(word)}.")
        return word

    text = SLOT.sub(form, corpus.templates[template])
    for pattern, replacement in corpus.rewrites:
        text = re.sub(pattern, replacement, text)
    return text[:1].title() + text[1:]


def _refuse_repeated(rows: list[Row], path: Path) -> None:
    first: dict[str | bool | None, Row] = {}
    repeated = [row for row in rows if first.setdefault(row["text"], row) is not row]
    if repeated:
        text = repeated[0]["text"]
        raise BadInput(
            f"{path}: {len(repeated)} of {len(rows)} sentences repeat another one, first {text!r} "
            f"({first[text]['sentence_id']} and {repeated[0]['sentence_id']}); make their words differ."
        )
