"""Results of cells that left the design: they leave the folders that stages read whole, and stay in DVC's cache.

`dvc pull` brings what dvc.yaml makes. Of a folder that holds more, dvc.lock would name a hash that no other clone can reach.
"""

import itertools
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dvc.dvcfile import ProjectFile
from dvc.output import Output
from dvc.repo import Repo
from dvc.rwlock import rwlock
from dvc.stage import PipelineStage, Stage
from dvc.stage.loader import StageLoader
from dvc.utils.serialize import load_yaml
from dvc_objects.fs.local import localfs

from flows import leftovers
from stages.contract.bad_input import BadInput


class Orphan(NamedTuple):
    """What an earlier run made in a ``folder`` that a stage reads whole, is as it was made, and is made by no stage now."""

    out: Output
    folder: Path


class Record(NamedTuple):
    """A stage as dvc.lock (beside its dvc.yaml, the ``file``) or DVC's cache of runs knows it, and where its outputs lie."""

    file: ProjectFile
    entry: dict[str, Any]
    paths: list[Path]


def find(repo: Repo, stages: Collection[Stage]) -> list[Orphan]:
    """The orphans in the folders that ``stages`` read whole; BadInput where something else lies there that others cannot have.

    That is a file which is somebody's own or was edited; one that Git knows may stay.
    """
    everything = list(repo.index.stages)
    files = {stage.path: stage.dvcfile for stage in everything if isinstance(stage, PipelineStage)}
    made = {Path(out.fs_path) for stage in everything for out in stage.outs}
    locked = {name: _record(file, entry) for file in files.values() for name, entry in file.lockfile_contents.get("stages", {}).items()}
    filled = made | {path for name, record in locked.items() if _is_cell(name, record.file) for path in record.paths}
    folders = {path for stage in stages for path in _reads(stage)} & {above for path in filled for above in path.parents}
    strays = {
        Path(file): folder
        for folder in folders
        if not made & {folder, *folder.parents}
        for file in repo.dvcignore.find(localfs, str(folder))
        if not made & {Path(file), *Path(file).parents} and not repo.scm.is_tracked(file)
    }
    if not strays:
        return []
    needed = made | {path for stage in everything for path in _reads(stage)}
    needed |= {above for path in needed for above in path.parents}
    places = {path: folder for file, folder in strays.items() for path in (file, *file.parents) if path not in needed}
    found: dict[Path, Orphan] = {}
    for record in itertools.chain(locked.values(), *(_of_earlier_runs(repo, file, places) for file in files.values())):
        if any(path in places and path not in found for path in record.paths):
            outs = {Path(out.fs_path): out for out in _outs(record)}
            found |= {path: Orphan(out, places[path]) for path, out in outs.items() if path in places and _as_made(out)}
    if own := sorted(file for file in strays if not found.keys() & {file, *file.parents}):
        _refuse(own, strays, Path(repo.root_dir))
    return [found[path] for path in sorted(found)]


def remove(repo: Repo, orphans: Collection[Orphan]) -> None:
    """Take orphans out of the workspace; DVC's cache has them then. DvcException where another DVC process uses them."""
    if not orphans:
        return
    paths = [orphan.out.fs_path for orphan in orphans]
    with rwlock(repo.tmp_dir, repo.fs, "crossbias run", [], paths, repo.config["core"].get("hardlink_lock", False)):
        for out, _ in orphans:
            if out.changed_cache():
                out.commit(relink=False)
        leftovers.to_disk(repo.root_dir, repo.cache.local.path)
        for out, folder in orphans:
            out.remove()
            above = Path(out.fs_path).parent
            while above != folder and not any(above.iterdir()):
                above.rmdir()
                above = above.parent


def _record(file: ProjectFile, entry: dict[str, Any]) -> Record:
    folder = Path(file.path).parent
    return Record(file, entry, [Path(os.path.normpath(folder / out["path"])) for out in entry.get("outs", [])])


def _is_cell(name: str, file: ProjectFile) -> bool:
    """Whether a stage is one of those that a foreach or matrix of dvc.yaml makes, or did with another design."""
    group, at, _ = name.partition("@")
    return bool(at) and group in file.contents.get("stages", {})


def _reads(stage: Stage) -> list[Path]:
    return [Path(dep.fs_path) for dep in stage.deps if dep.protocol == "local"]


def _of_earlier_runs(repo: Repo, file: ProjectFile, places: Collection[Path]) -> Iterator[Record]:
    """Those in DVC's cache of runs that made something at one of the places: dvc.lock may be another branch's."""
    folder = Path(file.path).parent
    said = {f"path: {path.relative_to(folder).as_posix()}\n" for path in places if path.is_relative_to(folder)}
    for path in sorted(Path(repo.stage_cache.cache_dir).glob("*/*/*")):
        text = path.read_text(encoding="utf-8")
        if any(line in text for line in said):
            yield _record(file, load_yaml(str(path)))


def _outs(record: Record) -> list[Output]:
    """The outputs of a stage that dvc.yaml may no longer have, with the hashes that were recorded."""
    stage = {"cmd": record.entry.get("cmd"), "outs": [out["path"] for out in record.entry["outs"]]}
    found: list[Output] = StageLoader.load_stage(record.file, "earlier", stage, record.entry).outs
    return found


def _as_made(out: Output) -> bool:
    return bool(out.exists and out.hash_info and not out.changed_checksum())


def _refuse(own: list[Path], strays: dict[Path, Path], root: Path) -> None:
    first, folder = own[0].relative_to(root), strays[own[0]].relative_to(root)
    more = f" (and {len(own) - 1} more)" if len(own) > 1 else ""
    raise BadInput(
        f"{first}{more} is not, or no longer, what a run made, but a stage reads all of {folder}, and nobody else could have that folder: "
        f"move it out of {folder}, or delete it."
    )
