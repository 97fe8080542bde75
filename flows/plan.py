"""What a run looks at: the stages that DVC finds stale, or that follow such ones, and why."""

import copy
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from dvc.repo import Repo
from dvc.repo.reproduce import collect_stages, get_active_graph, plan_repro
from dvc.stage import Stage


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
    """Everything a run looks at: the steps to run, each after those it needs, and the names of the unchanged stages.

    ``left``: results of cells that are not in the design, which have left the workspace (or would, of a plan that is not carried out).
    """

    steps: list[Step]
    unchanged: list[str]
    left: list[str] = field(default_factory=list)

    def farewell(self, dry: bool = False) -> list[str]:
        """A line about what ``left``, or none."""
        leave = "would leave" if dry else "left"
        return (
            [f"{_few(self.left)} {leave} the workspace, as no cell of the design makes that now; DVC's cache keeps it."]
            if self.left
            else []
        )


def every(repo: Repo) -> list[Stage]:
    """All stages of dvc.yaml, each after those it needs."""
    return plan_repro(get_active_graph(repo.index.graph))


def chosen(repo: Repo, targets: Collection[str]) -> list[Stage]:
    """The stages that `dvc repro TARGETS` looks at, in its order.

    With targets that is dvc.yaml's: DVC's own would change from run to run, by Python's hashes.
    """
    graph = get_active_graph(repo.index.graph)
    if not targets:
        return plan_repro(graph, [stage for stage in graph if stage.path_in_repo == "dvc.yaml"])
    named = {stage.addressing: stage for stage in graph}
    known = set(targets) <= named.keys()  # DVC would look for each by itself
    wanted = set(plan_repro(graph, [named[name] for name in targets] if known else collect_stages(repo, targets)))
    return [stage for stage in plan_repro(graph) if stage in wanted]


def fresh(stage: Stage) -> Stage:
    """A copy of a stage to work on, which saves the hashes that it finds in itself, so that the stage stays as the plan found it.

    With those of a failed attempt DVC would believe that what the stage depends on is as dvc.lock has it, and the outputs there its own.
    """
    again = copy.copy(stage)
    again.deps = [_copied(dep, again) for dep in stage.deps]
    again.outs = [_copied(out, again) for out in stage.outs]
    return again


def _copied(item: Any, stage: Stage) -> Any:
    again = copy.copy(item)
    again.stage, again.hash_info, again.meta = stage, copy.deepcopy(item.hash_info), copy.deepcopy(item.meta)
    return again


def planned(repo: Repo, stages: Collection[Stage], stale: Callable[[], object], unlike: Collection[str] = ()) -> Plan:
    """Which of ``stages``, each after those it needs, must run or be checked again; ``stale`` is called at the first.

    So must those that need one of the folders ``unlike``, which a run will find changed.
    """
    graph = get_active_graph(repo.index.graph)
    steps: dict[str, Step] = {}
    for stage in stages:
        after = frozenset(upstream.addressing for upstream in graph.successors(stage)) & steps.keys()
        holding = [str(dep) for dep in stage.deps if dep.fs_path in unlike]
        if after or holding or stage.changed():
            if not steps:
                stale()
            reason = f"after {_few(sorted(after))}" if after else _reason(stage) or f"{_few(holding)} will be changed"
            steps[stage.addressing] = Step(stage.addressing, reason, after, stage)
    return Plan(list(steps.values()), [stage.addressing for stage in stages if stage.addressing not in steps])


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
