"""A small pipeline in a repository of its own: foreach, matrix, params with anchors, folders, metrics, several commands."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARAMS = """\
bases:
  glove: &glove {source: glove.txt, rate: 1.0e-5, words: [he, she]}
tasks: {trust: {label: on}, literacy: {label: "1e5"}}
models:
  plain: {base: *glove}
  mended: {base: *glove, note: "a: b #c"}
evaluate: {seed: 1, parts: *glove}
"""
PIPELINE = """\
stages:
  ingest:
    foreach: ${tasks}
    do:
      cmd: echo ${key} ${item.label} > data/ingest_${key}.txt
      deps: [raw.txt]
      params: ["tasks.${key}"]
      outs: ["data/ingest_${key}.txt"]
  debias:
    foreach: ${models}
    do:
      cmd: mkdir -p data/debias/${key} && for i in 1 2 3; do echo ${key} > data/debias/${key}/$i.txt; done
      params: ["models.${key}"]
      outs: ["data/debias/${key}"]
  predict:
    matrix: {task: "${tasks}", model: "${models}"}
    cmd:
      - mkdir -p data/predict
      - cat data/ingest_${item.task}.txt data/debias/${item.model}/*.txt > data/predict/${item.task}_${item.model}.txt
    deps: ["data/ingest_${item.task}.txt", "data/debias/${item.model}"]
    outs: ["data/predict/${item.task}_${item.model}.txt"]
  evaluate:
    cmd: |
      echo evaluate of $(ls data/predict)
      echo "{\\"lines\\": $(cat data/predict/* | wc -l)}" > data/metrics.json
    deps: [data/predict]
    params: [evaluate, models]
    metrics: [data/metrics.json]
  report:
    cmd: cat data/metrics.json > data/report.txt
    deps: [data/metrics.json]
    params: [models, bases]
    outs: [data/report.txt]
"""


@pytest.fixture(scope="session")
def outside(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Settings that keep DVC and Prefect from reading or writing anything of this machine's user."""
    folder = tmp_path_factory.mktemp("outside")
    names = ("DVC_SITE_CACHE_DIR", "DVC_GLOBAL_CONFIG_DIR", "DVC_SYSTEM_CONFIG_DIR", "PREFECT_HOME")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {name: str(folder / name.lower()) for name in names} | {"DVC_NO_ANALYTICS": "1", "PYTHONPATH": str(ROOT), "PATH": path}


@pytest.fixture(autouse=True)
def _apart(outside: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in outside.items():
        monkeypatch.setenv(name, value)


def make(folder: Path, pipeline: str = PIPELINE, params: str = PARAMS) -> Path:
    """A repository with that pipeline, in which nothing has run."""
    (folder / ".dvc").mkdir(parents=True)
    (folder / "data").mkdir()
    for name in ("config", ".gitignore"):
        shutil.copy(ROOT / ".dvc" / name, folder / ".dvc" / name)
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    (folder / ".gitignore").write_text("/data/\n/logs/\n")
    (folder / "dvc.yaml").write_text(pipeline)
    (folder / "params.yaml").write_text(params)
    (folder / "raw.txt").write_text("raw\n")
    return folder


def single(folder: Path, command: str) -> Path:
    """A repository with one stage, which makes data/only.txt from raw.txt."""
    return make(folder, f"stages:\n  only:\n    cmd: {command}\n    deps: [raw.txt]\n    outs: [data/only.txt]\n")


def replace(name: str, old: str, new: str) -> Callable[[Path], None]:
    """An edit of one file of a repository."""

    def edit(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))

    return edit


def repro(folder: Path, *options: str) -> int:
    """The exit code of `dvc repro`, to which ours is compared."""
    return subprocess.run([sys.executable, "-m", "dvc", "repro", "--quiet", *options], cwd=folder, check=False).returncode


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, outside: dict[str, str]) -> Path:
    """The repository after a first `dvc repro`; tests copy it."""
    folder = make(tmp_path_factory.mktemp("finished") / "repo")
    subprocess.run([sys.executable, "-m", "dvc", "repro", "--quiet"], cwd=folder, check=True, env=os.environ | outside)
    return folder
