"""Runs dvc.yaml as `dvc repro` does, to the same dvc.lock, but step by step from this process: a caller sees each one's output.

DVC decides what is stale. Its internals are used here and in plan, orphans, resolved, lockfile, entries, process, objects and orders
alone. They are not thread-safe, so one mutex guards them; commands run outside the mutex and outside DVC's lock, so that steps may run
in several threads.
"""

import contextlib
import dataclasses
import logging
import threading
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Self

from dvc.dependency import Dependency
from dvc.dependency.db import AbstractDependency
from dvc.dependency.repo import RepoDependency
from dvc.exceptions import DvcException
from dvc.repo import Repo
from dvc.rwlock import rwlock
from dvc.stage import PipelineStage, Stage
from dvc.stage.cache import RunCacheNotFoundError

from flows import leftovers, orphans
from flows.claim import claim
from flows.entries import Entries
from flows.parameters import parsed_once
from flows.plan import Plan, Step, chosen, every, fresh, planned
from flows.process import Processes, StageFailed, Tell, execute
from stages.contract.bad_input import BadInput

# DVC writes its lock file in place, so that a crash of DVC (never of ours) can leave it empty or cut short.
LOST_LOCK = ": delete dvc.lock, or `git checkout dvc.lock`, and run again; what was made returns from DVC's cache."


