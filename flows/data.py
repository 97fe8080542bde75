"""`crossbias data`: the files and weights that a design needs, whether they are there, and where to get those that are not."""

import argparse
import hashlib
import os
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import Field

from flows import imports
from stages.contract import yaml_file
from stages.contract.bad_input import BadInput
from stages.contract.design import settings
from stages.contract.params import Design, Section, fill
from stages.contract.shelf import ROOT, take
from stages.probes import name_tables

MISSING = "missing"
TABLE = ROOT / "datasets" / "sources.yaml"


class Source(Section):
    """An entry of sources.yaml: where a data set comes from, its terms, and the SHA-256 of its files, null where nobody has one.

    ``addresses``: by the beginning of a file's name, what the rest of it completes to the publisher's own address.
    """

    about: str
    where: str
    folder: str
    licence: str
    cite: str
    addresses: dict[str, str] = Field(default_factory=dict)
    files: dict[str, str | None]

    def address(self, file: str) -> str | None:
        return next((base + file.removeprefix(start) for start, base in self.addresses.items() if file.startswith(start)), None)


@dataclass
class Needed:
    """What one data set, base or table of names needs: a state for each file, and what to do where one is missing."""

    title: str
    states: dict[str, str]
    advice: str = ""

    @property
    def missing(self) -> int:
        return sum(state == MISSING for state in self.states.values())


def main(arguments: Sequence[str] | None = None, program: str = "crossbias data") -> int:
    """Exit code 0: all is there; 1: something is missing; 2: bad input, in one sentence."""
    parser = argparse.ArgumentParser(prog=program, description="What a design needs, what of it is there, and where to get the rest.")
    parser.add_argument("--params", type=Path, default=Path("params.yaml"), help="the design (default: params.yaml)")
    parser.add_argument("--all", action="store_true", help="every known data set, pin of pretrained weights and table of names")
    parser.add_argument("--import", nargs="+", dest="names", default=[], metavar="NAME", help="fetch data sets that their publishers serve")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    options = parser.parse_args(arguments)
    os.environ["HF_HUB_OFFLINE"] = "1"  # to look is not to download
    try:
        if options.names:
            return imports.fetch({name: _known(name) for name in options.names})
        found = everything() if options.all else of_design(Design.read(options.params))
    except (BadInput, OSError) as error:
        if options.debug:
            traceback.print_exc()
        print(f"data: {error}", file=sys.stderr)
        return 2
    for needed in found:
        _show(needed)
    missing = sum(needed.missing for needed in found)
    print(f"{missing} of {sum(len(needed.states) for needed in found)} files are missing." if missing else "Everything is there.")
    return 1 if missing else 0


def of_design(design: Design) -> list[Needed]:
    """What the tasks, the models and their probes need; what several of them share stands once. Raises BadInput."""
    data: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for name, task in design.tasks.items():
        module, params = take("datasets", task.dataset)
        files = module.files(params) if hasattr(module, "files") else ()
        data.setdefault((task.dataset.use, task.dataset.source, files), []).append(name)
    bases: dict[str, list[str]] = {}
    corpora: dict[str, list[str]] = {}
    for name, model in design.models.items():
        bases.setdefault(model.base.source, []).append(name)
        if model.debiaser.options.get("corpus"):
            corpora.setdefault(model.debiaser.options["corpus"], []).append(name)
    enumeration = settings(design, "probe").enumeration  # type: ignore[attr-defined]
    return [
        *(_data(f"{use} (tasks: {', '.join(tasks)})", sources().get(use), source, files) for (use, source, files), tasks in data.items()),
        *(_base(f"base (models: {', '.join(models)})", source) for source, models in bases.items()),
        *(_corpus(f"sentences (models: {', '.join(models)})", Path(path)) for path, models in corpora.items()),
        *([_names(enumeration.names)] if enumeration.included else []),
    ]


