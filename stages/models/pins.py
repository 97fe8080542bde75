"""What a file of stages/pretrained says: which pretrained weights, where they come from, and their checksums."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from stages.contract.params import Name, Section

Kind = Literal["vectors", "encoder", "text"]


class Package(Section):
    """An installed package that carries the files: its import name (its code is never run) and the folder inside it."""

    module: str
    folder: str


class Pin(Section):
    """A file of stages/pretrained: which weights, from which package, hub repository or folder, and their SHA-256 sums.

    ``files`` of word vectors: the matrix, then its words. Of a hub repository the revision already fixes every file, so
    ``files`` may name a part of them; of a ``folder`` of yours, which DVC does not watch, it names all that may change.
    """

    kind: Kind
    about: str
    licence: str
    files: dict[str, str] = Field(default_factory=dict)
    packages: tuple[Package, ...] = ()
    install: str = ""
    hub: str = ""
    revision: str = ""
    folder: str = ""

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        origins = [bool(self.packages), bool(self.hub), bool(self.folder), self.kind == "text"]
        if sum(origins) != 1 or bool(self.hub) != bool(self.revision):
            raise ValueError("a pin names one of packages, hub and revision, or folder; of the kind text it names none")
        if not (self.files or self.hub or self.kind == "text"):
            raise ValueError("a pin of packages or of a folder names its files and their SHA-256 sums")
        return self


class PinByLanguage(Section):
    """A file of stages/pretrained with a pin of its own for each language (as in the documents' column ``lang``), all of one kind."""

    kind: Kind
    about: str
    languages: dict[Name, dict[str, Any]] = Field(min_length=1)
