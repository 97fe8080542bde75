"""dvc.lock as `dvc repro` writes it, but replaced in one piece: a reader, or a crash, meets the old file or the whole new one.

DVC parses and dumps the whole file for each stage that ends, which is quadratic in the number of stages, and writes it in
place. Here DVC's own dumper writes the one entry that changed, and its text takes the old one's place.
"""

import os
import re
import tempfile
from collections.abc import Collection
from functools import cache, partial
from pathlib import Path

from dvc.stage import PipelineStage
from dvc.stage.serialize import to_lockfile
from dvc.utils.serialize import dumps_yaml
from dvc.utils.serialize._yaml import parse_yaml_for_update

from stages.contract.bad_input import BadInput

EMPTY = "schema: '2.0'\nstages:\n"
SHAPE = re.compile(r"((?:\S.*\n|(?: .*)?\n)*?^stages:\n)((?:  \S.*\n(?:   .*\n|\n)*)*)((?:\S.*\n(?:(?: .*)?\n)*)*)", re.MULTILINE)
ENTRY = re.compile(r"^(?=  [^\s#:])", re.MULTILINE)
ANCHOR = re.compile(r"^( *(?:- )*(?:\S.*: )?[&*]id)(\d{3,})(?= \[\]$| \{\}$|$)", re.MULTILINE)


def missing(path: Path, names: Collection[str]) -> list[str]:
    """Those of the stages ``names`` that a lock file does not record."""
    entries = _split(path)[1]
    return [name for name in names if _key(name) not in entries]


def outputs(path: Path) -> dict[str, str]:
    """The lines about its outputs of each stage that a lock file records, by name."""
    return {key.strip(" :'\""): text.partition("\n    outs:\n")[2] for key, text in _split(path)[1].items()}


def record(stage: PipelineStage, later: Collection[str] = ()) -> None:
    """Write what a stage used and made into its dvc.lock, in its old place or else before the entries in ``later``, or last."""
    path = path_of(stage)
    head, entries, tail = _split(path)
    ((key, entry),) = _entries(dumps_yaml({"stages": to_lockfile(stage)}).partition("\n")[2]).items()
    if key in entries:
        entries[key] = entry
    else:
        follows = {_key(name) for name in later}
        place = next((place for place, other in enumerate(entries) if other in follows), len(entries))
        pairs = list(entries.items())
        entries = dict([*pairs[:place], (key, entry), *pairs[place:]])
    _replace(path, head + _number_anchors(entries) + tail)


def path_of(stage: PipelineStage) -> Path:
    return Path(stage.path).with_suffix(".lock")


def _split(path: Path) -> tuple[str, dict[str, str], str]:
    """The text before the entries, each entry's text by its key, and the text after them."""
    text = path.read_text(encoding="utf-8") if path.exists() else EMPTY
    match = SHAPE.fullmatch(text) or SHAPE.fullmatch(dumps_yaml(parse_yaml_for_update(text, path)))
    if match is None:
        raise BadInput(f"{path} is not laid out as DVC does it: delete it and run again, every result returns from DVC's cache.")
    head, body, tail = match.groups()
    return head, _entries(body), tail


def _entries(body: str) -> dict[str, str]:
    """Each entry's text by its first line, which holds the stage's name as YAML spells it."""
    return {text.partition("\n")[0]: text for text in ENTRY.split(body) if text}


@cache
def _key(name: str) -> str:
    return "  " + dumps_yaml({name: None}).partition("\n")[0]


def _number_anchors(entries: dict[str, str]) -> str:
    """The entries' text with YAML's anchors counted through the whole file, as one dump of it would number them."""
    anchors = 0
    texts = []
    for text in entries.values():
        old = sorted({match[2] for match in ANCHOR.finditer(text)}, key=int)
        new = {number: f"{anchors + place:03d}" for place, number in enumerate(old, 1)}
        texts.append(ANCHOR.sub(partial(_renumber, new), text))
        anchors += len(old)
    return "".join(texts)


def _renumber(new: dict[str, str], match: re.Match[str]) -> str:
    return match[1] + new[match[2]]


def _replace(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(path.stat().st_mode if path.exists() else 0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
