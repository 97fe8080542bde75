"""Looking words up exactly as Singh et al. 2021 did, recovered from their printed frequencies (tables 2 and 4)."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from stages.mentions.word_lists import WordList


def majority(texts: Iterable[str], groups: Mapping[str, Collection[str]]) -> list[str | None]:
    """Table 2: the group of whose words a lower-case text split at spaces holds most, null of a tie or none.

    Punctuation stays on ("him," is no word of a list); "her" counts as often as it stands there. With the paper's lists and "ma'am",
    which it prints: 12.30 % and 11.53 % of hateful and other texts mention women, 11.40 % and 17.35 % men.
    """
    groups_of: dict[str, list[str]] = {}
    for group, words in groups.items():
        for word in words:
            groups_of.setdefault(word, []).append(group)
    found: list[str | None] = []
    for text in texts:
        counts = Counter(group for token in text.lower().split() for group in groups_of.get(token, ()))
        top = [group for group, count in counts.items() if count == max(counts.values())]
        found.append(top[0] if len(top) == 1 else None)
    return found


def holding(texts: Iterable[str], terms: Collection[str]) -> list[set[str]]:
    """Table 4: the terms that a text holds as they are written, split at spaces, with # around the word taken off."""
    wanted = set(terms)
    return [{token.strip("#") for token in text.split()} & wanted for text in texts]


def words_of(word_list: WordList) -> dict[str, set[str]]:
    """The single words of each group, all forms, words that also mean other things included, as the paper has no context."""
    found: dict[str, set[str]] = {group: set() for group in word_list.groups}
    for group, _, form, _ in word_list.forms():
        if "_" not in form:
            found[group].add(form)
    return found
