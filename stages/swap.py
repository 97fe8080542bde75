"""documents -> the same texts about somebody else, and what became of each text"""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pydantic import Field

from stages.contract.command import command
from stages.contract.params import Design, Name, Section
from stages.contract.schemas import Documents
from stages.contract.swaps import Swaps
from stages.language.identities import Groups, exchanges


class Params(Section):
    """``attributes``: the groups of each attribute of which any two change places; ``names``: first names change with them.

    Groups and their words are those of ``stages/language/identities``, and women and men of gender. Empty: no swaps.
    """

    attributes: dict[Name, tuple[str, ...]] = Field(default={"gender": ("women", "men")})
    names: bool = True


def check(_: Design, params: Params) -> None:
    """BadInput where an attribute or group has no words."""
    for attribute, chosen in params.attributes.items():
        list(exchanges(attribute, chosen, params.names))


def run(documents: Documents, params: Params) -> Swaps:
    """Every text once for every swap, with the swapped text where the swap is clear. BadInput: an attribute or group without words."""
    swaps = [groups for attribute, chosen in params.attributes.items() for groups in exchanges(attribute, chosen, params.names)]
    texts = list(zip(documents["doc_id"].to_pylist(), documents["text"].to_pylist(), documents["lang"].to_pylist(), strict=True))
    at = Swaps.__metadata__[0]
    rows = list(_rows(texts, swaps))
    for groups in swaps:
        counts = [row["outcome"] for row in rows if (row["attribute"], row["first"], row["second"]) == groups.names]
        told = ", ".join(f"{counts.count(outcome)} {outcome}" for outcome in dict.fromkeys(sorted(counts)))
        print(f"{groups.attribute}, {groups.first} and {groups.second}: {told}", flush=True)
    return pa.Table.from_pylist(rows, schema=at.empty().schema)


def _rows(texts: list[tuple[str, str, str]], swaps: list[Groups]) -> Iterator[dict[str, Any]]:
    for groups in swaps:
        about = dict(zip(("attribute", "first", "second"), groups.names, strict=True))
        for doc_id, text, lang in texts:
            yield {"doc_id": doc_id, **about, **(_outcome(text, groups) if lang == "en" else _nothing("not English"))}


def _outcome(text: str, groups: Groups) -> dict[str, Any]:
    swapped = groups(text)
    direction = groups.direction(swapped)
    if swapped.ambiguous:
        said = ", ".join(dict.fromkeys(swapped.ambiguous))
        return _nothing("ambiguous", direction) | {"changed": len(swapped.changed), "reason": f"no sure partner: {said}"}
    if not swapped.changed:
        return _nothing("unchanged")
    return {"direction": direction, "outcome": "swapped", "changed": len(swapped.changed), "text": swapped.text, "reason": None}


def _nothing(outcome: str, direction: str | None = None) -> dict[str, Any]:
    return {"direction": direction, "outcome": outcome, "changed": 0, "text": None, "reason": None}


if __name__ == "__main__":
    command(run)
