"""What running the pipeline costs beside its work: this design's stages with commands that do nothing, `dvc repro` and ours."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
DVC_REPRO = [sys.executable, "-m", "dvc", "repro", "--quiet"]
ENGINE = [sys.executable, "-c", "from flows.engine import Engine\nwith Engine() as e:\n for s in e.plan().steps: e.run(s)"]


def measure() -> list[dict[str, str]]:
    """Seconds a stage in a first run, and of a run in which nothing is stale, for this design and for one of 12 models."""
    rows = []
    for models in (None, 12):
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = Path(folder, "ours"), Path(folder, "theirs")
            for place in (ours, theirs):
                _workspace(place, models)
            first = _seconds(ENGINE, ours), _seconds(DVC_REPRO, theirs)
            again = _seconds(ENGINE, ours), _seconds(DVC_REPRO, theirs)
            lock = (ours / "dvc.lock").read_bytes()
            stages = len(yaml.safe_load(lock)["stages"])
            note = f"{stages} stages; dvc.lock {'identical' if lock == (theirs / 'dvc.lock').read_bytes() else 'DIFFERS'}"
        rows.append(_row("overhead of a stage in a first run", first[0] / stages, first[1] / stages, note))
        rows.append(_row("a run with nothing to do", *again, note))
    return rows


def _row(what: str, ours: float, theirs: float, note: str) -> dict[str, str]:
    return {"what": what, "ours": f"{ours:.2f} s", "theirs": f"{theirs:.2f} s (dvc repro)", "ratio": f"{theirs / ours:.1f}x", "note": note}


def _seconds(command: list[str], folder: Path) -> float:
    started = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, env=os.environ | settings(folder), stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def settings(folder: Path) -> dict[str, str]:
    apart = {name: str(folder.parent / name) for name in ("DVC_SITE_CACHE_DIR", "DVC_GLOBAL_CONFIG_DIR", "DVC_SYSTEM_CONFIG_DIR")}
    return apart | {"DVC_NO_ANALYTICS": "1", "PYTHONPATH": str(ROOT)}


def _workspace(folder: Path, models: int | None) -> None:
    """A repository with our dvc.yaml, in which a stage only writes its own name into each of its outputs."""
    (folder / ".dvc").mkdir(parents=True)
    for name in (".dvc/config", ".dvcignore", ".gitignore"):
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "stages", folder / "stages", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    params = yaml.safe_load((ROOT / "designs" / "quickstart.yaml").read_text(encoding="utf-8"))
    if models:
        known = list(params["models"].values())
        params["models"] = {f"model_{number}": known[number % len(known)] for number in range(models)}
    pipeline = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))
    for stage in pipeline["stages"].values():
        body = stage.get("do", stage)
        body["cmd"] = " && ".join(_fill(path, body["cmd"]) for path in body.get("outs", []) + body.get("metrics", []))
    (folder / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), encoding="utf-8")
    (folder / "dvc.yaml").write_text(yaml.safe_dump(pipeline, sort_keys=False), encoding="utf-8")


def _fill(path: str, text: str) -> str:
    target = path if "." in path.rsplit("/", 1)[-1].replace("${item.", "") else f"{path}/weights.txt"
    return f'mkdir -p "{target.rsplit("/", 1)[0]}" && echo "{text}" > "{target}"'
