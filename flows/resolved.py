"""What DVC makes of a design, seen without a workspace: dvc.yaml's stages for it, their graph, and the keys that they watch."""

import json
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from dvc.dependency import ParamsDependency
from dvc.exceptions import DvcException
from dvc.repo import Repo
from dvc.stage import Stage

from flows.plan import Step, every
from flows.slots import Need
from stages.contract.bad_input import BadInput
from stages.contract.params import Section

LACKS = re.compile(r"Could not find '([^']+)'")
PIPELINE = re.compile(r"[^\s'\"]*dvc\.yaml")


def refuse(path: Path, settings: Mapping[str, Section]) -> None:
    """BadInput where `dvc repro` with this design as params.yaml would not start, or would stop at a stage for a key that is not there.

    ``settings``: each stage's section with its defaults, which DVC does not know: it sees what is written, and nothing else.
    """
    if not Path("dvc.yaml").is_file():
        raise BadInput(f"there is no dvc.yaml in {Path.cwd()}: run from the repository's root.")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copyfile("dvc.yaml", Path(folder, "dvc.yaml"))
        shutil.copyfile(path, Path(folder, "params.yaml"))
        try:
            with Repo(folder, uninitialized=True) as repo:
                for stage in every(repo):
                    for key in _missing(stage):
                        raise BadInput(f"{path}: {_lacking(key, settings)}")
                    Need.of(Step(stage.name, "", frozenset(), stage))
        except DvcException as error:
            said = PIPELINE.sub("dvc.yaml", " ".join(f"{error} {error.__cause__ or ''}".split()))
            lacks = LACKS.search(said)
            why = _lacking(lacks[1], settings) if lacks else f"dvc.yaml cannot be filled in from it: {said}"
            raise BadInput(f"{path}: {why}") from error


def _missing(stage: Stage) -> list[str]:
    """The keys of params.yaml that a stage watches and that are not written there."""
    watched = [dep for dep in stage.deps if isinstance(dep, ParamsDependency)]
    return [key for dep in watched for key in dep.params if key not in dep.read_params()]


def _lacking(key: str, settings: Mapping[str, Section]) -> str:
    section, _, name = key.partition(".")
    default = getattr(settings.get(section), name, None) if name else {}
    shown = json.dumps(default) if isinstance(default, str | bool | int | float | dict) else None
    advice = "" if shown is None else f"; its default is {shown}"
    return f"{key!r} is missing, and DVC watches it: write it out{advice}."
