"""Words for two groups of people that change places: a Jew and a Muslim, Jewish and Muslim women, mosques and churches."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from re import Match, Pattern
from typing import NamedTuple, Self

from stages.language.english import ENDS, words
from stages.language.forms import plural
from stages.language.swap import Swapped, exchanged, last_word, next_words, pattern_of, person


class Word(NamedTuple):
    """A word for a person of a group as noun, adjective and plural; "" where it has no such form."""

    noun: str
    adjective: str
    plural: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """ "Jew | Jewish | Jews"; one word alone is noun and adjective, and a plural that is not given is regular."""
        parts = [part.strip() for part in text.split("|")]
        noun, adjective = parts[0], parts[1] if len(parts) > 1 else parts[0]
        return cls(noun, adjective, parts[2] if len(parts) > 2 else plural(noun) if noun else "")

    @property
    def only_role(self) -> str:
        """The role of a word that is the same as noun and adjective, or is but one of them; "" of the others."""
        if self.noun and self.adjective in ("", self.noun):
            return "noun"
        return "" if self.noun else "adjective"

    @property
    def forms(self) -> list[str]:
        return [form for form in dict.fromkeys(self) if form]


class Reading(NamedTuple):
    """A form as it is written in the list, its role ("" where it is noun and adjective), and the word it is put for."""

    form: str
    role: str
    partner: Word


@dataclass(frozen=True)
class Exchange:
    """``readings`` of lower-case words, None for those without a partner; ``names`` that only count with their capital letter."""

    readings: dict[str, Reading | None]
    names: dict[str, str]
    of_people: frozenset[str]
    pattern: Pattern[str]

    @classmethod
    def of(
        cls,
        rows: Iterable[tuple[Word, ...]],
        names: Iterable[tuple[str, ...]] = (),
        of_people: frozenset[str] = frozenset(),
        alone: Sequence[str] = (),
    ) -> Self:
        """Exchange the two words of each of ``rows`` in every form; a word of several rows has the partner of its first.

        Adjectives ``of_people`` only count where they are said of a person; words ``alone`` have no partner and stay open.
        """
        readings: dict[str, Reading | None] = {word.lower(): None for word in alone}
        for one, other in rows:
            for word, partner in ((one, other), (other, one)):
                for form in word.forms if word != partner else ():
                    role = "" if form == word.noun == word.adjective else word._fields[word.index(form)]
                    role = "plural" if form == word.plural else role
                    readings.setdefault(form.lower(), Reading(form, role, partner))
        people = {word: partner for one, other in names for word, partner in ((one, other), (other, one))}
        return cls(readings, people, of_people, pattern_of([*readings, *(name.lower() for name in people)]))

    def __call__(self, text: str) -> Swapped:
        """``text`` with the words of the two groups exchanged."""
        return exchanged(text, self.pattern, self._partner)

    def _partner(self, text: str, match: Match[str]) -> str | None:
        """What stands in place of a word: its partner in its role and case, itself where it is about nobody, None where unclear."""
        found, left = match[0], text[: match.start()]
        before, following = last_word(left), next_words(text[match.end() :])[0]
        if found in self.names:
            return self.names[found] if person(before, following, self.names) else found
        if found.lower() not in self.readings:
            return found
        reading = self.readings[found.lower()]
        if reading is None:
            return None
        said = _said_of_people(left, before, following)
        if reading.form in self.of_people and not said:
            return found
        role = reading.role or reading.partner.only_role or _role(before, following)
        answer = getattr(reading.partner, role) if role else ""
        unfit = answer in self.of_people and not said
        return None if not answer or unfit else _in_case_of(answer, found, reading.form, starts=not before or left.endswith(("“", '"')))


def _said_of_people(left: str, before: str, following: str) -> bool:
    """Whether an adjective stands before a word for a person or people, or after "I am", "they're" and the like."""
    if following.lower() in words("persons"):
        return True
    earlier = last_word(left.rstrip()[: len(left.rstrip()) - len(before)])
    is_one = earlier.lower() in words("pronouns") and before.lower() in words("being")
    return (is_one or before.lower().replace("’", "'") in words("being_one")) and _ended(following)


def _role(before: str, following: str) -> str | None:
    """noun ("a Muslim."), adjective ("Muslim women", "she is Muslim."), or None where the words around do not tell."""
    if following.lower() in words("persons"):
        return "adjective"
    if before.lower() in words("articles"):
        over = following.lower() not in ("and", "or") and (_ended(following) or following.lower() in words("closed"))
        return "noun" if over else None
    said = before.lower() in words("being") | words("being_one") | words("degrees")
    return "adjective" if said and _ended(following) else None


def _ended(following: str) -> bool:
    return not following or following in ENDS or following.lower() in words("joining")


def _in_case_of(answer: str, found: str, form: str, starts: bool) -> str:
    """``answer`` written as ``found`` is, ``form`` in the list: "muslim" gives "jewish", "MUSLIM" "JEWISH", "Asian man" "white man"."""
    if len(found) > 1 and found.isupper() and not form.isupper():
        return answer.upper()
    if found[0].isupper() and (starts or form[0].islower()):
        return answer[0].upper() + answer[1:]
    return answer.lower() if found[0].islower() and form[0].isupper() else answer
