"""Files by the hash of their content, as DVC's remotes keep them (files/md5/ab/cdef...): all that machines share.

An object is checked by its hash wherever it arrives, so that a file is either the right one or a sentence.
"""

import contextlib
import hashlib
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from dvc.config import Config
from dvc.data_cloud import Remote
from dvc.exceptions import DvcException
from dvc.fs import get_cloud_fs
from dvc_objects.fs.local import localfs

from stages.contract.bad_input import BadInput

# What an order may say of a remote. Whatever else a remote needs, keys and passwords above all, each machine has in its own
# environment or in .dvc/config.local of its worker's folder, whose entries go before these.
PUBLIC = ("url", "endpointurl", "region", "use_ssl", "account_name")


UNREACHED: tuple[type[Exception], ...] = (DvcException, OSError)
with contextlib.suppress(ImportError):  # with the extra s3
    from botocore.exceptions import BotoCoreError

    UNREACHED += (BotoCoreError,)
Place = Callable[[Path, Path], None]


class StoreFailed(Exception):
    """The remote lacks an object, holds a broken one, or cannot be reached."""


def public(config: Config, name: str | None) -> dict[str, str]:
    """What may be told of a remote: its name and what .dvc/config says of ``PUBLIC``; BadInput where it holds a password.

    Without a ``name`` it is DVC's default remote.
    """
    name = name or config["core"].get("remote")
    if name is None or name not in config["remote"]:
        known = ", ".join(config["remote"]) or "none (dvc remote add NAME URL)"
        raise BadInput(f"workers share files through a DVC remote: give --remote a name that DVC knows; there are {known}.")
    shared = config.load_one("repo")["remote"].get(name, {})
    if any(urlsplit(str(value)).password for value in shared.values()):
        raise BadInput(f"remote {name}: its address holds a password; move it from .dvc/config to .dvc/config.local of each machine.")
    return {"name": name} | {key: str(shared[key]) for key in PUBLIC if key in shared}


class Store:
    """A remote as this machine reaches it: ``told`` is what ``public`` gave, ``folder`` where this machine's .dvc/config.local is."""

    def __init__(self, told: Mapping[str, str], folder: Path) -> None:
        self.name = told["name"]
        try:
            own = Config(str(folder / ".dvc"))
            entry = {key: value for key, value in told.items() if key != "name"} | dict(own["remote"].get(self.name, {}))
            if "url" not in entry:
                raise BadInput(f"remote {self.name} has no url in .dvc/config, nor in .dvc/config.local of {folder}.")
            kind, options, path = get_cloud_fs({"remote": {self.name: entry}}, name=self.name)
            self.odb: Any = Remote(self.name, path, kind(**options), **options).odb
        except DvcException as error:
            raise BadInput(f"remote {self.name}: {_plain(error)}") from error
        self._held: set[str] = set()

    def send(self, files: Mapping[Path, str]) -> int:
        """Put files, each with its md5, into the remote where it lacks them; how many it lacked."""
        wanted = {md5: path for path, md5 in files.items() if md5 not in self._held}
        with self._reached():
            lacks = sorted(wanted.keys() - set(self.odb.list_oids_exists(list(wanted))))
            self.odb.add([str(wanted[md5]) for md5 in lacks], localfs, lacks, check_exists=False)
        if changed := [md5 for md5 in lacks if hash_of(wanted[md5]) != md5.removesuffix(".dir")]:
            with self._reached():
                for md5 in changed:
                    self.odb.delete(md5)
            raise StoreFailed(f"{wanted[changed[0]]} changed while it was sent to remote {self.name}: run again.")
        self._held |= wanted.keys()
        return len(lacks)

    def fetch(self, files: Mapping[str, str], cache: Path, folder: Path, scratch: Path, place: Place) -> None:
        """Put files, paths with their md5, below ``folder``, by way of a ``cache`` of objects and an empty ``scratch`` beside it.

        ``place`` is ``link`` (they stay the cache's, read-only) or ``copy``.
        """
        lacks = [md5 for md5 in sorted(set(files.values())) if not _sound(cache / md5[:2] / md5[2:], md5)]
        arrived = {md5: scratch / md5 for md5 in lacks}
        with self._reached():
            self.odb.fs.get([self.odb.oid_to_path(md5) for md5 in lacks], [str(path) for path in arrived.values()])
        for md5, path in arrived.items():
            if hash_of(path) != md5:
                where = next(where for where, other in files.items() if other == md5)
                broken = self.odb.oid_to_path(md5)
                raise StoreFailed(f"remote {self.name} holds a broken object for {where}: delete {broken} there and run again.")
            path.chmod(0o444)
            (cache / md5[:2]).mkdir(parents=True, exist_ok=True)
            path.replace(cache / md5[:2] / md5[2:])
        for where, md5 in files.items():
            (folder / where).parent.mkdir(parents=True, exist_ok=True)
            place(cache / md5[:2] / md5[2:], folder / where)

    @contextlib.contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            raise StoreFailed(f"remote {self.name} lacks an object that it should hold ({_plain(error)}): run again to send it.") from error
        except UNREACHED as error:
            raise StoreFailed(f"remote {self.name} cannot be used from this machine: {type(error).__name__}: {_plain(error)}") from error


def link(source: Path, target: Path) -> None:
    """Place an object without a second copy, where the file system can."""
    try:
        target.hardlink_to(source)
    except OSError:
        copy(source, target)
        target.chmod(0o444)


def copy(source: Path, target: Path) -> None:
    """Place an object as a file of its own, which may be edited."""
    shutil.copyfile(source, target)


def hash_of(path: Path) -> str:
    """The md5 of a file, which is the name DVC knows it by."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def hashes_below(path: Path, root: Path) -> dict[str, str]:
    """The md5 of a file, or of all files below a folder, by path from ``root``."""
    paths = sorted(found for found in path.rglob("*") if found.is_file()) if path.is_dir() else [path]
    return {found.relative_to(root).as_posix(): hash_of(found) for found in paths}


def _sound(path: Path, md5: str) -> bool:
    """Whether the cache holds an object whole; a broken one is removed."""
    if not path.is_file():
        return False
    if hash_of(path) == md5:
        return True
    path.unlink()
    return False


def _plain(error: BaseException) -> str:
    return " ".join(f"{error} {error.__cause__ or ''}".split())
