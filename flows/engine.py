"""Runs dvc.yaml as `dvc repro` does, to the same dvc.lock, but step by step from this process: a caller sees each one's output.

DVC decides what is stale; its internals are used here, in lockfile.py, process.py, objects.py and orders.py alone. They are not
thread-safe, so one mutex guards them; commands run outside the mutex and outside DVC's lock, so that steps may run in several threads.
"""

import contextlib
import json
import logging
import threading
from collections.abc import Callable, Collection, Iterator
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

from flows import leftovers, lockfile
from flows.claim import claim
from flows.parameters import parsed_once
from flows.process import Processes, StageFailed, Tell, execute
from stages.contract.bad_input import BadInput

# DVC writes its lock file in place, so that a crash of DVC (never of ours) can leave it empty or cut short.
LOST_LOCK = ": delete dvc.lock, or `git checkout dvc.lock`, and run again; what was made returns from DVC's cache."


@dataclass(frozen=True)
class Step:
    """One stage of dvc.yaml, such as ``evaluate@trust-minilm``, that is stale or follows the stale steps in ``after``.

    ``timeout`` [s] ends its command. ``attempt`` counts its starts in this run; one that ran out of memory runs ``alone``, in one process.
    """

    name: str
    reason: str
    after: frozenset[str]
    stage: Stage = field(repr=False)
    timeout: float | None = None
    attempt: int = 1
    alone: bool = False


@dataclass(frozen=True)
class Plan:
    """Everything a run looks at: the steps to run, each after those it needs, and the names of the unchanged stages."""

    steps: list[Step]
    unchanged: list[str]


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
        self._new: list[tuple[Path, str]] = []
        self._kept = False  # in ``_order``
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
            if not any(lockfile.missing(path, [name]) for path, name in self._new):
                self._order.unlink(missing_ok=True)
        finally:
            self._claim.close()
            self.repo.close()

    def stages(self) -> list[Stage]:
        """All stages of dvc.yaml, each after those it needs; BadInput as ``plan``."""
        with self._planning():
            return plan_repro(get_active_graph(self.repo.index.graph))

    def plan(self, targets: Collection[str] = (), stale: Callable[[], object] = lambda: None) -> Plan:
        """What `dvc repro TARGETS` would run, in its order; ``stale`` is called at the first step that must run.

        BadInput where dvc.yaml or a target is wrong, or DVC is busy.
        """
        with self._planning():
            graph = get_active_graph(self.repo.index.graph)
            named = {stage.addressing: stage for stage in graph}
            if set(targets) <= named.keys() and targets:  # DVC would look for each by itself
                chosen = [named[name] for name in targets]
            else:
                chosen = collect_stages(self.repo, targets or ["dvc.yaml"])
            stages = plan_repro(graph, chosen)
            if targets:  # for some targets DVC's order changes from run to run, by Python's hashes; ours is dvc.yaml's
                wanted = set(stages)
                stages = [stage for stage in plan_repro(graph) if stage in wanted]
            self._new, self._kept = _unrecorded(stages, self._unfinished()), False
            steps: dict[str, Step] = {}
            for stage in stages:
                after = frozenset(upstream.addressing for upstream in graph.successors(stage)) & steps.keys()
                if after or stage.changed():
                    if not steps:
                        stale()
                    reason = f"after {_few(sorted(after))}" if after else _reason(stage)
                    steps[stage.addressing] = Step(stage.addressing, reason, after, stage)
        return Plan(list(steps.values()), [stage.addressing for stage in stages if stage.addressing not in steps])

    @contextlib.contextmanager
    def _planning(self) -> Iterator[None]:
        try:
            with self._mutex, self.repo.lock:
                yield
        except DvcException as error:
            advice = LOST_LOCK if "dvc.lock" in str(error) else ""
            raise BadInput(f"{_sentence(error)}{advice}") from error

    def begin(self, step: Step) -> str | None:
        """Whatever needs no command: "unchanged", "restored" from DVC's cache of earlier runs, "ran" of a stage without a command.

        None: its command must run, then ``finish``; old outputs are gone and what it depends on is saved. StageFailed: DVC refuses.
        """
        stage = step.stage
        with self.dvc(step):
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
        return None

    def finish(self, step: Step) -> None:
        """Put the outputs that lie in the workspace into DVC's cache and dvc.lock; StageFailed where one is missing."""
        with self.dvc(step):
            self._record(step.stage)

    def run(self, step: Step, tell: Tell = print, device: str | None = None) -> str:
        """Bring one step up to date: what ``begin`` says, or else "ran"; StageFailed where that fails.

        ``tell`` receives the command's output line by line; all of it is kept in logs/. ``device`` is the GPU it may use.
        """
        if outcome := self.begin(step):
            return outcome
        environment = {"CUDA_VISIBLE_DEVICES": device} if device is not None else {}
        environment |= {"CROSSBIAS_PROCESSES": "1"} if step.alone else {}
        with self.busy(step):
            execute(step.stage, tell, environment, step.timeout, self.processes)
        self.finish(step)
        return "ran"

    def _record(self, stage: PipelineStage) -> None:
        stage.save(run_cache=False)
        stage.commit()
        leftovers.to_disk(self.repo.root_dir, self.repo.cache.local.path)
        if all(out.use_cache or out.is_metric or out.is_plot for out in stage.outs):
            self.repo.stage_cache.save(stage)
        path = lockfile.path_of(stage)
        if not self._kept:  # whole or not at all, as a kill may come
            half = self._order.with_suffix(".half")
            half.write_text(json.dumps([[str(other), name] for other, name in self._new]), encoding="utf-8")
            half.replace(self._order)
            self._kept = True
        place = self._new.index((path, stage.name)) if (path, stage.name) in self._new else len(self._new)
        lockfile.record(stage, later={name for other, name in self._new[place + 1 :] if other == path})

    @property
    def _order(self) -> Path:
        """Where a run leaves what it is the first to record, so that the next one puts what it did not come to in the same order."""
        return Path(self.repo.tmp_dir, "crossbias.new")

    def _unfinished(self) -> set[tuple[Path, str]]:
        try:
            return {(Path(path), name) for path, name in json.loads(self._order.read_text(encoding="utf-8"))}
        except (OSError, ValueError, TypeError):  # there is none, or it is no longer ours: then entries end where DVC appends them
            return set()

    @contextlib.contextmanager
    def busy(self, step: Step) -> Iterator[None]:
        """While a step's command runs: other DVC processes that need its files stop instead of colliding."""
        reads = [dep.fs_path for dep in step.stage.deps if not isinstance(dep, (RepoDependency, AbstractDependency))]
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


def _unrecorded(stages: list[Stage], earlier: set[tuple[Path, str]]) -> list[tuple[Path, str]]:
    """The stages that dvc.lock lacks, or did before the ``earlier`` run that was broken off.

    `dvc repro` appends them in this order, whichever order ours end in.
    """
    names: dict[Path, list[str]] = {}
    for stage in stages:
        if isinstance(stage, PipelineStage):
            names.setdefault(lockfile.path_of(stage), []).append(stage.name)
    lacking = {(path, name) for path, found in names.items() for name in lockfile.missing(path, found)}
    new = lacking | earlier if lacking else lacking
    return [(path, name) for path, found in names.items() for name in found if (path, name) in new]


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
