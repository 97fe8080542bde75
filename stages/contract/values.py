"""Kinds of values that several sections of a design hold, each refused where it is read, by check and stage alike."""

import codecs
from collections.abc import Callable, Iterable
from pathlib import Path, PurePath
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationInfo

from stages.contract.bad_input import BadInput

ON_DISK = {"on disk": True}  # what `crossbias check` fills sections with: paths are looked at too


def _inside(path: str) -> str:
    parts = PurePath(path).parts
    if not parts or PurePath(path).is_absolute() or ".." in parts or "\0" in path or "\\" in path:
        raise ValueError("a path is relative, has no .. in it, and names a file or folder; link or copy what lies elsewhere")
    return path


def _text_encoding(name: str) -> str:
    try:
        known = codecs.lookup(name)
    except (LookupError, ValueError) as error:
        raise ValueError("no such encoding; say e.g. utf-8, latin-1, cp1252 or utf-16") from error
    if not getattr(known, "_is_text_encoding", True):
        raise ValueError("no encoding of text; say e.g. utf-8, latin-1, cp1252 or utf-16")
    return name


def place(read: Callable[[Path], object] | None = None) -> AfterValidator:
    """A path that the pipeline reads. Where a whole design is checked it must lie in this folder, be there, and let itself be ``read``.

    A stage by itself leaves that to whatever reads the path, as it may need it no more.
    """

    def validate(path: str, info: ValidationInfo) -> str:
        if not path:
            raise ValueError("it names no file or folder")
        if info.context is ON_DISK:
            _inside(path)
            if not Path(path).exists():
                raise ValueError(f"{path} is not there; put the data there (see README.md) or correct the path")
            if read is not None:
                read(Path(path))
        return path

    return AfterValidator(validate)


def one_of(names: Callable[[], Any], what: str) -> AfterValidator:
    """One of the ``names`` of our lists, such as ``what`` says."""

    def validate(name: str) -> str:
        known = list(names())
        if name not in known:
            raise ValueError(f"{name!r} is no {what}; there are {', '.join(known)}")
        return name

    return AfterValidator(validate)


def once(names: Iterable[str], where: str) -> None:
    """BadInput where a name stands twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise BadInput(f"{where}: {name!r} stands twice; leave one.")
        seen.add(name)


Inside = Annotated[str, AfterValidator(_inside)]  # a path that does not leave the folder it begins in
Place = Annotated[str, place()]
Seed = Annotated[int, Field(ge=0, lt=2**32)]  # what NumPy and scikit-learn take
Threads = Annotated[int, Field(ge=1, le=1024)]
Encoding = Annotated[str, AfterValidator(_text_encoding)]
