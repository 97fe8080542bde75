"""Runs dvc.yaml as `dvc repro` does, to the same dvc.lock, but step by step from this process: a caller sees each one's output.

DVC decides what is stale; its internals are used here, in lockfile.py and in process.py alone. They are not thread-safe, so
one mutex guards them; commands run outside the mutex and outside DVC's lock, so that steps may run in several threads.
"""

import contextlib
import fcntl
import logging
import os
import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from dvc.dependency.db import AbstractDependency
from dvc.dependency.repo import RepoDependency
from dvc.exceptions import DvcException
from dvc.repo import Repo
from dvc.repo.reproduce import collect_stages, get_active_graph, plan_repro
from dvc.rwlock import rwlock
from dvc.stage import PipelineStage, Stage
from dvc.stage.cache import RunCacheNotFoundError

from flows import lockfile
from flows.process import StageFailed, Tell, execute
from stages.contract.bad_input import BadInput


@dataclass(frozen=True)
class Step:
    """One stage of dvc.yaml, such as ``evaluate@trust-minilm``, that is stale or follows the stale steps in ``after``."""

    name: str
    reason: str
    after: frozenset[str]
    stage: Stage = field(repr=False)


@dataclass(frozen=True)
class Plan:
    """Everything a run looks at: the steps to run, each after those it needs, and the names of the unchanged stages."""

    steps: list[Step]
    unchanged: list[str]


class Engine:
    """The workspace in the current folder, held for one run: ``with Engine() as engine`` plans and runs its steps."""

    def __enter__(self) -> Self:
        if not Path("dvc.yaml").is_file():
            raise BadInput(f"there is no dvc.yaml in {Path.cwd()}: run from the repository's root.")
        try:
            self.repo = Repo(_wait_for_lock=True)
        except (DvcException, OSError) as error:
            raise BadInput(f"DVC cannot use {Path.cwd()}: {_sentence(error)} (a copy without history needs `git init` once).") from error
        logging.getLogger("dvc").setLevel(logging.WARNING)  # its progress is ours to tell
        self._mutex = threading.Lock()
        self._new: list[tuple[Path, str]] = []
        self._claim = _claim(Path(self.repo.tmp_dir, "crossbias.lock"))
        return self

    def __exit__(self, *_: object) -> None:
        self._claim.close()
        self.repo.close()

    def plan(self, targets: Collection[str] = ()) -> Plan:
        """What `dvc repro TARGETS` would run, in its order; BadInput where dvc.yaml or a target is wrong, or DVC is busy."""
        try:
            with self._dvc():
                graph = get_active_graph(self.repo.index.graph)
                stages = plan_repro(graph, collect_stages(self.repo, targets or ["dvc.yaml"]))
                if targets:  # for some targets DVC's order changes from run to run, by Python's hashes; ours is dvc.yaml's
                    wanted = set(stages)
                    stages = [stage for stage in plan_repro(graph) if stage in wanted]
                self._new = _unrecorded(stages)
                steps: dict[str, Step] = {}
                for stage in stages:
                    after = frozenset(upstream.addressing for upstream in graph.successors(stage)) & steps.keys()
                    if after or stage.changed():
                        reason = f"after {_few(sorted(after))}" if after else _reason(stage)
                        steps[stage.addressing] = Step(stage.addressing, reason, after, stage)
        except DvcException as error:
            raise BadInput(_sentence(error)) from error
        return Plan(list(steps.values()), [stage.addressing for stage in stages if stage.addressing not in steps])

    def run(self, step: Step, tell: Tell = print, device: str | None = None) -> str:
        """Bring one step up to date: "unchanged", "restored" from DVC's cache of earlier runs, or "ran"; else StageFailed.

        ``tell`` receives the command's output line by line; all of it is kept in logs/. ``device`` is the GPU it may use.
        """
        stage = step.stage
        try:
            with self._dvc():
                if not stage.changed():
                    return "unchanged"
                if stage.frozen or not stage.cmd:  # it runs no command: DVC checks or fetches its data
                    stage.reproduce()
                    stage.dump(update_pipeline=False)
                    return "ran"
                stage.remove_outs()
                with contextlib.suppress(RunCacheNotFoundError):
                    self.repo.stage_cache.restore(stage)
                    self._record(stage)
                    return "restored"
                stage.save_deps()
            with self._busy(stage):
                execute(stage, tell, device)
            with self._dvc():
                self._record(stage)
        except (DvcException, OSError) as error:
            raise StageFailed(f"{step.name}: {_sentence(error)}") from error
        return "ran"

    def _record(self, stage: PipelineStage) -> None:
        stage.save(run_cache=all(out.use_cache or out.is_metric or out.is_plot for out in stage.outs))
        stage.commit()
        path = lockfile.path_of(stage)
        place = self._new.index((path, stage.name)) if (path, stage.name) in self._new else len(self._new)
        lockfile.record(stage, later={name for other, name in self._new[place + 1 :] if other == path})

    @contextlib.contextmanager
    def _dvc(self) -> Iterator[None]:
        with self._mutex, self.repo.lock:
            yield

    @contextlib.contextmanager
    def _busy(self, stage: Stage) -> Iterator[None]:
        """Tell other DVC processes that a command is using the stage's files: theirs then stop instead of colliding."""
        reads = [dep.fs_path for dep in stage.deps if not isinstance(dep, (RepoDependency, AbstractDependency))]
        writes = [out.fs_path for out in stage.outs]
        links = self.repo.config["core"].get("hardlink_lock", False)
        lock = rwlock(self.repo.tmp_dir, self.repo.fs, f"crossbias run {stage.addressing}", reads, writes, links)
        with self._dvc():
            lock.__enter__()
        try:
            yield
        finally:
            with self._dvc():
                lock.__exit__(None, None, None)


def _claim(path: Path) -> Any:
    """The open file whose lock says that this process runs the workspace; the kernel frees it however the process ends."""
    claim = path.open("a+")
    try:
        fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        claim.seek(0)
        holder = claim.read()
        claim.close()
        raise BadInput(f"process {holder} is already running this workspace: wait for it to end, or stop it.") from error
    claim.truncate(0)
    claim.write(str(os.getpid()))
    claim.flush()
    return claim


def _unrecorded(stages: list[Stage]) -> list[tuple[Path, str]]:
    """The stages that dvc.lock lacks. `dvc repro` appends them in this order, whichever order ours end in."""
    names: dict[Path, list[str]] = {}
    for stage in stages:
        if isinstance(stage, PipelineStage):
            names.setdefault(lockfile.path_of(stage), []).append(stage.name)
    return [(path, name) for path, found in names.items() for name in lockfile.missing(path, found)]


def _reason(stage: Stage) -> str:
    """Why DVC calls a stage changed, in its words: "params.yaml evaluate.seed modified"."""
    return _few([change for entry in stage.status().get(stage.addressing, []) for change in _changes(entry)])


def _changes(status: Any, path: str = "") -> Iterator[str]:
    if isinstance(status, dict):
        for key, value in status.items():
            yield from _changes(value, path if key.startswith("changed ") else f"{path} {key}")
    else:
        yield f"{path} {status}".strip()


def _few(items: list[str]) -> str:
    return ", ".join(items[:3]) + (f" and {len(items) - 3} more" if len(items) > 3 else "")


def _sentence(error: Exception) -> str:
    return " ".join(f"{error} {error.__cause__ or ''}".split())
