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

from flows import leftovers, lockfile
from stages.contract.bad_input import BadInput

Entry = dict[str, Any]  # a stage as dvc.lock or DVC's cache of runs records it


class Orphan(NamedTuple):
    """What an earlier run made in a ``folder`` that a stage reads whole, is as it was made, and is made by no stage now."""

    out: Output
    folder: Path


def find(repo: Repo, stages: Collection[Stage]) -> list[Orphan]:
    """The orphans in the folders that ``stages`` read whole; BadInput where something else lies there that others cannot have.

    That is a file which is somebody's own or was edited; one that Git knows may stay.
    """
    everything = list(repo.index.stages)
    files = [stage.dvcfile for stage in {stage.path: stage for stage in everything if isinstance(stage, PipelineStage)}.values()]
    made = {Path(out.fs_path) for stage in everything for out in stage.outs}
    filled = {above for path in made for above in path.parents}
    strays = {
        Path(name): folder
        for folder in {path for stage in stages for path in _reads(stage)}
        if not made & {folder, *folder.parents}
        and folder.is_dir()
        and (folder in filled or any(_once_filled(file, folder) for file in files))
        for name in repo.dvcignore.find(localfs, str(folder))
        if not made & {Path(name), *Path(name).parents} and not repo.scm.is_tracked(name)
    }
    if not strays:
        return []
    needed = made | {path for stage in everything for path in _reads(stage)}
    needed |= {above for path in needed for above in path.parents}
    places = {path: folder for name, folder in strays.items() for path in (name, *name.parents) if path not in needed}
    found: dict[Path, Orphan] = {}
    for file in files:
        for entry in itertools.chain(file.lockfile_contents.get("stages", {}).values(), _earlier_runs(repo, file, places)):
            outs = [out for out in _outs(file, entry, places) if Path(out.fs_path) not in found and _as_made(out)]
            found |= {Path(out.fs_path): Orphan(out, places[Path(out.fs_path)]) for out in outs}
    if own := sorted(name for name in strays if not found.keys() & {name, *name.parents}):
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


def _reads(stage: Stage) -> list[Path]:
    return [Path(dep.fs_path) for dep in stage.deps if dep.protocol == "local"]


def _once_filled(file: ProjectFile, folder: Path) -> bool:
    """Whether cells of another design filled a folder, by dvc.lock, of a foreach or matrix that dvc.yaml still has."""
    path = Path(file.path)
    if not folder.is_relative_to(path.parent):
        return False
    below = f"path: {folder.relative_to(path.parent).as_posix()}/"
    groups = {name.partition("@")[0] for name, text in lockfile.outputs(path.with_suffix(".lock")).items() if "@" in name and below in text}
    return bool(groups) and not groups.isdisjoint(file.contents.get("stages", {}))


def _earlier_runs(repo: Repo, file: ProjectFile, places: Collection[Path]) -> Iterator[Entry]:
    """Those in DVC's cache of runs that made something at one of the places: dvc.lock may be another branch's."""
    folder = Path(file.path).parent
    said = {f"path: {path.relative_to(folder).as_posix()}\n" for path in places if path.is_relative_to(folder)}
    for path in sorted(Path(repo.stage_cache.cache_dir).glob("*/*/*")):
        text = path.read_text(encoding="utf-8")
        if any(line in text for line in said):
            yield load_yaml(str(path))


def _outs(file: ProjectFile, entry: Entry, places: Collection[Path]) -> list[Output]:
    """The outputs at one of the places of a stage that dvc.yaml may no longer have, with the hashes that were recorded."""
    folder = Path(file.path).parent
    paths = [out["path"] for out in entry.get("outs", []) if Path(os.path.normpath(folder / out["path"])) in places]
    found: list[Output] = StageLoader.load_stage(file, "earlier", {"cmd": entry.get("cmd"), "outs": paths}, entry).outs
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
