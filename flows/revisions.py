"""What a commit, branch, tag, experiment or the workspace has as results: its dvc.lock, and tables straight from DVC's cache or remote."""

import hashlib
import logging
import subprocess
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import yaml
from dvc.config import NoRemoteError, RemoteConfigError
from dvc.exceptions import DvcException
from dvc.repo import Repo
from dvc.scm import RevError, resolve_rev
from dvc_data.hashfile.hash_info import HashInfo
from scmrepo.exceptions import SCMError

from stages.contract import tables, yaml_file
from stages.contract.bad_input import BadInput
from stages.contract.tables import At

WORKSPACE = "workspace"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Revision:
    """Results as recorded: ``hashes`` of outputs by path, ``params`` and ``deps`` by stage, and the design that names its cells."""

    name: str
    commit: str | None
    design: dict[str, Any]
    hashes: dict[str, str]
    params: dict[str, dict[str, Any]] = field(repr=False)
    deps: dict[str, dict[str, str]] = field(repr=False)

    def cells(self) -> list[tuple[str, str]]:
        """The task and model of every cell of the design that has scores."""
        named = [(task, model) for task in self.design.get("tasks", {}) for model in self.design.get("models", {})]
        return [(task, model) for task, model in named if f"data/evaluate/{task}/{model}/scores.parquet" in self.hashes]


class History:
    """The repository in the current folder: ``with History() as history`` reads revisions and what they made, without checkout."""

    def __enter__(self) -> Self:
        try:
            self.repo = Repo()
        except (DvcException, OSError) as error:
            raise BadInput(f"DVC cannot use {Path.cwd()}: {' '.join(str(error).split())}.") from error
        logging.getLogger("dvc").setLevel(logging.ERROR)  # what is missing is ours to tell
        return self

    def __exit__(self, *_: object) -> None:
        self.repo.close()

    def revision(self, name: str) -> Revision:
        """A revision by any name that Git or ``dvc exp`` knows, or ``workspace``. BadInput: no such name, or no results there."""
        commit = None if name == WORKSPACE else self._commit(name)
        lock = _parsed(self._text(commit, "dvc.lock"), f"dvc.lock of {name}")
        written = yaml_file.parse(self._text(commit, "params.yaml"), f"params.yaml of {name}")
        design = written if isinstance(written, dict) else {}
        if not lock.get("stages"):
            raise BadInput(f"{name} has no dvc.lock and so no results: run `dvc repro` there and commit dvc.lock.")
        entries: dict[str, Any] = lock["stages"]
        hashes = {out["path"]: out["md5"] for entry in entries.values() for out in entry.get("outs", []) if "md5" in out}
        params = {stage: entry.get("params", {}).get("params.yaml", {}) for stage, entry in entries.items()}
        deps = {stage: {dep["path"]: dep.get("md5", "") for dep in entry.get("deps", [])} for stage, entry in entries.items()}
        return Revision(name, commit, design, hashes, params, deps)

    def fetch(self, wanted: Collection[tuple[Revision, str]]) -> None:
        """Bring what is not in the cache from the remote. BadInput: how much is nowhere, and what to pull."""
        absent: dict[str, tuple[Revision, str]] = {}
        for revision, path in wanted:
            if self._found(revision, path) is None:
                absent.setdefault(revision.hashes[path], (revision, path))
        if not absent:
            return
        why = ""
        try:
            self.repo.cloud.pull([HashInfo("md5", md5) for md5 in absent])
        except (NoRemoteError, RemoteConfigError, DvcException, OSError) as error:
            why = f" ({' '.join(str(error).split()).rstrip('.')})"
        lost = [at for at in absent.values() if self._found(*at) is None]
        if lost:
            revision, path = lost[0]
            more = f" and {len(lost) - 1} more results are" if len(lost) > 1 else " is"
            raise BadInput(
                f"{path} of {revision.name}{more} neither in DVC's cache nor on its remote{why}: `dvc push` where they were made and"
                " `dvc fetch --all-commits ingest subgroup predict evaluate` here, or `dvc repro` at that revision."
            )

    def read(self, revision: Revision, at: At, **names: str) -> pa.Table:
        """A table as a revision made it, with the columns it had then; BadInput where those this version needs are missing."""
        path = at.path.format(**names)
        found = self._found(revision, path)
        if found is None:
            raise BadInput(f"{path} of {revision.name} is not in DVC's cache: fetch it first.")
        try:
            return tables.read(found, at)
        except BadInput as error:
            raise BadInput(f"{path} of {revision.name}: {error}") from error

    def _found(self, revision: Revision, path: str) -> Path | None:
        """Where the bytes lie: in the cache, or in the workspace where they are still those."""
        md5 = revision.hashes[path]
        cached = Path(self.repo.cache.local.oid_to_path(md5))
        if cached.is_file():
            return cached
        lying = Path(self.repo.root_dir, path)
        return lying if lying.is_file() and hashlib.md5(lying.read_bytes(), usedforsecurity=False).hexdigest() == md5 else None

    def _commit(self, name: str) -> str:
        try:
            return str(resolve_rev(self.repo.scm, name))
        except (RevError, SCMError, DvcException, AttributeError) as error:  # of a repository without commits too
            raise BadInput(f"{name!r} is no commit, branch, tag or experiment of this repository.") from error

    def _text(self, commit: str | None, file: str) -> str:
        """A file of a commit as Git has it, empty where it has none; of the workspace as it lies there."""
        if commit is None:
            path = Path(self.repo.root_dir, file)
            return path.read_text(encoding="utf-8") if path.is_file() else ""
        shown = subprocess.run(["git", "show", f"{commit}:./{file}"], cwd=self.repo.root_dir, capture_output=True, check=False)
        return shown.stdout.decode("utf-8") if shown.returncode == 0 else ""


def _parsed(text: str, name: str) -> dict[str, Any]:
    try:
        found = yaml.load(text, LOADER)  # noqa: S506 - the C form of the safe loader
    except yaml.YAMLError as error:
        raise BadInput(f"{name} is not valid YAML: {' '.join(str(error).split())}.") from error
    return found if isinstance(found, dict) else {}
