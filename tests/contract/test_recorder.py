"""A run leaves a record of what it cost, marked as an estimate where nothing can be measured (T54), and no recorder's failure fails it."""

import json
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

from stages.contract import recorder
from stages.contract.footprint import ESTIMATE, PARTLY, Watts, read
from tests.conftest import ROOT

INGEST = ("stages.ingest", "--task", "trust")


def stage(folder: Path, **environment: str) -> subprocess.CompletedProcess:
    """Run the stage ingest in a folder of its own."""
    (folder / "params.yaml").write_bytes((ROOT / "params.yaml").read_bytes())
    (folder / "stages").symlink_to(ROOT / "stages")
    variables = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"} | environment
    return subprocess.run([sys.executable, "-m", *INGEST], cwd=folder, env=variables, capture_output=True, text=True, check=False)


def test_a_run_is_recorded_and_its_energy_is_a_number_marked_as_what_it_is(tmp_path):
    assert stage(tmp_path).returncode == 0
    path = tmp_path / "data/footprint/ingest/trust.json"
    assert "null" not in path.read_text(), "None is never shown"
    [found] = read(tmp_path / "data/footprint")
    assert (found.stage, found.names) == ("ingest", {"task": "trust"})
    assert 0.1 < found.cpu_seconds < 300
    assert 0.01 < found.memory < 10
    assert found.seconds > 0
    assert found.gpus == []
    energy = json.loads(path.read_text())["energy"]
    assert energy["kwh"] == pytest.approx(found.energy(Watts.of_environment()).kwh)
    assert energy["how"] in (ESTIMATE, PARTLY)


def test_a_recorder_that_fails_says_so_in_one_line_and_the_run_is_done(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data/footprint").write_text("no folder")
    done = stage(tmp_path)
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("footprint: not recorded: ")
    assert (tmp_path / "data/ingest/trust/documents.parquet").is_file()
    wrong = tmp_path / "wrong"
    wrong.mkdir()
    assert "CROSSBIAS_WATTS_PER_CORE" in stage(wrong, CROSSBIAS_WATTS_PER_CORE="many").stderr


class Tracker:
    """As codecarbon's: it has its figures once it has stopped, unless it broke."""

    broken = False

    def __init__(self, **options):
        assert options["output_methods"] == [], "it writes and sends nothing"
        assert options["emissions_endpoint"] is None

    def start(self):
        self.started = True

    def stop(self):
        if not self.broken:
            self.final_emissions_data = types.SimpleNamespace(cpu_energy=0.25, gpu_energy=0.5)


@pytest.fixture
def codecarbon(monkeypatch):
    """A codecarbon that finds the counters of a processor and a GPU."""
    modules = {name: types.ModuleType(name) for name in ("codecarbon", "codecarbon.core", "codecarbon.core.cpu", "codecarbon.core.gpu")}
    package, core, cpu, gpu = modules.values()
    package.OfflineEmissionsTracker, core.cpu, core.gpu = Tracker, cpu, gpu
    cpu.is_rapl_available = gpu.is_gpu_details_available = lambda: True
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(recorder.importlib.util, "find_spec", lambda name: package)
    monkeypatch.setattr(Tracker, "broken", False)
    return cpu


def test_counters_are_believed_where_there_are_any(codecarbon, monkeypatch):
    assert recorder.measure(recorder.start(), "predict", {}).measured == {"cpu": 0.25}
    monkeypatch.setattr(recorder, "_gpus", lambda: ["NVIDIA T4"])
    assert recorder.measure(recorder.start(), "predict", {}).measured == {"cpu": 0.25, "gpu": 0.5}
    codecarbon.is_rapl_available = lambda: False  # codecarbon would give rated power as energy of the processor
    found = recorder.measure(recorder.start(), "predict", {})
    assert found.measured == {"gpu": 0.5}
    assert found.parts(Watts())["cpu"].how == ESTIMATE


def test_a_tracker_that_breaks_or_is_not_there_leaves_an_estimate(codecarbon, monkeypatch, capsys):
    monkeypatch.setattr(Tracker, "broken", True)
    assert recorder.measure(recorder.start(), "predict", {}).measured == {}

    def refuse(self):
        raise PermissionError("no access to the counters")

    monkeypatch.setattr(Tracker, "start", refuse)
    assert recorder.start() is None
    assert "energy is estimated" in capsys.readouterr().err
    monkeypatch.setattr(recorder.importlib.util, "find_spec", lambda name: None)
    assert recorder.start() is None


def test_workers_count():
    """Two seconds of a child that burns one are in the record of its parent."""
    before = recorder.measure(None, "predict", {})
    subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.5: pass"], check=True)
    after = recorder.measure(None, "predict", {})
    assert after.cpu_seconds - before.cpu_seconds >= 0.5
    assert after.seconds > before.seconds
