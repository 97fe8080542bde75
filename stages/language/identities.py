"""Groups of people as the swap knows them: the words for each, their partners in another group, and which of them a text mentions.

Gender is a list of pairs and first names (``lexicons/gender_pairs.tsv``, ``first_names.tsv``); every other attribute is a file of the
folder ``identities``, whose words are aligned: a new attribute or group needs no code.
"""

import csv
import functools
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from stages.contract import yaml_file
from stages.contract.bad_input import BadInput
from stages.contract.params import Section, fill
from stages.language.exchange import Exchange, Word
from stages.language.forms import plural
from stages.language.swap import Swap, Swapped, first_names

FOLDER = Path(__file__).with_suffix("")
GENDER_PAIRS = Path(__file__).parents[1] / "lexicons" / "gender_pairs.tsv"
WOMEN_AND_MEN = ("women", "men")


class Names(Section):
    """Pairs of first names of two groups."""

    groups: tuple[str, str]
    pairs: list[tuple[str, str]]


class Lists(Section):
    """A file of ``identities``: see religion.yaml and ethnicity.yaml."""

    groups: list[str]
    words: list[list[str]]
    of_people: list[str] = Field(default=[])
    no_partner: dict[str, list[str]] = Field(default={})
    names: Names | None = None


@dataclass(frozen=True)
class Groups:
    """Two groups of an attribute that change places, and the lower-case words of each."""

    attribute: str
    first: str
    second: str
    swap: Swap | Exchange
    words: tuple[frozenset[str], frozenset[str]]

    @property
    def names(self) -> tuple[str, str, str]:
        return self.attribute, self.first, self.second

    def __call__(self, text: str) -> Swapped:
        return self.swap(text)

    def direction(self, swapped: Swapped) -> str | None:
        """Which of the two groups a text mentions: "first to second" is the first alone, "both" both, None neither."""
        found = {word.lower() for word in (*swapped.changed, *swapped.ambiguous)}
        mentioned = tuple(bool(found & of_group) for of_group in self.words)
        return {(True, False): "first to second", (False, True): "second to first", (True, True): "both"}.get(mentioned)  # type: ignore[arg-type]


def attributes() -> list[str]:
    """The attributes there are words for."""
    return ["gender", *sorted(file.stem for file in FOLDER.glob("*.yaml"))]


def exchanges(attribute: str, chosen: Iterable[str], names: bool) -> Iterator[Groups]:
    """Any two of the ``chosen`` groups of an attribute, in their order; ``names``: first names count as words.

    BadInput: there is no such attribute or group, or there are fewer than two.
    """
    if attribute not in attributes():
        raise BadInput(f"params.yaml: swap.attributes: {attribute!r} has no words; there are {', '.join(attributes())}.")
    known, chosen = WOMEN_AND_MEN if attribute == "gender" else tuple(_lists(attribute).groups), tuple(chosen)
    if unknown := [group for group in chosen if group not in known]:
        raise BadInput(f"params.yaml: swap.attributes.{attribute}: {unknown[0]!r} is no group of it; there are {', '.join(known)}.")
    if len(set(chosen)) < max(2, len(chosen)):
        count = f"{len(set(chosen))} of {len(chosen)} groups"
        raise BadInput(f"params.yaml: swap.attributes.{attribute} names {count}; name two or more, once each.")
    for first, second in itertools.combinations(chosen, 2):
        yield _women_and_men(first, second, names) if attribute == "gender" else _any_two(attribute, first, second, names)


def _women_and_men(first: str, second: str, names: bool) -> Groups:
    with GENDER_PAIRS.open(encoding="utf-8", newline="") as opened:
        pairs = [tuple(row) for row in list(csv.reader(opened, delimiter="\t"))[1:]]
    people = first_names() if names else ()
    sides = [frozenset(word for row in (*pairs, *people) for word in _with_plural(row[side].lower())) for side in (0, 1)]
    women, men = sides if first == WOMEN_AND_MEN[0] else sides[::-1]
    return Groups("gender", first, second, Swap.of(pairs, people), (women, men))


def _with_plural(word: str) -> tuple[str, str]:
    return word, plural(word)


def _any_two(attribute: str, first: str, second: str, names: bool) -> Groups:
    lists = _lists(attribute)
    places = [lists.groups.index(group) for group in (first, second)]
    rows = [tuple(Word.parse(row[place]) for place in places) for row in lists.words]
    people: list[tuple[str, ...]] = []
    if names and lists.names is not None and {first, second} == set(lists.names.groups):
        people = [pair if first == lists.names.groups[0] else pair[::-1] for pair in lists.names.pairs]
    alone = [lists.no_partner.get(group, []) for group in (first, second)]
    exchange = Exchange.of(rows, people, frozenset(lists.of_people), [word for words in alone for word in words])
    sides = []
    for side in (0, 1):
        forms = {form.lower() for row in rows for form in row[side].forms} | {name[side].lower() for name in people}
        sides.append(frozenset(forms | {word.lower() for word in alone[side]}))
    return Groups(attribute, first, second, exchange, (sides[0], sides[1]))


@functools.cache
def _lists(attribute: str) -> Lists:
    file = FOLDER / f"{attribute}.yaml"
    lists = fill(Lists, yaml_file.read(file), file.name)
    if uneven := [row for row in lists.words if len(row) != len(lists.groups)]:
        raise BadInput(f"{file.name}: {len(uneven)} row(s) of words do not have {len(lists.groups)} columns, first {uneven[0]}.")
    return lists