def everything() -> list[Needed]:
    """Every data set of the table in its folder, every pin of weights, and every table of names."""
    found = [_data(f"{name}: {source.about}", source, source.folder, tuple(source.files)) for name, source in sources().items()]
    pins = sorted((ROOT / "pretrained").glob("*.yaml"))
    found += [_base(f"base {pin.stem}", f"stages/pretrained/{pin.name}") for pin in pins]
    return found + [_names(which) for which in name_tables.known()]


@cache
def sources() -> dict[str, Source]:
    """The table, by data set. Raises BadInput."""
    entries = yaml_file.read(TABLE)
    return {name: fill(Source, entry, f"sources.yaml: {name}") for name, entry in entries.items()}


def _data(title: str, source: Source | None, folder: str, files: tuple[str, ...]) -> Needed:
    """Files below a folder; without any, the folder is itself the file, such as the one that ``delimited`` reads."""
    known = source.files if source else {}
    paths = {str(Path(folder, file)): known.get(file) for file in files} or {folder: None}
    states = {path: _state(Path(path), checksum) for path, checksum in paths.items()}
    return Needed(title, states, _advice(source, folder, files) if source else "put your file there, or mend the task's dataset.source")


def _known(name: str) -> Source:
    if name not in sources():
        raise BadInput(f"{name!r} is no data set of {TABLE.name}; there are {', '.join(sources())}.")
    return sources()[name]


def _names(which: str) -> Needed:
    """The table behind the names of the enumeration, which an installed package holds or a folder."""
    pin = name_tables.pinned(which)
    shown = f"{pin.package}: {pin.file}" if pin.package else pin.file
    state = MISSING if pin.place is None else _state(pin.place, pin.sha256)
    return Needed(f"names {which} (probe.enumeration)", {shown: state}, f"{pin.about}\n  get it: {pin.install}\n  terms: {pin.licence}")


def _corpus(title: str, path: Path) -> Needed:
    source = _of_file(path)
    if source:
        return _data(title, source, str(path.parent), (path.name,))
    return Needed(title, {str(path): "there" if path.exists() else MISSING}, "put a text file, a folder or a zip of texts there")


def _of_file(path: Path) -> Source | None:
    """The entry that has a file of that name."""
    return next((source for source in sources().values() if path.name in source.files), None)


def _state(path: Path, checksum: str | None) -> str:
    if not path.is_file():
        return MISSING
    if checksum is None:
        return "there"
    with path.open("rb") as opened:
        found = hashlib.file_digest(opened, "sha256").hexdigest()
    return (
        "there, checksum right" if found == checksum else f"there, but not the known file (sha256 {found[:9]}..., known {checksum[:9]}...)"
    )


def _advice(source: Source, folder: str, files: Iterable[str] = ()) -> str:
    name = next(name for name, known in sources().items() if known is source)
    served = any(map(source.address, files))
    fetch = f" (or crossbias data --import {name})" if served and folder == source.folder else ""
    return f"get it: {source.where}{fetch}\n  put it: in {folder}\n  terms: {source.licence}; cite {source.cite}"


def _base(title: str, source: str) -> Needed:
    """A base is there when its weights can be located and have their pinned checksums."""
    from stages.models.pretrained import locate_all

    known, weights = _of_file(Path(source)), f"weights of {source}"
    try:
        locate_all(source)
    except BadInput as error:
        return Needed(title, {weights: MISSING}, _advice(known, str(Path(source).parent)) if known else f"why: {error}")
    return Needed(title, {weights: "there, checksums right" if Path(source).suffix == ".yaml" else "there"})


def _lines(needed: Needed) -> Iterator[str]:
    yield needed.title
    for path, state in needed.states.items():
        yield f"  {path}: {state}"
    if needed.missing:
        yield f"  {needed.advice}"


def _show(needed: Needed) -> None:
    print("\n".join(_lines(needed)) + "\n")


if __name__ == "__main__":
    sys.exit(main())
