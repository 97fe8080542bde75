"""Gender and ethnicity that the names in a text hint at, by a gazetteer that finds them in lower case too.

First names of one gender: the 200 pairs of ``stages/language/first_names.tsv``. Surnames and first names of one ethnic group in the
United States: ``names.yaml``, which states its rules. Names that are also everyday words or places are in neither, so that text
without capitals is read alike. Found is what a name hints at, of few names: most people who are named have none of these.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from stages.contract import yaml_file
from stages.contract.params import Section
from stages.mentions.columns import Column, Rule, named
from stages.mentions.word_lists import tokens

FIRST_NAMES = Path(__file__).parents[1] / "language" / "first_names.tsv"
ORDER = {"gender": ("women", "men"), "ethnicity": ("Black people", "white people", "Asian people", "Hispanic people")}


class Params(Section):
    """``attributes``: columns ``mentioned_gender_by_name`` and ``mentioned_ethnicity_by_name``; ``rule`` as in look-up."""

    attributes: tuple[Literal["gender", "ethnicity"], ...] = Field(default=("gender", "ethnicity"), min_length=1)
    rule: Rule = "majority"


def mine(texts: Sequence[str], params: Params) -> dict[str, Column]:
    """Columns of English texts. A name counts as often as it stands there, possessive or not."""
    words = [tokens(text) for text in texts]
    columns: dict[str, Column] = {}
    for attribute in params.attributes:
        group_of = gazetteer(attribute)
        found = [[group_of[word] for word in row if word in group_of] for row in words]
        columns |= named(attribute, found, ORDER[attribute], params.rule, "_by_name")
    return columns


@cache
def gazetteer(attribute: str) -> dict[str, str]:
    """The group that each name, in lower case, hints at."""
    if attribute == "gender":
        pairs = [line.split("\t") for line in FIRST_NAMES.read_text(encoding="utf-8").splitlines()[1:]]
        return {name.casefold(): group for pair in pairs for name, group in zip(pair, ORDER["gender"], strict=True)}
    lists = yaml_file.read(Path(__file__).with_suffix(".yaml"))
    return {name: group for names in lists.values() for group, words in names.items() for name in words.split()}
