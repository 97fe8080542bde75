"""Protected attributes by looking words up in lists (Dixon et al. 2018; Singh et al. 2021, section 6.1).

Found is whom a text mentions, not who wrote it: `mentioned_gender` "women" is a text that mentions women and no others as often.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from stages.contract.bad_input import BadInput
from stages.contract.params import Name, Section
from stages.mentions import published, word_lists
from stages.mentions.columns import Column, Rule, named


class Params(Section):
    """``attributes``: the word lists to look up, each a column.

    ``rule``: majority, the group mentioned most, all of them where it is a tie ("women and men"); each: a column a group, so that
    texts that mention several are in all. ``ambiguous``: words that also mean other things ("black", "old", "straight") count beside
    words for people ("black men", "I am old"), always or never.
    ``convention``: assessment2021 is the paper's own rule instead: lower case, split at spaces, ties null.
    """

    attributes: tuple[Name, ...] = Field(default=("gender", "religion"), min_length=1)
    rule: Rule = "majority"
    ambiguous: Literal["in_context", "always", "never"] = "in_context"
    convention: Literal["crossbias", "assessment2021"] = "crossbias"


def mine(texts: Sequence[str], params: Params) -> dict[str, Column]:
    """Columns of English texts from the lists of ``words/``. BadInput: no such list, or the paper's rule with another's."""
    lists = word_lists.chosen(word_lists.read(word_lists.WORDS), params.attributes, "params.yaml: ingest.mentions: lookup")
    if params.convention == "assessment2021":
        if params.rule == "each" or params.ambiguous != "in_context":
            raise BadInput("params.yaml: ingest.mentions: convention assessment2021 has a rule of its own; leave rule and ambiguous out.")
        return {f"mentioned_{each.attribute}": published.majority(texts, published.words_of(each)) for each in lists}
    lookup = word_lists.Lookup.of(lists, params.ambiguous)
    found = [lookup.find(text) for text in texts]
    columns: dict[str, Column] = {}
    for each in lists:
        groups = [[mention.group for mention in mentions if mention.attribute == each.attribute] for mentions in found]
        columns |= named(each.attribute, groups, list(each.groups), params.rule)
    return columns
