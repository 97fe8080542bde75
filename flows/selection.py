"""What a step works on, as its command says: the stage, and the task, model or challenge; and the choice of steps by it."""

import itertools
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Self

from dvc.stage import Stage

from stages.contract.bad_input import BadInput

OPTIONS = ("task", "model", "challenge")


@dataclass(frozen=True)
class Cell:
    """A stage ("evaluate") and, of a task, a model and a challenge, those that its command names."""

    kind: str
    names: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, stage: Stage) -> Self:
        kind, _, name = stage.addressing.rpartition(":")[2].partition("@")
        command = stage.cmd if isinstance(stage.cmd, str) else ""
        words = shlex.split(command.replace("${DVC_STAGE#*@}", name))
        given = dict(itertools.pairwise(words))
        return cls(kind, tuple((option, given[f"--{option}"]) for option in OPTIONS if f"--{option}" in given))


@dataclass(frozen=True)
class Selection:
    """Which stages a run is to bring up to date, with all that they need: those that fit every field that is not empty.

    ``only``: names of steps, or patterns with * ? [ ]; ``stages``, ``tasks``, ``models``: names. All empty: everything.
    """

    only: Sequence[str] = ()
    stages: Sequence[str] = ()
    tasks: Sequence[str] = ()
    models: Sequence[str] = ()

    def of(self, stages: Sequence[Stage]) -> list[str]:
        """The names of the chosen among ``stages``, none for everything; BadInput where a field, or all together, fit none."""
        if not (self.only or self.stages or self.tasks or self.models):
            return []
        cells = {stage.addressing: Cell.of(stage) for stage in stages}
        for option, key, chosen in (("--task", "task", self.tasks), ("--model", "model", self.models)):
            _refuse_unknown(option, chosen, {dict(cell.names)[key] for cell in cells.values() if key in dict(cell.names)})
        _refuse_unknown("--stage", self.stages, {cell.kind for cell in cells.values()})
        for pattern in self.only:
            if not any(fnmatchcase(name, pattern) for name in cells):
                raise BadInput(f"--only {pattern}: no step is called so; `crossbias run --dry` lists those that would run.")
        found = [name for name, cell in cells.items() if self._fits(name, cell)]
        if not found:
            raise BadInput("no step fits all of --only, --stage, --task and --model together.")
        return found

    def _fits(self, name: str, cell: Cell) -> bool:
        names = dict(cell.names)
        return (
            (not self.only or any(fnmatchcase(name, pattern) for pattern in self.only))
            and (not self.stages or cell.kind in self.stages)
            and (not self.tasks or names.get("task") in self.tasks)
            and (not self.models or names.get("model") in self.models)
        )


def _refuse_unknown(option: str, chosen: Sequence[str], known: set[str]) -> None:
    for name in chosen:
        if name not in known:
            raise BadInput(f"{option} {name}: there is none called so, but {', '.join(sorted(known)) or 'none at all'}.")
