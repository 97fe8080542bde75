"""Which words a probe compares: sets of words, tests of four sets each, and groups of people by words about them, read from YAML."""

from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

from pydantic import Field

from stages.contract import yaml_file
from stages.contract.bad_input import BadInput
from stages.contract.params import Name, Section, fill


class FourSets(Section):
    """Sets by name: are targets ``x`` nearer to ``a`` than to ``b`` when compared with targets ``y``?"""

    x: Name
    y: Name
    a: Name
    b: Name


class Groups(Section):
    """Sets by name: is each word of the ``neutral`` sets as near to one group's words as to another's? ``paired``: the n-th words are."""

    of: tuple[Name, ...] = Field(min_length=2)
    neutral: tuple[Name, ...] = Field(min_length=1)
    paired: bool = False


class WordSets(Section):
    """One file, or all files of a folder together."""

    sets: dict[Name, tuple[str, ...]] = Field(default_factory=dict)
    tests: dict[Name, FourSets] = Field(default_factory=dict)
    groups: dict[Name, Groups] = Field(default_factory=dict)

    def of(self, names: Iterable[str]) -> list[str]:
        """The words of the sets, each once, in their order."""
        return list(dict.fromkeys(word for name in names for word in self.sets[name]))


def read(folder: Path) -> WordSets:
    """The sets, tests and groups of every ``*.yaml`` in ``folder``.

    BadInput: no file, a name given twice, an unknown set, a word twice in a set or in two sets that are compared (in any case of
    letters, as many bases know lower case alone), groups said to be paired of unequal length.
    """
    files = sorted(folder.glob("*.yaml"))
    if not files:
        raise BadInput(f"{folder} holds no word sets (*.yaml): restore stages/probes/words, or correct probe.words.")
    parts: dict[str, dict[str, Any]] = {"sets": {}, "tests": {}, "groups": {}}
    for file in files:
        for kind, entries in _one(file).model_dump().items():
            twice = sorted(set(parts[kind]) & set(entries))
            if twice:
                raise BadInput(f"{file}: {twice[0]!r} stands among the {kind} of another file too; give it another name.")
            parts[kind] |= entries
    whole = WordSets.model_validate(parts)
    _check(whole, folder)
    return whole


def _one(file: Path) -> WordSets:
    raw = yaml_file.read(file)
    return fill(WordSets, raw, str(file))


def _check(words: WordSets, folder: Path) -> None:
    for name, held in words.sets.items():
        if len({word.lower() for word in held}) < len(held) or not all(word.strip() == word != "" for word in held):
            raise BadInput(f"{folder}: the set {name!r} names a word twice, or a word that is empty or begins or ends with a space.")
    compared: dict[str, list[tuple[str, ...]]]
    compared = {f"test {name}": [(test.x,), (test.y,), (test.a,), (test.b,)] for name, test in words.tests.items()}
    compared |= {f"groups {name}": [*((part,) for part in group.of), group.neutral] for name, group in words.groups.items()}
    for name, parts in compared.items():
        unknown = sorted({part for named in parts for part in named} - set(words.sets))
        if unknown:
            raise BadInput(f"{folder}: {name} names {unknown[0]!r}, which is no set; there are {', '.join(sorted(words.sets))}.")
        for one, other in combinations(parts, 2):
            shared = {word.lower() for word in words.of(one)} & {word.lower() for word in words.of(other)}
            if shared:
                what = f"{'+'.join(one)} and {'+'.join(other)} share {len(shared)} words ({min(shared)!r})"
                raise BadInput(f"{folder}: {name}: {what}; take them out of one, as a word is as near as can be to itself.")
    for name, group in words.groups.items():
        if group.paired and len({len(words.sets[part]) for part in group.of}) > 1:
            raise BadInput(f"{folder}: groups {name} are said to be paired and have unequally many words; pair them or leave paired out.")
