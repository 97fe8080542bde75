"""A kept fold is taken only by the run that would fit the very same, and only when every byte of it is as it was written."""

import shutil

import pyarrow as pa
import pytest

from stages.contract.bad_input import BadInput
from stages.models import kept_folds
from tests.models.tiny import documents

RECORD = {"fold": "0", "n_train": 3, "epochs": [{"train_loss": 0.1, "validation_loss": None}]}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def base(tmp_path):
    folder = tmp_path / "base"
    folder.mkdir()
    (folder / "weights").write_bytes(b"123")
    return folder


def keep(folder, name="0"):
    kept_folds.keep(folder, name, RECORD, lambda path: path.write_bytes(b"weights") and None)
    return folder


def test_all_that_a_fit_depends_on_is_in_the_name(base, tmp_path, monkeypatch):
    table, names = documents(8), set()

    def note(found=table, folder=base, settings=({"epochs": 1},)):
        names.add(kept_folds.place(found, folder, *settings).name)
        return len(names)

    assert note() == note() == 1
    shutil.copytree(base, tmp_path / "copy")
    assert note(folder=tmp_path / "copy") == 1, "where a base lies changes nothing"
    for column, values in (("text", ["x"] * 8), ("favourable", [True] * 8), ("fold", ["9"] * 8), ("author_id", ["a"] * 8)):
        before = len(names)
        assert note(table.set_column(table.column_names.index(column), column, pa.array(values))) == before + 1, column
    assert note(settings=({"epochs": 2},)) == 6
    (base / "weights").write_bytes(b"124")
    assert note() == 7
    (base / "projection").write_bytes(b"")
    assert note() == 8
    shutil.copytree(kept_folds.STAGES, tmp_path / "stages", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(kept_folds, "STAGES", tmp_path / "stages")
    assert note() == 8
    with (tmp_path / "stages" / "models" / "training.py").open("a") as opened:
        opened.write("# changed\n")
    assert note() == 9


def test_what_was_kept_comes_back(tmp_path):
    assert kept_folds.records(tmp_path / "kept", ["0"]) == {}
    folder = keep(keep(tmp_path / "kept"), "1")
    assert kept_folds.records(folder, ["0", "2"]) == {"0": RECORD}
    (tmp_path / "output").mkdir()
    kept_folds.deliver(folder, ["0", "1"], tmp_path / "output")
    assert sorted(file.name for file in (tmp_path / "output").iterdir()) == ["fold_0.safetensors", "fold_1.safetensors"]
    assert not folder.exists()


@pytest.mark.parametrize("suffix", ["safetensors", "json"])
@pytest.mark.parametrize("place", [0, 5, -1])
def test_one_changed_byte_is_not_trusted(suffix, place, tmp_path, capsys):
    folder = keep(tmp_path / "kept")
    file = folder / f"fold_0.{suffix}"
    content = bytearray(file.read_bytes())
    content[place] ^= 1
    file.write_bytes(content)
    assert kept_folds.records(folder, ["0"]) == {}
    assert capsys.readouterr().out == "fold 0: what was kept is damaged and fitted anew\n"


@pytest.mark.parametrize("content", [b"", b"\xff", b"{}"])
def test_a_half_written_record_is_not_trusted(content, tmp_path):
    folder = keep(tmp_path / "kept")
    (folder / "fold_0.json").write_bytes(content)
    assert kept_folds.records(folder, ["0"]) == {}


def test_another_folds_or_another_runs_files_are_not_trusted(tmp_path):
    folder = keep(tmp_path / "kept")
    for suffix in ("safetensors", "json"):
        shutil.copy(folder / f"fold_0.{suffix}", folder / f"fold_1.{suffix}")
    assert list(kept_folds.records(folder, ["0", "1"])) == ["0"]
    shutil.copytree(folder, tmp_path / "other")
    assert kept_folds.records(tmp_path / "other", ["0"]) == {}
    (folder / "fold_0.safetensors").unlink()
    assert kept_folds.records(folder, ["0"]) == {}


def test_too_full_a_disk_is_said_before_anything_is_fitted(tmp_path):
    kept_folds.check_room([tmp_path], 5, 1.0)
    with pytest.raises(BadInput, match=r"^5 fitted folds of 1,000,000,000,000 MB do not fit .* set keep: outputs in the section finetune"):
        kept_folds.check_room([tmp_path], 5, 1e18)
