"""The real dvc.yaml on tiny real runs: all stages end to end, only what changed runs again, and the flow agrees with `dvc repro`."""

import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pandas as pd
import pytest
import yaml
from dvc.stage import Stage

from flows import engine
from stages.contract.command import command
from tests.conftest import ROOT
from tests.models import tiny

CODE = ["dvc.yaml", ".dvcignore", ".gitignore", "stages", "flows", "data/raw/naacl2022"]
SECRETS = {name: f"hush-{name}" for name in ("AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "PREFECT_API_KEY")}
CHALLENGES = {"challenge@black_white", "challenge@trust_identities"}
ONCE = {"contrast", "relate", "reaudit", "assess", "report"}


def of_model(name: str) -> set[str]:
    """The steps that a model has of its own."""
    cells = ("finetune", "predict", "respond", "explain", "evaluate")
    return {f"debias@{name}", f"probe@{name}"} | {f"{stage}@trust-{name}" for stage in cells}


ALL = {"ingest@trust", "describe@trust", "subgroup@trust", "swap@trust"} | CHALLENGES | of_model("convolution") | ONCE


def workspace(folder: Path) -> Path:
    """A clone of the pipeline with a small survey, few made-up sentences, a scratch encoder and scratch word vectors."""
    folder.mkdir()
    for name in CODE:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        copy(ROOT / name, folder / name)
    (folder / ".dvc").mkdir()
    shutil.copyfile(ROOT / ".dvc" / "config", folder / ".dvc" / "config")
    shutil.copytree(ROOT / ".dvc" / "plots", folder / ".dvc" / "plots")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    tiny.encoder(folder / "data" / "raw" / "encoder", kind="roberta")
    (folder / "data" / "raw" / "vectors.txt").write_text("the 0.1 0.3\nclear 0.9 -0.2\nhonest 0.8 -0.1\ncold -0.7 0.2\n")
    design = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    design["tasks"] = {"trust": design["tasks"]["trust"]}
    design["tasks"]["trust"]["dataset"]["people"] = 60
    design["models"] = {"convolution": model("data/raw/vectors.txt", use="text_cnn", epochs=1, filters=8)}
    design["challenges"] = {
        "black_white": {"use": "eec", "source": few_people(folder, "en_black_white"), "emotions": ["anger"], "tasks": ["trust"]},
        "trust_identities": design["challenges"]["en_trust_identities"],
    }
    design["ingest"]["folds"] = 2
    design["evaluate"] |= {"replicates": 200, "permutations": 200}
    design["relate"]["draws"] = 100
    design["reaudit"]["draws"] = 500
    for stage in ("finetune", "predict", "respond", "contrast"):
        design[stage]["processes"] = 1  # each more has torch to import
    design["explain"] |= {"cells": {"trust": ["convolution"]}, "methods": [{"use": "lime", "samples": 20}], "documents": 8, "naming": 8}
    design["probe"] |= {"tests": [{"use": "weat"}], "enumeration": {"included": False}}
    del design["bases"]
    write(folder, design)
    return folder


def few_people(folder: Path, corpus: str) -> str:
    """The path of a corpus of ours with two people of a kind instead of ten."""
    content = yaml.safe_load((folder / "stages" / "challenges" / "corpora" / f"{corpus}.yaml").read_text(encoding="utf-8"))
    for people in content["people"]:
        del people["persons"][2:]
    (folder / "data" / "raw" / f"{corpus}.yaml").write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return f"data/raw/{corpus}.yaml"


def model(source: str, **family) -> dict:
    return {"base": {"source": source}, "debiaser": {"use": "identity"}, "family": family}


def write(folder: Path, design: dict) -> None:
    (folder / "params.yaml").write_text(yaml.safe_dump(design, sort_keys=False))


def environment(folder: Path) -> dict[str, str]:
    """Settings that keep all that DVC and Prefect write beside the workspace, and secrets that nobody may write."""
    state = folder.parent / "state"
    names = ("DVC_SITE_CACHE_DIR", "DVC_GLOBAL_CONFIG_DIR", "DVC_SYSTEM_CONFIG_DIR", "PREFECT_HOME")
    return {name: str(state / name.lower()) for name in names} | SECRETS


def shell(folder: Path, *command: str) -> str:
    found = {"PYTHONPATH": str(folder), "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    settings = os.environ | environment(folder) | found | {"PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120"}
    done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def repro(folder: Path) -> set[str]:
    """Which stages `dvc repro` ran (not: found unchanged, or restored)."""
    return set(re.findall(r"Running stage '([^']+)'", shell(folder, sys.executable, "-m", "dvc", "repro")))


def brought_up_to_date(folder: Path) -> set[str]:
    """Which steps our engine ran, each command in this process: starting one takes longer than what it does here."""
    with pytest.MonkeyPatch.context() as patch, mock.patch.dict(os.environ, environment(folder)):  # what a stage sets goes again too
        patch.chdir(folder)

        def execute(stage: Stage, *_: object) -> None:
            line = stage.cmd.replace("${DVC_STAGE#*@}", stage.addressing.partition("@")[2])  # as the shell does
            python, option, module, *arguments = shlex.split(line)
            assert (python, option) == ("python", "-m")
            patch.setattr(sys, "argv", [module, *arguments])
            command(importlib.import_module(module).run)

        patch.setattr(engine, "execute", execute)
        with engine.Engine() as opened:
            return {step.name for step in opened.plan().steps if opened.run(step) == "ran"}


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> tuple[Path, bytes]:
    """The folder after a first run of the flow, and the dvc.lock it ended with."""
    folder = workspace(tmp_path_factory.mktemp("pipeline") / "flow")
    shell(folder, sys.executable, "-m", "flows.command", "run")
    return folder, (folder / "dvc.lock").read_bytes()


def test_every_stage_runs_end_to_end(run):
    folder, lock = run
    assert set(yaml.safe_load(lock)["stages"]) == ALL
    assert_evaluated(folder, "convolution")
    page = (folder / "data" / "report" / "index.html").read_text(encoding="utf-8")
    assert "simulated" in page.lower()
    assert not re.search(r"(src|href)=.?https?://", page)


def assert_evaluated(folder: Path, name: str) -> None:
    predictions = pd.read_parquet(folder / "data" / "predict" / "trust" / f"{name}.parquet")
    assert len(predictions) == 120
    assert predictions["doc_id"].is_unique
    scores = pd.read_parquet(folder / "data" / "evaluate" / "trust" / name / "scores.parquet")
    assert scores["attributes"].nunique() == 1 + 16


def test_the_lock_is_that_of_dvc_repro(run):
    """DVC finds all of the flow's results up to date and, where the lock is lost, restores them all and writes the same bytes."""
    folder, lock = run
    assert repro(folder) == set()
    (folder / "dvc.lock").unlink()
    assert repro(folder) == set()
    assert (folder / "dvc.lock").read_bytes() == lock


def written_secrets(folder: Path) -> list[Path]:
    """The files below a folder that hold a secret of the environment."""
    return [path for path in folder.rglob("*") if path.is_file() and b"hush-" in path.read_bytes()]


def test_no_secret_of_the_environment_is_written_anywhere(run):
    """Not to results, footprints, logs, dvc.lock, DVC's cache or its own folders, nor to Prefect's database."""
    folder, _ = run
    assert list((folder / "logs").glob("*.log"))
    assert written_secrets(folder.parent) == []


def test_dvc_shows_the_metrics_and_draws_the_plots(run):
    folder, _ = run
    shown = json.loads(shell(folder, sys.executable, "-m", "dvc", "metrics", "show", "--json"))
    values = shown[""]["data"]["data/evaluate/trust/convolution/metrics.json"]["data"]
    assert set(values) == {"accuracy", "f1", "auc", "mse", "pearson_r", "adi", "fv"}
    shell(folder, sys.executable, "-m", "dvc", "plots", "show", "-o", "plots")
    page = (folder / "plots" / "index.html").read_text(encoding="utf-8")
    of_cells = [f"{kind} by group, convolution on trust" for kind in ("ROC", "Calibration")]
    for title in ("ADI by number of demographics", "FV by number of demographics", *of_cells):
        assert f'"{title}"' in page, title


# pygtrie, which DVC uses, warns of its own future.
@pytest.mark.filterwarnings("ignore:_NoneStep.value:DeprecationWarning")
@pytest.mark.parametrize("update", [brought_up_to_date, pytest.param(repro, marks=pytest.mark.slow)])
def test_only_what_changed_runs_again(run, tmp_path, update):
    folder = shutil.copytree(run[0], tmp_path / "flow", symlinks=True)
    design = yaml.safe_load((folder / "params.yaml").read_text(encoding="utf-8"))
    assert update(folder) == set()

    design["models"]["encoder"] = model("data/raw/encoder", use="transformer", epochs=1, learning_rate=1e-3)
    more = folder / few_people(folder, "en_anglo_latino")
    design["challenges"]["more"] = {"use": "eec", "source": "data/raw/en_anglo_latino.yaml", "emotions": ["anger"]}
    write(folder, design)
    answers = {f"respond@trust-{name}" for name in design["models"]}
    assert update(folder) == of_model("encoder") | answers | {"challenge@more"} | ONCE - {"reaudit"}, (
        "a new model runs its own cells and what looks at all cells; a new corpus asks every model and refits none"
    )
    assert_evaluated(folder, "encoder")

    templates = more.read_text(encoding="utf-8")
    more.write_text(templates + "# a remark\n", encoding="utf-8")
    grammar = folder / "stages" / "datasets" / "simulated_survey.yaml"
    grammar.write_text(grammar.read_text(encoding="utf-8") + "# a remark\n", encoding="utf-8")
    design["finetune"]["processes"] = 2
    write(folder, design)
    assert update(folder) == {"challenge@more", "ingest@trust", "assess", "report"}, (
        "equal sentences and documents stop there; the number of processes changes no number, but the pages state it"
    )

    more.write_text(templates.replace("The situation makes", "This makes"), encoding="utf-8")
    design["evaluate"]["confidence"] = 0.9
    write(folder, design)
    evaluations = {f"evaluate@trust-{name}" for name in design["models"]}
    assert update(folder) == answers | evaluations | {"challenge@more", "contrast", "assess", "report"}, (
        "neither another template nor another interval refits a model"
    )
    assert repro(folder) == set(), "DVC finds all of it up to date"


@pytest.mark.slow
def test_dvc_repro_from_nothing_ends_with_the_same_bytes_as_the_flow(run, tmp_path_factory):
    _, lock = run
    folder = workspace(tmp_path_factory.mktemp("pipeline") / "repro")
    assert repro(folder) == ALL
    assert (folder / "dvc.lock").read_bytes() == lock
