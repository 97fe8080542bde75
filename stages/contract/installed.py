"""Where an installed package keeps its files, by what its installer wrote down: nothing of it is imported, and no parent of it."""

import sys
from importlib.metadata import Distribution, MetadataPathFinder, distributions
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator


def _one_word(name: str) -> str:
    if not (name.isidentifier() and name.isascii()):
        raise ValueError("a package is named by one word, without dots or slashes")
    return name


Package = Annotated[str, AfterValidator(_one_word)]


def folder_of(package: str) -> Path | None:
    """The folder of an installed package, by its import name; None: no installed distribution lists files of such a folder.

    Where Python looks for modules of whoever runs it, the current folder, nothing is installed and nothing looked for.
    """
    here = Path.cwd()
    path = [entry for entry in sys.path if entry and Path(entry).resolve() != here]
    named = MetadataPathFinder.find_distributions(MetadataPathFinder.Context(name=package, path=path))
    for found in (*named, *distributions(path=path)):
        if folder := _holds(found, package):
            return folder
    return None


def _holds(found: Distribution, package: str) -> Path | None:
    if not any(file.parts[0] == package and len(file.parts) > 1 for file in found.files or ()):
        return None
    folder = Path(str(found.locate_file(package)))
    return folder if folder.is_dir() else None
