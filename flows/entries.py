"""New entries of dvc.lock stand where an undisturbed `dvc repro` appends them, whichever order ours end in, and after a kill too."""

import json
from collections.abc import Iterable
from pathlib import Path

from dvc.stage import PipelineStage, Stage

from flows import lockfile

Entry = tuple[Path, str]  # a lock file, and a stage's name in it


class Entries:
    """The entries that a run is the first to record, in the order of its plan.

    ``path`` is where they are kept until all are recorded, so that a run after a broken-off one puts what that did not come to in
    its place.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._new: list[Entry] = []
        self._kept = False

    def expect(self, stages: Iterable[Stage]) -> None:
        """A run is about to look at ``stages``, in this order: what dvc.lock lacks of them, or did before a run that was broken off."""
        names: dict[Path, list[str]] = {}
        for stage in stages:
            if isinstance(stage, PipelineStage):
                names.setdefault(lockfile.path_of(stage), []).append(stage.name)
        lacking = {(path, name) for path, found in names.items() for name in lockfile.missing(path, found)}
        new = lacking | self._unfinished() if lacking else lacking
        self._new = [(path, name) for path, found in names.items() for name in found if (path, name) in new]
        self._kept = False

    def record(self, stage: PipelineStage) -> None:
        """Write what a stage used and made into its dvc.lock, in its place."""
        if not self._kept:  # whole or not at all, as a kill may come
            half = self._path.with_suffix(".half")
            half.write_text(json.dumps([[str(path), name] for path, name in self._new]), encoding="utf-8")
            half.replace(self._path)
            self._kept = True
        entry = lockfile.path_of(stage), stage.name
        place = self._new.index(entry) if entry in self._new else len(self._new)
        lockfile.record(stage, later={name for path, name in self._new[place + 1 :] if path == entry[0]})

    def close(self) -> None:
        """The run has ended: where nothing is left to record, nothing is kept."""
        if not any(lockfile.missing(path, [name]) for path, name in self._new):
            self._path.unlink(missing_ok=True)

    def _unfinished(self) -> set[Entry]:
        try:
            return {(Path(path), name) for path, name in json.loads(self._path.read_text(encoding="utf-8"))}
        except (OSError, ValueError, TypeError):  # there is none, or it is no longer ours: then entries end where DVC appends them
            return set()
