"""A design is data: whatever its names and values hold, no shell reads them, and no stage starts with them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from stages.contract.bad_input import BadInput
from stages.contract.params import Design
from tests.conftest import ROOT

EVIL = ["""a'"; touch x; $(touch x) `touch x` | touch x > x && touch x & #""", "b'\ntouch x\n'touch x", "${key}$DVC_STAGE${PATH}*~"]
NAMES = [*EVIL, "a; touch x", "$(touch x)", "-rf", "--help", "..", "../raw", "a/b", "a.b", "a@b", "a-b", "é", "А", "a\n", "", " ", "n" * 65]
ENTRIES = {
    "tasks": {"dataset": {"use": "delimited", "source": "raw.csv"}, "label": "on"},
    "models": {"base": {"source": "raw.vec"}, "debiaser": {"use": "identity"}, "family": {"use": "text_cnn"}},
    "challenges": {"use": "eec", "source": "raw.yaml"},
}
FAKE = """#!/bin/sh
for word in "$@"; do printf '%s\\0' "$word"; done >> calls
printf '\\n\\0' >> calls
"""


def repro(folder: Path, bin_folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """`dvc repro` in a folder without Git, with the `python` of a folder."""
    (folder / ".dvc").mkdir()
    (folder / ".dvc" / "config").write_text("[core]\n    no_scm = true\n    analytics = false\n")
    shutil.copytree(ROOT / ".dvc" / "plots", folder / ".dvc" / "plots")
    environment = os.environ | {"PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(folder)}
    environment |= {name: str(folder / name.lower()) for name in ("DVC_SITE_CACHE_DIR", "DVC_GLOBAL_CONFIG_DIR", "DVC_SYSTEM_CONFIG_DIR")}
    command = [sys.executable, "-m", "dvc", "repro", *options]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def calls(tmp_path_factory) -> tuple[Path, set[tuple[str, ...]]]:
    """A folder in which `dvc repro` ran every command of our dvc.yaml under evil names, and what `python` was called with there."""
    folder = tmp_path_factory.mktemp("evil")
    pipeline = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
    for stage in pipeline.values():
        for part in ("deps", "params", "outs", "metrics", "meta"):
            stage.get("do", stage).pop(part, None)  # only commands: names that are no file names would end here before
    (folder / "dvc.yaml").write_text(yaml.safe_dump({"stages": pipeline}))
    (folder / "params.yaml").write_text(yaml.safe_dump({kind: dict.fromkeys(EVIL, entry) for kind, entry in ENTRIES.items()}))
    (folder / "bin").mkdir()
    (folder / "bin" / "python").write_text(FAKE)
    (folder / "bin" / "python").chmod(0o755)
    repro(folder, folder / "bin", "--keep-going")
    words = (folder / "calls").read_text(encoding="utf-8").split("\0")
    lines = "\0".join(words).split("\0\n\0")
    return folder, {tuple(line.split("\0")) for line in lines if line}


def test_a_name_reaches_a_stage_letter_for_letter_and_no_shell_reads_it(calls):
    """Where DVC quotes a name of several lines, its first line ends in an open quote: that command does not start at all."""
    folder, found = calls
    assert not (folder / "x").exists()
    given = {"--task": set(), "--model": set(), "--challenge": set()}
    for words in found:
        assert words[0] == "-m"
        for option, name in zip(words[2::2], words[3::2], strict=True):
            given[option].add(name)
    assert {words[1] for words in found} == {f"stages.{stage}" for stage in yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]}
    assert given == {option: set(EVIL) for option in given}


def test_dvc_repro_alone_stops_at_the_first_stage_whichever_name_is_wrong(tmp_path):
    """The pipeline as it is: a model that is a path is refused by `ingest`, before DVC takes data/raw for that model's old results."""
    (tmp_path / "stages").symlink_to(ROOT / "stages")
    (tmp_path / "dvc.yaml").write_bytes((ROOT / "dvc.yaml").read_bytes())
    design = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    design |= {"tasks": {"trust": design["tasks"]["trust"]}, "models": {"../raw": design["models"]["minilm"]}}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(design))
    (tmp_path / "data" / "raw").mkdir(parents=True)
    (tmp_path / "data" / "raw" / "mine.csv").write_text("mine")
    done = repro(tmp_path, Path(sys.executable).parent)
    assert done.returncode == 255
    assert "ingest: params.yaml: 'models.../raw.[key]': names are lower-case letters" in done.stderr
    assert (tmp_path / "data" / "raw" / "mine.csv").read_text() == "mine"


@pytest.mark.parametrize("kind", ENTRIES)
@pytest.mark.parametrize("name", NAMES)
def test_the_design_refuses_it_in_one_sentence(tmp_path, kind, name):
    path = tmp_path / "params.yaml"
    path.write_text(yaml.safe_dump({section: {"fine": entry} for section, entry in ENTRIES.items()} | {kind: {name: ENTRIES[kind]}}))
    with pytest.raises(BadInput, match="names are lower-case letters, digits and _ only") as refusal:
        Design.read(path)
    assert "\n" not in str(refusal.value)
