"""The same text about somebody else: every listed word exchanged for its partner, in the role, number and case it has.

The swap that counterfactual data augmentation trains on and counterfactual tests ask about. It keeps what naive swaps lose: "his wife"
becomes "her husband" and "a friend of his" "a friend of hers"; "homosexuals" becomes "heterosexuals"; "AN ACTRESS" becomes "AN ACTOR"
and "a heroine" "a hero". A text in which a word's role cannot be decided says so, and is better left out than guessed.
"""

import csv
import functools
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from stages.language.english import answer_to_her, answer_to_his, words
from stages.language.forms import article, in_case, plural

NAMES = Path(__file__).with_name("first_names.tsv")
WORD = re.compile(r"(?:Mrs?|Ms|Dr|St|Prof|Sen|Gov|Rep|(?<!\w)[A-Z])\.|[^\W_]+(?:[-'’][^\W_]+)*|--|''|``|\S")


class Swapped(NamedTuple):
    """A text after the swap, the words that changed, and those whose role stayed open (which stand as they were)."""

    text: str
    changed: tuple[str, ...]
    ambiguous: tuple[str, ...]

    @property
    def clear(self) -> bool:
        """Whether something changed and nothing stayed open."""
        return bool(self.changed) and not self.ambiguous


def exchanged(text: str, pattern: re.Pattern[str], partner_of: Callable[[str, re.Match[str]], str | None]) -> Swapped:
    """``text`` with what ``pattern`` finds put for its partner: itself where it means something else, None where that is unclear."""
    pieces: list[str] = []
    open_words, changed, end = [], [], 0
    for match in pattern.finditer(text):
        partner = partner_of(text, match)
        if partner is None:
            open_words.append(match[0])
        elif partner != match[0]:
            pieces += [article(text[end : match.start()], match[0], partner), partner]
            changed.append(match[0])
            end = match.end()
    return Swapped("".join([*pieces, text[end:]]), tuple(changed), tuple(open_words))


def pattern_of(listed: Iterable[str]) -> re.Pattern[str]:
    """Finds any of ``listed`` as a word of its own, in any case, the longest that fits; no part of a compound, no user's @name."""
    return re.compile(rf"(?<![^\W_])(?<![^\W_][-.])(?<!@)(?:{_any_of(set(listed))})(?![^\W_]|-[^\W_])", re.IGNORECASE)


@dataclass(frozen=True)
class Swap:
    """Partners of lower-case words and of capitalised ``names``, and the pattern that finds any of them."""

    partners: dict[str, str]
    names: dict[str, str]
    pattern: re.Pattern[str]

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, ...]], names: Iterable[tuple[str, ...]] = ()) -> Self:
        """Swap the two words of each of ``pairs``, either way, and of ``names``, which only count with their capital letter.

        A word of several pairs has the partner of its first; regular plurals that no pair names are added. Words of the list
        ``stays`` (see english.yaml) are put for their partner and stay themselves.
        """
        listed = [(one.lower(), other.lower()) for one, other in pairs]
        partners: dict[str, str] = {}
        staying = words("stays") | {plural(word) for word in words("stays")}
        for one, other in [*listed, *_plurals(listed)]:
            for word, partner in ((one, other), (other, one)):
                if word not in staying:
                    partners.setdefault(word, partner)
        people = {word: partner for one, other in names for word, partner in ((one, other), (other, one))}
        return cls(partners, people, pattern_of([*partners, *(name.lower() for name in people)]))

    def __call__(self, text: str) -> Swapped:
        """``text`` with its words swapped."""
        return exchanged(text, self.pattern, self._partner)

    def _partner(self, text: str, match: re.Match[str]) -> str | None:
        """What stands in place of a listed word: its partner in its case, itself where it means something else, None where unclear."""
        found = match[0]
        before = last_word(text[: match.start()])
        following, after = next_words(text[match.end() :])
        if found in self.names:
            return self.names[found] if person(before, following, self.names) else found
        word = found.lower()
        if word not in self.partners or _something_else(found, before, following):
            return found
        if self.partners[word] in ("him", "his") and word == "her":
            answer = answer_to_her(before, following, after)
        elif word == "his" and self.partners[word] in ("her", "hers"):
            answer = answer_to_his(before, following, after)
        else:
            answer = self.partners[word]
        return None if answer is None else in_case(answer, found)


@dataclass
class Counts:
    """How many texts had a swap that is clear, how many a word whose role stayed open, and how many nothing to swap."""

    clear: int = 0
    ambiguous: int = 0
    unchanged: int = 0


def counterfactuals(texts: Iterable[str], swap: Swap, counts: Counts) -> Iterator[tuple[str, str]]:
    """Each text whose swap is clear, with its swap; ``counts`` tells what became of all of them."""
    for text in texts:
        swapped = swap(text)
        if swapped.clear:
            counts.clear += 1
            yield text, swapped.text
        elif swapped.ambiguous:
            counts.ambiguous += 1
        else:
            counts.unchanged += 1


@functools.cache
def first_names() -> tuple[tuple[str, ...], ...]:
    """200 pairs of US first names (women's, men's), as frequent and as old as each other (see README.md beside this file)."""
    with NAMES.open(encoding="utf-8", newline="") as opened:
        return tuple(tuple(row) for row in list(csv.reader(opened, delimiter="\t"))[1:])


def _any_of(listed: set[str]) -> str:
    """A pattern of any listed word, the longest that fits; words by their first letters, as long alternations are slow to try."""
    groups = itertools.groupby(sorted(listed, key=lambda word: (word[0], -len(word), word)), key=lambda word: word[0])
    parts = [f"{re.escape(first)}(?:{'|'.join(re.escape(word[1:]) for word in group)})" for first, group in groups]
    return "|".join(parts) or r"(?!)"


def _plurals(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Regular plurals of pairs of which neither word has one listed."""
    pronouns = {"she", "he", "her", "him", "his", "hers", "herself", "himself"}
    listed = {word for pair in pairs for word in pair}
    plurals = [(plural(one), plural(other)) for one, other in pairs if not {one, other} & pronouns and "s" not in (one[-1], other[-1])]
    return [pair for pair in plurals if not set(pair) & listed]


def last_word(text: str) -> str:
    """The word at the end of ``text``, "" at the beginning of a sentence."""
    found = WORD.findall(text[-60:])
    return found[-1] if found and found[-1] not in (".", "?", "!") else ""


def next_words(text: str) -> tuple[str, str]:
    """The two words at the beginning of ``text``."""
    found = [*WORD.findall(text[:80])[:2], "", ""]
    return found[0], found[1]


def person(before: str, following: str, names: dict[str, str]) -> bool:
    """Whether a name is a first name: no surname (Henry James, Mr. James, but Mary Ann Evans), no place (in Jordan, West Jordan)."""
    word = before.lower()
    place = word in words("parts_of_places") | words("locating")
    after_first = before in names or (len(before) == 2 and before[1] == ".")
    surname = (word in words("titles") or after_first) and not following[:1].isupper()
    return not place and not surname and not following.startswith("-")


def _something_else(found: str, before: str, following: str) -> bool:
    """Miss as a verb, mother in an oath, and King and its like as a family's name after a first name."""
    word = found.lower()
    if word == "mother" and following.lower().startswith("fuck"):
        return True
    if word == "miss":
        return not (found[0].isupper() and following[:1].isupper())
    named = before[:1].isupper() and before.lower() not in words("owners") | {"the", "a"}
    return named and word in words("families") and found[0].isupper()
