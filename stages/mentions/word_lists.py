"""Words for groups of people, and where a text holds them: whole words in any case, with plurals, possessives and hashtags."""

import itertools
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from stages.contract import yaml_file
from stages.contract.bad_input import BadInput
from stages.contract.params import Section, fill
from stages.language.forms import plural

JOINED = frozenset(["and", "or"])
SKIPPED = 6  # words at most between a word and what it is said of
WORDS = Path(__file__).with_name("words")
# What is skipped (addresses, @names, character references), words, and the clitics of "I'm", "they're", "she's".
TOKEN = re.compile(r"(?:https?://|www\.)\S+|@\w+|&#?\w+;|([^\W_]+(?:'(?!(?:s|m|re|ll|d|ve)\b)[^\W_]+)*)|'(m|re|s|ll|d|ve)\b")


class Words(Section):
    """The words of a group, several joined by "_". ``words`` have plurals by rule; ``in_context`` also mean other things."""

    words: str = ""
    as_written: str = ""
    in_context: str = ""


class WordList(Section):
    """A protected attribute: its name, its groups, and where their words come from."""

    about: str
    attribute: str
    groups: dict[str, Words]

    def forms(self) -> Iterator[tuple[str, str, str, bool]]:
        """(group, term, form, whether it counts in context alone) of every form of every word."""
        for group, words in self.groups.items():
            for term in words.words.split():
                yield from ((group, term, form, False) for form in (term, plural(term)))
            yield from ((group, term, term, False) for term in words.as_written.split())
            yield from ((group, term, term, True) for term in words.in_context.split())


class Mention(NamedTuple):
    """A word for a group in a text."""

    attribute: str
    group: str
    term: str


@dataclass(frozen=True)
class Lookup:
    """``entries``: the mentions of each form, a tuple of tokens; True: it counts beside words for people alone."""

    entries: Mapping[tuple[str, ...], tuple[tuple[Mention, bool], ...]]
    longest: Mapping[str, int]
    people: frozenset[str]
    ambiguous: str = "in_context"

    @classmethod
    def of(cls, lists: Sequence[WordList], ambiguous: str = "in_context") -> "Lookup":
        """A look-up of all words of some lists; ``ambiguous`` words count ``in_context``, ``always`` or ``never``."""
        entries: dict[tuple[str, ...], dict[tuple[str, str], tuple[Mention, bool]]] = {}
        for each in lists:
            for group, term, form, in_context in each.forms():
                mention = Mention(each.attribute, group, term.replace("_", " "))
                entries.setdefault(tuple(tokens(form.replace("_", " "))), {}).setdefault((each.attribute, group), (mention, in_context))
        longest: dict[str, int] = {}
        for key in entries:
            longest[key[0]] = max(longest.get(key[0], 0), len(key))
        plain = {key[0] for key, found in entries.items() if len(key) == 1 and not any(unsure for _, unsure in found.values())}
        return cls({key: tuple(found.values()) for key, found in entries.items()}, longest, words("people") | plain, ambiguous)

    def find(self, text: str) -> list[Mention]:
        """Every mention in the order of the text; where forms overlap ("African American") the longest counts alone."""
        found: list[Mention] = []
        words_of, done = tokens(text), 0
        for place in [place for place, word in enumerate(words_of) if word in self.longest]:
            if place < done:
                continue
            for length in range(self.longest[words_of[place]], 0, -1):
                here = self.entries.get(tuple(words_of[place : place + length]))
                if here is not None:
                    done = place + length
                    found += [mention for mention, unsure in here if not unsure or self._counts(words_of, place, done)]
                    break
        return found

    def _counts(self, words_of: Sequence[str], start: int, end: int) -> bool:
        """Whether a word that also means other things is said of people here."""
        if self.ambiguous != "in_context":
            return self.ambiguous == "always"
        if start and words_of[start - 1] in words("measures"):
            return False
        following = itertools.dropwhile(lambda word: word in JOINED or self._unsure(word), words_of[end : end + SKIPPED])
        if next(following, "") in self.people:
            return True
        skipped = JOINED | words("adverbs")
        before = itertools.dropwhile(lambda word: word in skipped or self._known(word), reversed(words_of[max(0, start - SKIPPED) : start]))
        right, left = next(before, ""), next(before, "")
        said, asked = (right, left), (left, right)
        return right == "being" or any(be in words("being") and who in words("subjects") for be, who in (said, asked))

    def _known(self, word: str) -> bool:
        return (word,) in self.entries and word not in words("subjects")

    def _unsure(self, word: str) -> bool:
        return any(unsure for _, unsure in self.entries.get((word,), ()))


def tokens(text: str) -> list[str]:
    """The words of a text without case: "I'm #Black, she's @her" is i, m, black, she, s. Code compatibility forms are made plain."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").casefold()
    return [one or other for one, other in TOKEN.findall(plain) if one or other]


def read(folder: Path) -> dict[str, WordList]:
    """The lists (*.yaml) of a folder by attribute. BadInput: none there, not of that form, or an attribute twice."""
    lists: dict[str, WordList] = {}
    for path in sorted(folder.glob("*.yaml")):
        raw = yaml_file.read(path)
        found = fill(WordList, raw, str(path))
        if found.attribute in lists:
            raise BadInput(f"{path}: attribute {found.attribute!r} has a list already; merge the two.")
        lists[found.attribute] = found
    if not lists:
        raise BadInput(f"{folder} holds no word list (*.yaml); the ones that come with this program lie in stages/mentions/words.")
    return lists


def chosen(lists: Mapping[str, WordList], attributes: Sequence[str], where: str) -> list[WordList]:
    """The lists of some attributes. BadInput naming the first that has none."""
    for attribute in attributes:
        if attribute not in lists:
            raise BadInput(f"{where}: attribute {attribute!r} has no word list; there are {', '.join(lists)}.")
    return [lists[attribute] for attribute in attributes]


@cache
def words(name: str) -> frozenset[str]:
    """A list of ``context.yaml``."""
    return frozenset(yaml_file.read(Path(__file__).with_name("context.yaml"))[name].split())
