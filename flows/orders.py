"""What a worker must know to run one step far from the workspace, and what it tells when it is done: plain values, no secrets."""

import hashlib
import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from dvc.dependency.repo import RepoDependency
from dvc.repo import Repo
from dvc.stage import Stage
from dvc.stage.run import _enforce_cmd_list
from dvc_data.hashfile.build import build
from dvc_data.hashfile.tree import Tree
from dvc_objects.fs.local import localfs

from flows.objects import hash_of
from flows.plan import Step
from flows.process import StageFailed

# Packages whose version may change a number or a byte of what a stage writes.
PACKAGES = ("numpy", "pandas", "pyarrow", "scikit-learn", "scipy", "statsmodels", "torch", "transformers")
# Variables that change what a stage does, and hold no secret.
VARIABLES = ("OMP_NUM_THREADS", "CROSSBIAS_PROCESSES")
# The code of all stages: a command imports more of it than its stage's deps name.
CODE = "stages"


@dataclass(frozen=True)
class Order:
    """One step: its commands, run in ``folder``; all ``files`` they may read, path by md5; the ``outs`` they make.

    Paths are relative to the repository's root. ``folders`` must exist before the commands run, which end
    after ``timeout`` [s]; ``versions`` are the coordinator's.
    """

    name: str
    commands: list[str]
    folder: str
    files: dict[str, str]
    folders: list[str]
    outs: list[str]
    environment: dict[str, str]
    timeout: float | None
    remote: dict[str, str]
    versions: dict[str, str]


@dataclass(frozen=True)
class Receipt:
    """What became of an order: the files of its outs, path by md5, which of the outs are ``folders``, and the command's own words.

    ``records`` are texts to keep beside the results, path by text: the footprint of the run. ``seconds`` are the command's.
    """

    files: dict[str, str]
    folders: list[str]
    records: dict[str, str]
    log: str
    seconds: float


def order_of(step: Step, repo: Repo, remote: dict[str, str]) -> Order:
    """The order for a step that has begun; StageFailed where it reads what cannot be sent.

    DVC's mutex must be held: hashes come from DVC's own state, so that an unchanged file is not read again.
    """
    stage, root = step.stage, Path(repo.root_dir)
    files: dict[str, str] = {}
    folders = {_relative(Path(stage.wdir), root, stage)}
    inputs = [dep for dep in stage.deps if dep.protocol == "local" and not isinstance(dep, RepoDependency)]
    for path in [Path(each.fs_path) for each in [*inputs, *(out for out in stage.outs if out.persist and out.exists)]] + [root / CODE]:
        where = _relative(path, root, stage)
        if path.is_dir():
            folders.add(where)
        if path.exists():
            files |= {f"{where}{name}": md5 for name, md5 in _hashes(path, repo)}
    alone = {"CROSSBIAS_PROCESSES": "1"} if step.alone else {}
    outs = [_relative(Path(out.fs_path), root, stage) for out in stage.outs]
    return Order(
        name=step.name,
        commands=_enforce_cmd_list(stage.cmd),
        folder=_relative(Path(stage.wdir), root, stage),
        files=dict(sorted(files.items())),
        folders=sorted(folders | {Path(out).parent.as_posix() for out in outs}),
        outs=outs,
        environment={name: os.environ[name] for name in VARIABLES if name in os.environ} | alone,
        timeout=step.timeout,
        remote=remote,
        versions=versions(),
    )


def versions() -> dict[str, str]:
    """The versions of Python and of ``PACKAGES`` here; what a build was made for (+cpu, +cu126) is not part of them.

    ``flows`` is a hash of the code that both sides of an order run; that of the stages travels with it.
    """
    major, minor, _ = platform.python_version_tuple()
    ours = "".join(hash_of(Path(__file__).with_name(f"{name}.py")) for name in ("objects", "orders", "process", "worker"))
    digest = hashlib.sha256(ours.encode()).hexdigest()[:12]
    return {"python": f"{major}.{minor}", "flows": digest} | {name: version(name).partition("+")[0] for name in PACKAGES}


def _hashes(path: Path, repo: Repo) -> Iterator[tuple[str, str]]:
    """The files that DVC sees at a path, each as what its path adds to it ("" for a file) and its md5."""
    _, _, found = build(repo.cache.local, str(path), localfs, "md5", ignore=repo.dvcignore, dry_run=True)
    if isinstance(found, Tree):
        for key, _, info in found:
            yield "/" + "/".join(key), info.value
    else:
        yield "", found.hash_info.value


def _relative(path: Path, root: Path, stage: Stage) -> str:
    if not path.is_relative_to(root):
        raise StageFailed(f"{stage.addressing}: {path} lies outside of the repository, from where no worker gets it: move it to data/raw.")
    return path.relative_to(root).as_posix()
