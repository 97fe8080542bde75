"""Which sentences speak of one attribute set, which of a stereotype word alone, and where in them the word stands."""

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
POSSESSIVE = ("'s", "’s")


class Example(NamedTuple):
    """A sentence, the place of its word (first character, and the one after its last), and that word in lower case."""

    sentence: str
    start: int
    end: int
    word: str


class Examples(NamedTuple):
    """Sentences with feminine words alone, with masculine words alone, and with stereotype words but neither."""

    feminine: list[Example]
    masculine: list[Example]
    neutral: list[Example]


def extract(sentences: Iterable[str], feminine: Collection[str], masculine: Collection[str], targets: Collection[str]) -> Examples:
    """Examples of the sentences of 2 to 128 words: Kaneko and Bollegala's rule.

    Words are runs of letters and digits, joined by hyphens and apostrophes, in lower case and without a final 's. A sentence with
    words of one attribute set is an example of the first of them; one with words of both sets, or of none and no stereotype word,
    is left out; one with stereotype words alone is an example of each of them (of its first place, where it stands twice).
    """
    sets = [{word.removesuffix(".") for word in words} for words in (feminine, masculine, targets)]
    found = Examples([], [], [])
    for sentence in sentences:
        words = [_example(sentence, match) for match in WORD.finditer(sentence)]
        if not 2 <= len(words) <= 128:
            continue
        women, men, neutral = ([example for example in words if example.word in chosen] for chosen in sets)
        if women and not men:
            found.feminine.append(women[0])
        elif men and not women:
            found.masculine.append(men[0])
        elif not women and not men:
            found.neutral.extend({example.word: example for example in reversed(neutral)}.values())
    return found


def _example(sentence: str, match: re.Match[str]) -> Example:
    word = match[0]
    for ending in POSSESSIVE:
        word = word.removesuffix(ending)
    return Example(sentence, match.start(), match.start() + len(word), word.lower())
