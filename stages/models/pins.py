"""What a file of stages/pretrained says: which pretrained weights, where they come from, and their checksums."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from stages.contract import installed, yaml_file
from stages.contract.bad_input import BadInput
from stages.contract.params import Name, Section, fill
from stages.contract.values import Inside

Kind = Literal["vectors", "encoder", "text"]
Sum = Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")]  # SHA-256; empty: the stage says what to write
Repository = Annotated[str, Field(pattern=r"^(\w[\w.-]*/)?\w[\w.-]*$")]
Commit = Annotated[str, Field(pattern=r"^[0-9a-f]{1,40}$")]  # names of branches move


class Package(Section):
    """An installed package that carries the files: its import name, which is never imported, and the folder inside it."""

    module: installed.Package
    folder: Inside


class Pin(Section):
    """A file of stages/pretrained: which weights, from which package, hub repository or folder, and their SHA-256 sums.

    ``files`` of word vectors: the matrix, then its words. Of a hub repository the revision already fixes every file, so
    ``files`` may name a part of them; of a ``folder`` of yours, which DVC does not watch, it names all that may change.
    """

    kind: Kind
    about: str
    licence: str
    files: dict[Inside, Sum] = Field(default_factory=dict)
    packages: tuple[Package, ...] = ()
    install: str = ""
    hub: Repository = ""
    revision: Commit = ""
    folder: Inside = ""

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        origins = [bool(self.packages), bool(self.hub), bool(self.folder), self.kind == "text"]
        if sum(origins) != 1 or bool(self.hub) != bool(self.revision):
            raise ValueError("a pin names one of packages, hub and revision, or folder; of the kind text it names none")
        if not (self.files or self.hub or self.kind == "text"):
            raise ValueError("a pin of packages or of a folder names its files and their SHA-256 sums")
        if self.kind == "vectors" and len(self.files) not in {1, 2}:
            raise ValueError("a pin of word vectors names one file, or the matrix and then the list of its words")
        return self


class PinByLanguage(Section):
    """A file of stages/pretrained with a pin of its own for each language (as in the documents' column ``lang``), all of one kind."""

    kind: Kind
    about: str
    languages: dict[Name, dict[str, Any]] = Field(min_length=1)


def read(source: Path) -> dict[str, Pin]:
    """The pins of a file by language, "" being every language. BadInput: the file is not as it must be, which key, and why."""
    raw = yaml_file.read(source)
    if not isinstance(raw, dict) or "languages" not in raw:
        return {"": fill(Pin, raw, str(source))}
    by_language = fill(PinByLanguage, raw, str(source))
    entries = by_language.languages.items()
    return {language: fill(Pin, {"kind": by_language.kind} | pin, f"{source}: {language}") for language, pin in entries}


def folder_of(pin: Pin, source: str) -> Path | None:
    """Where the files of a pin lie; None: where the hub keeps them, or nowhere as there are none. BadInput: no package is installed."""
    if pin.folder:
        return Path(pin.folder)
    for package in pin.packages:
        if folder := installed.folder_of(package.module):
            return folder / package.folder
    if pin.packages:
        names = " or ".join(package.module for package in pin.packages)
        raise BadInput(f"{source}: the package {names} is not installed; {pin.install}.")
    return None
