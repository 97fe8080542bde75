"""A workspace to be hurt: a copy of this repository in which nothing has run, and what can be seen of it from outside."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import yaml

ROOT = Path(__file__).parents[1]
MARK = "CROSSBIAS_CHAOS"  # an environment variable that every process of a workspace inherits
APART = ("DVC_SITE_CACHE_DIR", "DVC_GLOBAL_CONFIG_DIR", "DVC_SYSTEM_CONFIG_DIR", "PREFECT_HOME")
WORKERS = ("multiprocessing.spawn", "stages.")


def make(folder: Path, design: str) -> Path:
    """The files that Git tracks or would track, and ``designs/quickstart.yaml`` as it is, or made "small"."""
    listed = subprocess.run(["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file() and name != "dvc.lock":
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    params = yaml.safe_load((ROOT / "designs" / "quickstart.yaml").read_text(encoding="utf-8"))
    if design == "small":
        _shrink(params, folder / "data" / "raw")
    (folder / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), encoding="utf-8")
    return folder


def _shrink(params: dict[str, Any], raw: Path) -> None:
    """One task of 60 people, one challenge, and one network of scratch word vectors in three folds, fitted by two processes."""
    raw.mkdir(parents=True, exist_ok=True)
    (raw / "vectors.txt").write_text("the 0.1 0.3\nclear 0.9 -0.2\nhonest 0.8 -0.1\ncold -0.7 0.2\n", encoding="utf-8")
    family = {"use": "text_cnn", "epochs": 2, "filters": 8}
    model = {"base": {"source": "data/raw/vectors.txt"}, "debiaser": {"use": "identity"}, "family": family}
    params["tasks"] = {"trust": params["tasks"]["trust"]}
    params["tasks"]["trust"]["dataset"]["people"] = 60
    params["models"] = {"convolution": model}
    params["challenges"] = {"en_black_white": params["challenges"]["en_black_white"]}
    params["contrast"]["methods"] = ["beta_cluster", "ols_as_published"]
    params["evaluate"]["replicates"] = 200
    params["relate"]["draws"] = 100
    params["reaudit"]["draws"] = 200
    params["explain"] |= {"cells": {"trust": ["convolution"]}, "methods": [{"use": "lime", "samples": 20}], "documents": 8, "naming": 8}
    params["probe"] |= {"tests": [{"use": "weat"}], "enumeration": {"included": False}}
    del params["bases"]


def environment(folder: Path) -> dict[str, str]:
    """That of every command in a workspace: DVC's and Prefect's own files lie beside it, and the code is its own."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    settings = {name: str(folder.parent / "state" / name.lower()) for name in APART}
    return os.environ | settings | {"PYTHONPATH": str(folder), "PATH": path, MARK: str(folder), "DVC_NO_ANALYTICS": "1"}


def results(folder: Path) -> dict[str, str]:
    """SHA-256 sums of dvc.lock and of all that lies in data/ but for data/raw and data/footprint, which differs from run to run."""
    names = [path.relative_to(folder) for path in (folder / "data").rglob("*") if path.is_file()]
    names = [name for name in names if name.parts[1] not in ("raw", "footprint")]
    names += [Path("dvc.lock")] if (folder / "dvc.lock").exists() else []
    return {str(name): hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}


def processes(folder: Path) -> Iterator[psutil.Process]:
    """The live processes of a workspace, whoever their parent is now."""
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == str(folder) and process.status() != psutil.STATUS_ZOMBIE:
                yield process
        except psutil.Error:
            continue


def at_work(folder: Path) -> list[psutil.Process]:
    """The processes of stages: their own and those of their workers."""
    found = []
    for process in processes(folder):
        try:
            if any(word.startswith(WORKERS) or "multiprocessing.spawn" in word for word in process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


def finished(folder: Path) -> int:
    """How many stages DVC can give back without a command: those in its cache of runs with every object in its cache."""
    entries = [path for path in (folder / ".dvc" / "cache" / "runs").glob("*/*/*") if not path.name.startswith(".")]
    return sum(
        all(_kept(folder, out["md5"]) for out in yaml.safe_load(path.read_text())["outs"]) for path in entries if path.stat().st_size
    )


def _kept(folder: Path, md5: str) -> bool:
    path = folder / ".dvc" / "cache" / "files" / "md5" / md5[:2] / md5[2:]
    return path.is_file() and (not md5.endswith(".dir") or all(_kept(folder, item["md5"]) for item in json.loads(path.read_text())))


def commands(folder: Path, since: float) -> int:
    """How many stages' commands were started after a moment [s since 1970]: each writes a log."""
    return sum(path.stat().st_mtime > since for path in (folder / "logs").glob("*.log"))


def litter(folder: Path) -> list[str]:
    """What should not be there when nothing runs: temporary files, half-kept folds, locks of dead processes, live processes."""
    hidden = [path for top in ("data", ".dvc/cache") for path in (folder / top).rglob(".*") if path.name != ".gitkeep"]
    hidden += [*folder.glob(".dvc.lock*"), *(folder / ".cache" / "folds").glob("*")]
    lock = folder / ".dvc" / "tmp" / "rwlock"
    held = json.loads(lock.read_text()) if lock.exists() else {}
    left = [f"{process.pid} {' '.join(process.cmdline())[:60]}" for process in processes(folder)]
    return [*(str(path.relative_to(folder)) for path in hidden), *(["rwlock"] if held.get("read") or held.get("write") else []), *left]
