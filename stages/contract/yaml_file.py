"""YAML that others wrote: read whole or refused in a sentence, be it wrong, ambiguous or made to hang whoever reads it."""

from pathlib import Path
from typing import Any, NoReturn

import yaml

from stages.contract.bad_input import BadInput

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DEEPEST = 40  # of nested mappings and lists; a design needs nine
LONGEST = 1_000_000  # values once every alias is written out


def read(path: Path) -> Any:
    """What a YAML file holds; BadInput as ``parse``, and where it is no file in UTF-8."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not valid YAML: it is not UTF-8 ({error.reason} at byte {error.start}).") from error
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from error
    return parse(text, str(path))


def parse(text: str, where: str) -> Any:
    """What YAML says, tuples and objects never. BadInput, each with its line: what YAML forbids, a key that stands twice in a mapping
    (of which every reader takes another), a tag, values that are none (2024-13-45), nesting and aliases without end.
    """
    try:
        _refuse_endless(text)
        node = yaml.compose(text, LOADER)
        _refuse_twice(node)
        return yaml.load(text, LOADER)  # noqa: S506 - the safe loader, in C where there is one
    except yaml.YAMLError as error:
        raise BadInput(f"{where} is not valid YAML: {_sentence(error)}.") from error
    except (ValueError, OverflowError) as error:
        raise BadInput(f"{where} is not valid YAML: it has a date or number that is none: {_sentence(error)}.") from error


def _sentence(error: Exception) -> str:
    return " ".join(str(error).replace('"<unicode string>", ', "").partition("; use sys.")[0].split())


def _refuse_endless(text: str) -> None:
    """Count values as if every alias were written out, without writing it out."""
    open_ones: list[tuple[str | None, int]] = []  # the anchor of each open mapping or list, and its values so far
    sizes: dict[str | None, int] = {}
    event: Any
    for event in yaml.parse(text, LOADER):
        if getattr(event, "tag", None) is not None:
            _refuse(f"the tag {event.tag} is not taken; leave it out", event)
        if isinstance(event, yaml.CollectionStartEvent):
            open_ones.append((event.anchor, 1))
            if len(open_ones) > DEEPEST:
                _refuse(f"it is nested more than {DEEPEST} deep", event)
        elif isinstance(event, yaml.CollectionEndEvent | yaml.NodeEvent):
            anchor, size = open_ones.pop() if isinstance(event, yaml.CollectionEndEvent) else (event.anchor, 1)
            if isinstance(event, yaml.AliasEvent):
                size = sizes.get(anchor) or _refuse(f"*{anchor} stands for nothing that ends before it", event)
            sizes[anchor] = size
            if open_ones:
                open_ones[-1] = open_ones[-1][0], open_ones[-1][1] + size
                if open_ones[-1][1] > LONGEST:
                    _refuse(f"with its aliases written out it has over {LONGEST:,} values", event)


def _refuse(problem: str, at: Any) -> NoReturn:
    raise yaml.MarkedYAMLError(problem=problem, problem_mark=at.start_mark)


def _refuse_twice(root: Any) -> None:
    """Refuse a mapping in which a key stands twice; a key that ``<<`` brings may be said anew."""
    waiting, seen = [root], set()
    while waiting:
        node = waiting.pop()
        if node is None or id(node) in seen or isinstance(node, yaml.ScalarNode):
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += node.value
            continue
        keys = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                _refuse("a key must be a word", key)
            if key.value in keys:
                _refuse(f"the key {key.value!r} stands twice; leave one", key)
            keys.add(key.value)
            waiting.append(value)
