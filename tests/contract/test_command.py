"""A stage's command line: what it reads and writes follows from its signature, and bad input leaves nothing behind."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import pytest
import yaml

from stages.contract import tables
from stages.contract.bad_input import BadInput
from stages.contract.command import inputs_of, keys_of, outputs_of, perform
from stages.contract.params import Design, Section
from stages.contract.schemas import Documents, Scores
from stages.contract.tables import At
from tests.conftest import ROOT, make_documents

Copy = Annotated[pa.Table, At("data/copy/{task}.parquet", (("doc_id", "string"),), key=("doc_id",))]
Notes = Annotated[Path, At("data/notes/{task}")]


class Params(Section):
    threads: int = 1


def copying(documents: Documents, params: Params, output: Notes) -> Copy:
    (output / "note.txt").write_text("done")
    return documents.select(["doc_id"])


def gathering(scores: Scores, params: Params) -> Annotated[str, At("data/all.txt")]:
    return ",".join(f"{task}/{model}" for task, model in zip(scores["task"].to_pylist(), scores["model"].to_pylist(), strict=True))


@pytest.fixture
def design(tmp_path, monkeypatch) -> Design:
    monkeypatch.chdir(tmp_path)
    raw = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    write(make_documents(["one", "two"], [True, False]), Documents, "literacy")
    return Design.model_validate(raw)


def write(table: pa.Table, kind, task: str, model: str = "") -> None:
    at = kind.__metadata__[0]
    path = Path(at.path.format(task=task, model=model))
    tables.write_whole(path, lambda temporary: tables.write_parquet(tables.check(table, at, str(path)), temporary))


def test_the_signature_says_what_is_read_and_written():
    assert list(inputs_of(copying)) == ["documents"]
    folder, returned = outputs_of(copying)
    assert folder["output"].path == "data/notes/{task}"
    assert [at.path for at in returned] == ["data/copy/{task}.parquet"]
    assert keys_of(copying) == ["task"]
    assert keys_of(gathering) == []


def test_outputs_appear_whole(design):
    perform(copying, "copying", design, {"task": "literacy"})
    assert Path("data/notes/literacy/note.txt").read_text() == "done"
    assert tables.read(Path("data/copy/literacy.parquet"), Copy.__metadata__[0]).num_rows == 2
    assert sorted(path.name for path in Path("data/notes").iterdir()) == ["literacy"]


def test_a_failing_stage_keeps_the_old_results_and_leaves_nothing_half_written(design):
    perform(copying, "copying", design, {"task": "literacy"})

    def failing(documents: Documents, params: Params, output: Notes) -> Copy:
        (output / "note.txt").write_text("half")
        raise BadInput("it failed")

    with pytest.raises(BadInput, match="it failed"):
        perform(failing, "failing", design, {"task": "literacy"})
    assert Path("data/notes/literacy/note.txt").read_text() == "done"
    assert sorted(path.name for path in Path("data/notes").iterdir()) == ["literacy"]


def test_what_killed_runs_left_goes_and_what_lives_stays(design):
    for name in (f".literacy.{2**22 + 1}", f".literacy.{os.getppid()}", ".literacy.notes", f".trust.{2**22 + 1}"):
        Path("data/notes", name).mkdir(parents=True)
        Path("data/notes", name, "half").touch()
    perform(copying, "copying", design, {"task": "literacy"})
    left = {path.name for path in Path("data/notes").iterdir()}
    assert left == {"literacy", f".literacy.{os.getppid()}", ".literacy.notes", f".trust.{2**22 + 1}"}, "numbers of processes end at 2^22"


def test_a_stage_without_keys_reads_the_tables_of_every_cell(design):
    row = {name: [None if kind.endswith("?") else "x" if kind == "string" else 0] for name, kind in Scores.__metadata__[0].columns}
    for task in design.tasks:
        for model in design.models:
            write(pa.table(row), Scores, task, model)
    perform(gathering, "gathering", design, {})
    assert Path("data/all.txt").read_text() == ",".join(f"{task}/{model}" for task in design.tasks for model in design.models)


def test_a_stage_that_reads_every_cell_refuses_those_of_other_designs_beside_them(design):
    """DVC hashes the folder with them, which nobody else can have; `dvc repro` does not take them away."""
    row = {name: [None if kind.endswith("?") else "x" if kind == "string" else 0] for name, kind in Scores.__metadata__[0].columns}
    for task in design.tasks:
        for model in [*design.models, "gone"]:
            write(pa.table(row), Scores, task, model)
    said = r"^data/evaluate/literacy/gone/scores\.parquet \(and 1 more\) belongs to a cell that is not in the design: `crossbias run` takes"
    with pytest.raises(BadInput, match=said):
        perform(gathering, "gathering", design, {})
    assert not Path("data/all.txt").exists()
    for task in design.tasks:
        Path(f"data/evaluate/{task}/gone").rename(f"data/evaluate/{task}/gone.mine")  # no name of a model
    perform(gathering, "gathering", design, {})
    assert Path("data/all.txt").exists()


def shell(*arguments: str, folder: Path, first: str = "true") -> subprocess.CompletedProcess:
    """Run a module after the shell command ``first``."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    command = ["sh", "-c", f'{first}; exec "$@"', "sh", sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_bad_input_is_one_sentence_and_exit_code_two(tmp_path):
    missing = shell("stages.subgroup", "--task", "trust", folder=tmp_path)
    assert missing.returncode == 2
    assert missing.stderr.count("\n") == 1
    assert missing.stderr.startswith("subgroup: params.yaml is missing")
    (tmp_path / "params.yaml").write_bytes((ROOT / "params.yaml").read_bytes())
    unread = shell("stages.subgroup", "--task", "trust", folder=tmp_path)
    assert unread.stderr == "subgroup: data/ingest/trust/documents.parquet is missing: run the stage that writes it (dvc repro).\n"
    unknown = shell("stages.subgroup", "--task", "tryst", folder=tmp_path)
    assert unknown.returncode == 2
    assert unknown.stderr == "subgroup: params.yaml: 'tryst' is not among its tasks; they are literacy, trust.\n"
    assert "Traceback" in shell("stages.subgroup", "--task", "trust", "--debug", folder=tmp_path).stderr
    assert not (tmp_path / "data").exists()


def test_a_data_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    """A file where the folder should be stands for a read-only data/, in which the superuser could still write."""
    (tmp_path / "params.yaml").write_bytes((ROOT / "params.yaml").read_bytes())
    (tmp_path / "stages").symlink_to(ROOT / "stages")
    (tmp_path / "data").write_text("no folder")
    refused = shell("stages.ingest", "--task", "trust", folder=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.startswith("ingest: ")
    assert "data" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path):
    """A limit on the size of files stands for a full disk: the write fails in its middle with the system's own error."""
    (tmp_path / "params.yaml").write_bytes((ROOT / "params.yaml").read_bytes())
    (tmp_path / "stages").symlink_to(ROOT / "stages")
    full = shell("stages.ingest", "--task", "trust", folder=tmp_path, first="ulimit -f 4")
    assert full.returncode == 2
    assert full.stderr.startswith("ingest: ")
    assert "File too large" in full.stderr
    assert full.stderr.count("\n") == 1
    assert [path for path in (tmp_path / "data").rglob("*") if path.is_file()] == []
