"""From the groups that a text mentions to columns: the group mentioned most, or one column a group."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

Rule = Literal["majority", "each"]
Column = list[str | None]


def majority(found: Iterable[Sequence[str]], order: Sequence[str]) -> Column:
    """For each text the group with most of its mentions ``found``; of a tie all ("women and men", in ``order``), null without any."""
    return [_most(Counter(groups), order) for groups in found]


def each(found: Sequence[Sequence[str]], order: Sequence[str]) -> dict[str, Column]:
    """One column a group, ``mentions_women``: "mentioned" or "not mentioned". A text may mention several groups."""
    return {
        f"mentions_{slug(group)}": ["mentioned" if group in groups else "not mentioned" for groups in found] for group in order
    }  # fmt: skip


def named(attribute: str, found: Sequence[Sequence[str]], order: Sequence[str], rule: Rule, by: str = "") -> dict[str, Column]:
    """The columns of one attribute; ``by`` ends the names of those that are not found by look-up ("_by_name")."""
    if rule == "majority":
        return {f"mentioned_{attribute}{by}": majority(found, order)}
    return {f"{name}{by}": column for name, column in each(found, order).items()}


def slug(group: str) -> str:
    return re.sub(r"\W+", "_", group.lower().removesuffix(" people")).strip("_")


def _most(counts: Counter[str], order: Sequence[str]) -> str | None:
    if not counts:
        return None
    top = max(counts.values())
    return " and ".join(group for group in order if counts[group] == top)
