"""What an enumeration found as two tables: a row a group of names, and a row a cell of groups and categories of words."""

import codecs
import re
from pathlib import Path

import numpy as np
import pandas as pd

from stages.probes.enumeration import Enumeration, Found
from stages.probes.spaces import Space

# One word a line, each letter thirteen on in the alphabet (ROT13), so that nobody comes upon them who does not look for them.
OFFENSIVE = frozenset(codecs.decode(Path(__file__).with_name("offensive.rot13.txt").read_text(encoding="ascii"), "rot13").split())


def associations(space: Space, found: Found, settings: Enumeration) -> pd.DataFrame:
    """A row a cell, as ``Associations`` has it; categories by the sum of their significant scores, the largest first."""
    significant, categories = found.q <= settings.alpha, found.material.categories
    order = np.argsort(-np.where(significant, found.sigma, 0).sum(axis=0), kind="stable")
    named = [_joined(words, settings.censored) for words in categories.central(settings.shown)]
    rows = []
    for rank, category in enumerate(order, start=1):
        for group in range(len(found.sigma)):
            cell, number = (group, category), int(found.numbers[group, category])
            row = {
                "category": rank,
                "category_words": named[category],
                "category_length": int(categories.lengths[category]),
                "group": group + 1,
                "words": _joined([categories.words[place] for place in found.rows[cell]], settings.censored),
                "nearest": number,
                "reason": None,
            }
            if number < settings.each:
                few = f"{number} words of the category are nearest to this group, and {settings.each} are needed"
                row |= {"words": None, "reason": few}
            rows.append(row)
    frame = pd.DataFrame(rows).assign(vectors=space.name)
    for name, values in {"score": found.sigma, "p_value": found.p, "q_value": found.q, "rotations": found.counted}.items():
        frame[name] = values[:, order].T.ravel()
    return frame.assign(significant=significant[:, order].T.ravel())


def name_groups(space: Space, found: Found) -> pd.DataFrame:
    """A row a group, the largest first, as ``NameGroups`` has it; a trait that the table of names lacks is missing."""
    rows = [
        {"vectors": space.name, "group": number, "names": ", ".join(group.illustrative), "length": len(group.rows)} | group.traits
        for number, group in enumerate(found.material.groups, start=1)
    ]
    return pd.DataFrame(rows)


def shown(word: str, censored: bool) -> str:
    """``word``; when ``censored``, each offensive part of it, in a phrase or as a plural too, is its first letter and stars."""
    return re.sub("[a-z]+", _starred, word) if censored else word


def _starred(match: re.Match[str]) -> str:
    word = match[0]
    return word[0] + "*" * (len(word) - 1) if {word, word.removesuffix("s")} & OFFENSIVE else word


def _joined(words: list[str], censored: bool) -> str:
    return ", ".join(shown(word, censored) for word in words)