class Engine:
    """The workspace in the current folder, held for one run: ``with Engine() as engine`` plans and runs its steps.

    ``pull``: what DVC's run-cache knows is fetched from the default remote where it is not here, as by `dvc repro --pull`.
    BadInput: it is none, or another run holds it, unless ``wait`` is to be called, once, with who does, and that run's end awaited.
    """

    def __init__(self, wait: Tell | None = None, pull: bool = False) -> None:
        self._wait = wait
        self._pull = pull

    def __enter__(self) -> Self:
        if not Path("dvc.yaml").is_file():
            raise BadInput(f"there is no dvc.yaml in {Path.cwd()}: run from the repository's root.")
        try:
            self.repo = Repo(_wait_for_lock=True)
        except (DvcException, OSError) as error:
            raise BadInput(f"DVC cannot use {Path.cwd()}: {_sentence(error)} (a copy without history needs `git init` once).") from error
        logging.getLogger("dvc").setLevel(logging.WARNING)  # its progress is ours to tell
        self.processes = Processes()
        self._mutex = threading.Lock()
        self._entries = Entries(Path(self.repo.tmp_dir, "crossbias.new"))
        try:
            self._claim = claim(Path(self.repo.tmp_dir, "crossbias.lock"), self._wait)
            with self.repo.lock:
                leftovers.clear(self.repo)
        except (DvcException, OSError) as error:
            raise BadInput(f"{Path.cwd()} cannot be written: {_sentence(error)}.") from error
        self._parameters = parsed_once()
        self._parameters.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._parameters.__exit__(None, None, None)
        try:
            self._entries.close()
        finally:
            self._claim.close()
            self.repo.close()

    def stages(self) -> list[Stage]:
        """All stages of dvc.yaml, each after those it needs; BadInput as ``plan``."""
        with self._planning():
            return every(self.repo)

    def plan(self, targets: Collection[str] = (), stale: Callable[[], object] = lambda: None, dry: bool = False) -> Plan:
        """What `dvc repro TARGETS` would run, in its order; ``stale`` is called at the first step that must run.

        First, unless the plan is ``dry``, results of cells that are not in the design leave the folders that these stages read whole.
        BadInput where dvc.yaml or a target is wrong, something else lies in such a folder, or DVC is busy.
        """
        with self._planning():
            stages = chosen(self.repo, targets)
            leaving = orphans.find(self.repo, stages)
            if not dry:
                orphans.remove(self.repo, leaving)
            self._entries.expect(stages)
            plan = planned(self.repo, stages, stale, {str(orphan.folder) for orphan in leaving} if dry else ())
            return dataclasses.replace(plan, left=[str(orphan.out) for orphan in leaving])

    @contextlib.contextmanager
    def _planning(self) -> Iterator[None]:
        try:
            with self._mutex, self.repo.lock:
                yield
        except DvcException as error:
            advice = LOST_LOCK if "dvc.lock" in str(error) else ""
            raise BadInput(f"{_sentence(error)}{advice}") from error
        except OSError as error:
            raise BadInput(f"{Path.cwd()} cannot be read or written: {_sentence(error)}.") from error

    def begin(self, step: Step) -> str | Step:
        """Whatever needs no command: "unchanged", "restored" from DVC's cache of earlier runs, "ran" of a stage without a command.

        A step: its command must run, then ``finish`` with it; old outputs are gone and what it depends on is saved. Each attempt
        has a stage of its own, so that nothing of one that failed is taken for a result. StageFailed: DVC refuses.
        """
        with self.dvc(step):
            stage = fresh(step.stage)
            if not stage.changed():
                return "unchanged"
            if stage.frozen or not stage.cmd:  # DVC checks or fetches its data
                stage.reproduce()
                stage.dump(update_pipeline=False)
                return "ran"
            stage.remove_outs()
            with contextlib.suppress(RunCacheNotFoundError):
                self.repo.stage_cache.restore(stage, pull=self._pull)
                self._record(stage)
                return "restored"
            stage.save_deps()
        return dataclasses.replace(step, stage=stage)

    def finish(self, begun: Step) -> None:
        """Put the outputs that lie in the workspace into DVC's cache and dvc.lock.

        StageFailed: one is missing, or what they were made from changed meanwhile, so that dvc.lock would say what is not so.
        """
        with self.dvc(begun):
            if changed := [str(dep) for dep in _local(begun.stage) if dep.workspace_status()]:
                raise StageFailed(f"{begun.name}: {changed[0]} changed while its command ran: its results are not recorded, run again.")
            self._record(begun.stage)

    def run(self, step: Step, tell: Tell = print, device: str | None = None) -> str:
        """Bring one step up to date: what ``begin`` says, or else "ran"; StageFailed where that fails.

        ``tell`` receives the command's output line by line; all of it is kept in logs/. ``device`` is the GPU it may use.
        """
        begun = self.begin(step)
        if isinstance(begun, str):
            return begun
        environment = {"CUDA_VISIBLE_DEVICES": device} if device is not None else {}
        environment |= {"CROSSBIAS_PROCESSES": "1"} if step.alone else {}
        with self.busy(begun):
            execute(begun.stage, tell, environment, step.timeout, self.processes)
        self.finish(begun)
        return "ran"

    def _record(self, stage: PipelineStage) -> None:
        stage.save(run_cache=False)
        stage.commit()
        leftovers.to_disk(self.repo.root_dir, self.repo.cache.local.path)
        if all(out.use_cache or out.is_metric or out.is_plot for out in stage.outs):
            self.repo.stage_cache.save(stage)
        self._entries.record(stage)

    @contextlib.contextmanager
    def busy(self, step: Step) -> Iterator[None]:
        """While a step's command runs: other DVC processes that need its files stop instead of colliding."""
        reads = [dep.fs_path for dep in _local(step.stage)]
        writes = [out.fs_path for out in step.stage.outs]
        links = self.repo.config["core"].get("hardlink_lock", False)
        lock = rwlock(self.repo.tmp_dir, self.repo.fs, f"crossbias run {step.name}", reads, writes, links)
        with self.dvc(step):
            lock.__enter__()
        try:
            yield
        finally:
            with self.dvc(step):
                lock.__exit__(None, None, None)

    @contextlib.contextmanager
    def dvc(self, step: Step) -> Iterator[None]:
        """DVC's state, for this thread and process alone."""
        try:
            with self._mutex, self.repo.lock:
                yield
        except DvcException as error:
            raise StageFailed(f"{step.name}: {_sentence(error)}") from error
        except OSError as error:  # DVC's own often name no file
            root = self.repo.root_dir
            raise StageFailed(f"{step.name}: its files in {root} or DVC's cache cannot be read or written: {_sentence(error)}") from error


def _local(stage: Stage) -> list[Dependency]:
    """What a stage depends on of this workspace: not other repositories, nor tables of a database."""
    return [dep for dep in stage.deps if not isinstance(dep, (RepoDependency, AbstractDependency))]


def _sentence(error: Exception) -> str:
    return " ".join(f"{error} {error.__cause__ or ''}".split())
