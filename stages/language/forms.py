"""How English words show number, case and sound: plurals, capitals, and the article before them."""

import re

VOWELS = "aeiou"
NO_MAN = frozenset(["german", "human", "norman", "ottoman", "roman", "shaman", "talisman"])


def plural(word: str) -> str:
    """The regular plural of a noun, with -men for -man and the first word's of an in-law."""
    head, dash, rest = word.partition("-in-")
    if word.endswith("man") and word not in NO_MAN:
        return f"{word[:-2]}en"
    if head[-1:] == "y" and head[-2:-1] not in VOWELS:
        return f"{head[:-1]}ies{dash}{rest}"
    return f"{head}{'es' if head.endswith(('s', 'x', 'z', 'ch', 'sh')) else 's'}{dash}{rest}"


def in_case(word: str, pattern: str) -> str:
    """``word`` in capitals, with a capital, or as it is, as ``pattern`` is written."""
    if len(pattern) > 1 and pattern.isupper():
        return word.upper()
    return word[0].upper() + word[1:] if pattern[0].isupper() else word


def article(between: str, old: str, new: str) -> str:
    """``between`` whose "a" or "an" at the end fits ``new``, where it had to fit ``old``."""
    if takes_an(old) == takes_an(new):
        return between
    found = re.search(r"\b([Aa])([Nn]?)(\s+)$", between)
    if found is None or bool(found[2]) != takes_an(old):
        return between
    n = ("N" if new.isupper() else "n") if takes_an(new) else ""
    return between[: found.start()] + found[1] + n + found[3]


def takes_an(word: str) -> bool:
    """Whether the article before ``word`` is "an"."""
    lower = word.lower()
    return (lower[0] in VOWELS and not lower.startswith(("eu", "one", "uni"))) or lower.startswith(("heir", "hon"))
